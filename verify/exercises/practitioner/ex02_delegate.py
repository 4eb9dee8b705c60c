"""practitioner 02: a plan that the planner delegated to its subplanner."""

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
    level="practitioner",
    number=2,
    slug="delegate",
    title="Delegate the plan",
    kind="planning, delegated",
    target="sandbox",
    issue="ISSUE-201",
    delegate="x-subplanner",
    profile="exercise",
    artifacts=(PLAN_JSON,),
    solution="fixtures/solutions/ISSUE-201/plan.json",
    checks=(
        *readable("P02", 1, PLAN_JSON, apart_from=PLAN_RULES),
        *planning_rules("P02", 4, PLAN_JSON, "P02.3"),
        criteria("P02.7", PLAN_JSON, "P02.6"),
        marked("P02.8", PLAN_JSON, "P02.3", "x-subplanner", points=2),
        tested("P02.9", PLAN_JSON, "P02.3"),
        rooted("P02.10", PLAN_JSON, "P02.3"),
    ),
)
