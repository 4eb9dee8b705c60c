"""practitioner 02: a plan that the planner delegated to its subplanner."""

from verify.course.exercises.shared import (
    PLAN_JSON,
    criteria,
    marked,
    paths_in_target,
    planned,
    tested,
)
from verify.grading.model import Exercise

EXERCISE = Exercise(
    level="practitioner",
    number=2,
    slug="delegate",
    title="Delegate the plan",
    target="sandbox",
    issue="ISSUE-201",
    profile="exercise",
    artifacts=(PLAN_JSON,),
    solution="fixtures/solutions/ISSUE-201/plan.json",
    checks=(
        *planned("P02"),
        criteria("P02.7", PLAN_JSON, "P02.6"),
        marked("P02.8", PLAN_JSON, "P02.3", "x-subplanner", points=2),
        tested("P02.9", PLAN_JSON, "P02.3"),
        paths_in_target("P02.10", PLAN_JSON, "P02.3"),
    ),
)
