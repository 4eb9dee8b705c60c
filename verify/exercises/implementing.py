"""The checks that foundation 02 and practitioner 03 share: a worker's result on a plan."""

from verify.checks import implementation, validity
from verify.exercises.parts import BLOCKERS, agreement, completed, marked, readable
from verify.exercises.sources import PLAN_JSON, WORKER_JSON
from verify.model import Check

NOT_RUN = "that the code works: run npm test in the sandbox"


def implementing(code: str) -> tuple[Check, ...]:
    """Return the checks of an implementation exercise, codes `<code>.1` to `<code>.8`."""
    return (
        *readable(code, 1, WORKER_JSON, apart_from=BLOCKERS),
        completed(f"{code}.4", WORKER_JSON, f"{code}.3"),
        Check(
            code=f"{code}.5",
            title="the plan is there and valid",
            run=validity.is_sound(PLAN_JSON),
            hint="Finish the plan first: the worker reads it.",
            look="plan.json in the same folder; the planning exercise names each mistake in it.",
            why="A result can only be compared with a plan that is valid itself.",
            prior=True,
        ),
        agreement(f"{code}.6", WORKER_JSON, PLAN_JSON, (f"{code}.3", f"{code}.5")),
        Check(
            code=f"{code}.7",
            title="the changed files are there, and not empty",
            run=implementation.has_its_files(WORKER_JSON),
            hint="List files as the target project has them, relative to it; write their content.",
            look="Each path of the failure: is there exactly that file, and is it not empty?",
            why="A result that lists missing or empty files describes work that was not done.",
            example='"files_changed": ["src/health/routes.js"]',
            points=2,
            requires=(f"{code}.3",),
        ),
        marked(f"{code}.8", WORKER_JSON, f"{code}.3", "x-worker"),
    )
