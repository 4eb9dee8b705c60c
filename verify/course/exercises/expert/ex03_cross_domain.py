"""expert 03: a delegated plan for an issue that spans domains."""

from verify.course.checks import planning
from verify.course.exercises.examples import TWO_DOMAINS
from verify.course.exercises.shared import PLAN_JSON, criteria, marked, paths_in_target, planned
from verify.grading.model import Check, Exercise

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
        Check(
            code="E03.9",
            title="two domains have code steps and test steps",
            run=planning.spans_domains(PLAN_JSON, at_least=2),
            hint="Give each domain a step in `src/<domain>/` and a step in `test/<domain>/`.",
            look_at="The domains of the issue, their folders, and the paths of the steps.",
            why="A change in one domain can break another, so each domain needs its own tests.",
            example=TWO_DOMAINS,
            points=2,
            requires=("E03.3",),
        ),
        paths_in_target("E03.10", PLAN_JSON, "E03.3"),
    ),
)
