"""expert 02: three issues of three tiers, each run by the agents that its tier routes to."""

from pipeline.layout import GIT_RESULT, PLAN, WORKER_RESULT
from pipeline.tiers import ROUTING
from verify.attempt import Source
from verify.checks import implementation, validity
from verify.exercises.examples import EXAMPLES
from verify.exercises.parts import marked
from verify.model import Check, Exercise

TRIVIAL, STANDARD, COMPLEX = "ISSUE-301", "ISSUE-302", "ISSUE-303"
_FAST_WORKER = ROUTING["trivial"][0]


def _sound(number: int, source: Source, tier: str) -> Check:
    run, state = validity.is_sound(source), "valid"
    if source.name == WORKER_RESULT:  # only completed work moves the pipeline on
        run, state = validity.all_of(run, implementation.is_completed(source)), "completed"
    return Check(
        code=f"E02.{number}",
        title=f"{source.issue} ({tier}): {source.name} is {state}",
        run=run,
        hint=f"Run the stage of {source.issue} that writes {source.name}.",
        example=EXAMPLES[source.name],
    )


def _stage(number: int, name: str, issue: str, tier: str, *agents: str) -> tuple[Check, Check]:
    """Return two checks of one stage's artifact: it is sound, and its agent is the tier's."""
    source = Source(name, issue=issue)
    return (
        _sound(number, source, tier),
        marked(f"E02.{number + 1}", source, f"E02.{number}", *agents),
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
    checks=(
        # a trivial task needs no plan: its first artifact is the fast worker's
        *_stage(1, WORKER_RESULT, TRIVIAL, "trivial", _FAST_WORKER),
        *_stage(3, GIT_RESULT, TRIVIAL, "trivial", "x-git"),
        *_stage(5, PLAN, STANDARD, "standard", "x-planner", "x-subplanner"),
        *_stage(7, WORKER_RESULT, STANDARD, "standard", "x-worker"),
        *_stage(9, GIT_RESULT, STANDARD, "standard", "x-git"),
        *_stage(11, PLAN, COMPLEX, "complex", "x-subplanner"),
        *_stage(13, WORKER_RESULT, COMPLEX, "complex", "x-worker"),
        *_stage(15, GIT_RESULT, COMPLEX, "complex", "x-git"),
    ),
)
