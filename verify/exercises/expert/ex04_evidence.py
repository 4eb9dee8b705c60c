"""expert 04: one whole delegated run of the pipeline on a complex issue."""

from verify.exercises.evidence import advised_by_git, compared_with_git
from verify.exercises.sources import RUN
from verify.exercises.tracing import markers, planned_from_root, reviewed, tracing
from verify.model import Exercise

EXERCISE = Exercise(
    level="expert",
    number=4,
    slug="evidence",
    title="Trace a run with evidence",
    kind="pipeline trace with evidence",
    issue="ISSUE-305",
    delegate="x-subplanner, x-worker, x-git",
    profile="exercise",
    artifacts=RUN,
    solution="fixtures/solutions/ISSUE-305",
    checks=(
        *tracing("E04"),
        *markers("E04", 9),
        *reviewed("E04", 12, mapping=True),
        planned_from_root("E04.16", "E04.4"),
        *compared_with_git("E04", 17),
        *advised_by_git("E04", 22, checked=17),
    ),
)
