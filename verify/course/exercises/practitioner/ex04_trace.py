"""practitioner 04: one whole delegated run of the pipeline."""

from verify.course.exercises.shared import RUN, tracing
from verify.grading.model import Exercise

EXERCISE = Exercise(
    level="practitioner",
    number=4,
    slug="trace",
    title="Trace a delegated run",
    issue="ISSUE-202",
    profile="exercise",
    artifacts=RUN,
    solution="fixtures/solutions/ISSUE-202",
    checks=tracing("P04", delegated=True, advisory=True),
    asks=(("ISSUE-202", 30),),
)
