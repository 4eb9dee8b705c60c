"""basics 01: a plan for one issue."""

from verify.api import PLAN_RULES, ArtifactRef, Exercise, files_and_steps, readable

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
