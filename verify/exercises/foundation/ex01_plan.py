"""foundation 01: a plan for one issue, written by the planner itself or by its subplanner."""

from verify.exercises.examples import PLAN_OF_PLANNER
from verify.exercises.parts import (
    PLAN_RULES,
    criteria,
    marked,
    planning_rules,
    readable,
    rooted,
    tested,
)
from verify.exercises.sources import PLAN_JSON
from verify.model import Exercise

EXERCISE = Exercise(
    level="foundation",
    number=1,
    slug="plan",
    title="Plan an issue",
    kind="planning",
    target="sandbox",
    issue="ISSUE-101",
    profile="exercise",
    artifacts=(PLAN_JSON,),
    solution="fixtures/solutions/ISSUE-101/plan.json",
    checks=(
        *readable("F01", 1, PLAN_JSON, apart_from=PLAN_RULES, example=PLAN_OF_PLANNER),
        *planning_rules("F01", 4, PLAN_JSON, "F01.3"),
        marked("F01.7", PLAN_JSON, "F01.3", "x-planner", "x-subplanner"),
        criteria("F01.8", PLAN_JSON, "F01.6", advisory=True),
        tested("F01.9", PLAN_JSON, "F01.3"),
        rooted("F01.10", PLAN_JSON, "F01.3"),
    ),
)
