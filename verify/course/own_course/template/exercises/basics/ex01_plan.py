"""basics 01: a plan for one issue."""

from verify.course.exercises.shared import PLAN_RULES, files_and_steps, readable
from verify.grading.artifacts import ArtifactRef
from verify.grading.model import Exercise

PLAN = ArtifactRef("plan.json")

EXERCISE = Exercise(
    level="basics",
    number=1,
    slug="plan",
    title="Plan an issue",
    issue="ISSUE-1",
    artifacts=(PLAN,),
    checks=(
        *readable("B01", 1, PLAN, apart_from=PLAN_RULES),
        files_and_steps("B01.4", PLAN, "B01.3"),
    ),
)
