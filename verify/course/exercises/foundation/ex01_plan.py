"""foundation 01: a plan for one issue, written by the planner itself or by its subplanner."""

from verify.course.exercises.shared import (
    PLAN_JSON,
    PLAN_OF_PLANNER,
    criteria,
    marked,
    paths_in_target,
    planned,
    tested,
)
from verify.grading.model import Exercise

EXERCISE = Exercise(
    level="foundation",
    number=1,
    slug="plan",
    title="Plan an issue",
    target="sandbox",
    issue="ISSUE-101",
    profile="exercise",
    artifacts=(PLAN_JSON,),
    solution="fixtures/solutions/ISSUE-101/plan.json",
    checks=(
        *planned("F01", example=PLAN_OF_PLANNER),
        marked("F01.7", PLAN_JSON, "F01.3", "x-planner", "x-subplanner"),
        criteria("F01.8", PLAN_JSON, "F01.6", points=0),
        tested("F01.9", PLAN_JSON, "F01.3"),
        paths_in_target("F01.10", PLAN_JSON, "F01.3"),
    ),
)
