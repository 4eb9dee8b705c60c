"""foundation 02: the plan of exercise 01, implemented by the worker."""

from verify.course.exercises.shared import WORKER_JSON, implementing
from verify.grading.model import Exercise

EXERCISE = Exercise(
    level="foundation",
    number=2,
    slug="implement",
    title="Implement the plan",
    target="sandbox",
    issue="ISSUE-101",
    profile="exercise",
    artifacts=(WORKER_JSON,),
    solution="fixtures/solutions/ISSUE-101/changes.patch",
    checks=implementing("F02"),
    asks=(("ISSUE-101", 20),),
)
