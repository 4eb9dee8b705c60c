"""expert 02: three issues of three tiers, each run by the agents that its tier routes to."""

from typing import NamedTuple

from pipeline.layout import GIT_RESULT, PLAN, WORKER_RESULT
from pipeline.tiers import ROUTING
from verify.attempt import Source
from verify.checks import implementation, validity
from verify.exercises.examples import EXAMPLES
from verify.exercises.parts import marked
from verify.model import Check, Exercise

TRIVIAL, STANDARD, COMPLEX = "ISSUE-301", "ISSUE-302", "ISSUE-303"
_FAST_WORKER = ROUTING["trivial"][0]


class _Stage(NamedTuple):
    """One stage of one issue's run: the artifact that it writes, and who may write it."""

    tier: str
    source: Source
    agents: tuple[str, ...]


_STAGES = (
    # a trivial task needs no plan: its first artifact is the fast worker's
    _Stage("trivial", Source(WORKER_RESULT, issue=TRIVIAL), (_FAST_WORKER,)),
    _Stage("trivial", Source(GIT_RESULT, issue=TRIVIAL), ("x-git",)),
    _Stage("standard", Source(PLAN, issue=STANDARD), ("x-planner", "x-subplanner")),
    _Stage("standard", Source(WORKER_RESULT, issue=STANDARD), ("x-worker",)),
    _Stage("standard", Source(GIT_RESULT, issue=STANDARD), ("x-git",)),
    _Stage("complex", Source(PLAN, issue=COMPLEX), ("x-subplanner",)),
    _Stage("complex", Source(WORKER_RESULT, issue=COMPLEX), ("x-worker",)),
    _Stage("complex", Source(GIT_RESULT, issue=COMPLEX), ("x-git",)),
)


def _sound(code: str, tier: str, source: Source) -> Check:
    run, state = validity.is_sound(source), "valid"
    if source.name == WORKER_RESULT:  # only completed work moves the pipeline on
        run, state = validity.all_of(run, implementation.is_completed(source)), "completed"
    return Check(
        code=code,
        title=f"{source.issue} ({tier}): {source.name} is {state}",
        run=run,
        hint=f"Run the stage of {source.issue} that writes {source.name}.",
        look=f"The folder of {source.issue} in the sandbox, and each place of the failure.",
        why=f"The run of a {tier} task is complete when each of its stages left its artifact.",
        example=EXAMPLES[source.name],
    )


def _checks(number: int, stage: _Stage) -> tuple[Check, Check]:
    """Return two checks of one stage's artifact: it is sound, and its agent is the tier's."""
    sound, by = f"E02.{number}", f"E02.{number + 1}"
    return (
        _sound(sound, stage.tier, stage.source),
        marked(by, stage.source, sound, *stage.agents),
    )


EXERCISE = Exercise(
    level="expert",
    number=2,
    slug="tiers",
    title="Run three tiers",
    kind="tiered pipeline",
    target="sandbox",
    delegate="the agents of each tier",
    profile="exercise",
    artifacts=tuple(stage.source for stage in _STAGES),
    checks=tuple(
        check for number, stage in enumerate(_STAGES) for check in _checks(2 * number + 1, stage)
    ),
)
