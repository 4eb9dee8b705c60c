"""foundation 04: one whole run of the pipeline, traced by its three artifacts."""

from verify.course.exercises.shared import RUN, tracing
from verify.grading.model import Exercise

EXERCISE = Exercise(
    level="foundation",
    number=4,
    slug="trace",
    title="Trace a pipeline run",
    issue="ISSUE-102",
    artifacts=RUN,
    solution="fixtures/solutions/ISSUE-102",
    checks=tracing("F04", delegated=False, advisory=True),
    asks=(("ISSUE-102", 20),),
)
