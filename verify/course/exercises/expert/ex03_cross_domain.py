"""expert 03: a delegated plan for an issue that spans domains."""

from verify.course.checks import planning
from verify.course.exercises.shared import (
    PLAN_JSON,
    TWO_DOMAINS,
    check,
    criteria,
    marked,
    paths_in_target,
    planned,
)
from verify.grading.model import Exercise

EXERCISE = Exercise(
    level="expert",
    number=3,
    slug="cross-domain",
    title="Plan across domains",
    target="sandbox",
    issue="ISSUE-304",
    profile="exercise",
    artifacts=(PLAN_JSON,),
    solution="fixtures/solutions/ISSUE-304/plan.json",
    checks=(
        *planned("E03"),
        criteria("E03.7", PLAN_JSON, "E03.6"),
        marked("E03.8", PLAN_JSON, "E03.3", "x-subplanner", points=2),
        check(
            "E03.9",
            planning.spans_domains(PLAN_JSON, at_least=2),
            "E03.3",
            example=TWO_DOMAINS,
            points=2,
        ),
        paths_in_target("E03.10", PLAN_JSON, "E03.3"),
    ),
)
