"""practitioner 03: the delegated plan, implemented by the worker."""

from verify.course.exercises.shared import PLAN_JSON, WORKER_JSON, implementing, marked
from verify.grading.model import Exercise

EXERCISE = Exercise(
    level="practitioner",
    number=3,
    slug="implement",
    title="Implement the delegated plan",
    target="sandbox",
    issue="ISSUE-201",
    profile="exercise",
    artifacts=(WORKER_JSON,),
    solution="fixtures/solutions/ISSUE-201/changes.patch",
    asks=(("ISSUE-201", 20),),
    checks=(
        *implementing("P03"),
        marked("P03.9", PLAN_JSON, "P03.5", "x-subplanner", earlier_work=True),
    ),
)
