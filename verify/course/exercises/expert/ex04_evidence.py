"""expert 04: one whole delegated run of the pipeline on a complex issue."""

from verify.course.checks import evidence
from verify.course.exercises.shared import GIT_JSON, RUN, check, tracing
from verify.grading.model import Exercise

EXERCISE = Exercise(
    level="expert",
    number=4,
    slug="evidence",
    title="Trace a run with evidence",
    issue="ISSUE-305",
    profile="exercise",
    artifacts=RUN,
    solution="fixtures/solutions/ISSUE-305",
    asks=(("ISSUE-305", 30),),
    checks=(
        *tracing("E04", delegated=True, advisory=False),
        check(
            "E04.22",
            evidence.leaves_artifacts_out(GIT_JSON, RUN),
            "E04.17",
            points=0,
            compares_git=True,
        ),
        check(
            "E04.23", evidence.has_times_in_order(GIT_JSON), "E04.18", points=0, compares_git=True
        ),
    ),
)
