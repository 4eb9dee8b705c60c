"""practitioner 03: the delegated plan, implemented by the worker."""

from dataclasses import replace

from verify.exercises.implementing import NOT_RUN, implementing
from verify.exercises.parts import marked
from verify.exercises.sources import PLAN_JSON, WORKER_JSON
from verify.model import Exercise

EXERCISE = Exercise(
    level="practitioner",
    number=3,
    slug="implement",
    title="Implement the delegated plan",
    kind="implementation, delegated",
    target="sandbox",
    issue="ISSUE-201",
    delegate="x-worker",
    profile="exercise",
    artifacts=(WORKER_JSON,),
    solution="fixtures/solutions/ISSUE-201/changes.patch",
    unproven=NOT_RUN,
    checks=(
        *implementing("P03"),
        replace(marked("P03.9", PLAN_JSON, "P03.5", "x-subplanner"), prior=True),
    ),
)
