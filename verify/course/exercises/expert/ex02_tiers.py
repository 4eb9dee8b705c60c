"""expert 02: three issues of three tiers, each run by the agents that its tier routes to."""

from pipeline.protocol.layout import GIT_RESULT, PLAN, WORKER_RESULT
from verify.course.checks import results, validity
from verify.course.exercises.shared import EXAMPLES, agreement, marked, named_branch
from verify.grading.artifacts import ArtifactRef
from verify.grading.model import Check, Exercise

_WORDS = {PLAN: "plan", WORKER_RESULT: "work", GIT_RESULT: "git result"}  # titles have to be short

_TRIVIAL = [ArtifactRef(name, issue="ISSUE-301") for name in (WORKER_RESULT, GIT_RESULT)]
_STANDARD = [ArtifactRef(name, issue="ISSUE-302") for name in (PLAN, WORKER_RESULT, GIT_RESULT)]
_COMPLEX = [ArtifactRef(name, issue="ISSUE-303") for name in (PLAN, WORKER_RESULT, GIT_RESULT)]
_TRIVIAL_WORK, _TRIVIAL_GIT = _TRIVIAL  # no check asks for its plan
_STANDARD_PLAN, _STANDARD_WORK, _STANDARD_GIT = _STANDARD
_COMPLEX_PLAN, _COMPLEX_WORK, _COMPLEX_GIT = _COMPLEX


def _stage(first: int, tier: str, source: ArtifactRef, *agents: str) -> tuple[Check, Check]:
    """Return two checks of one stage's artifact: it is sound, and its agent is the tier's."""
    sound, by, word = f"E02.{first}", f"E02.{first + 1}", _WORDS[source.name]
    run, state = validity.is_sound(source), "valid"
    if source.name == WORKER_RESULT:  # only completed work moves the pipeline on
        run, state = validity.all_of(source, run, results.is_completed(source)), "completed"
    return (
        Check(
            code=sound,
            title=f"{source.issue} ({tier}): {word} is {state}",
            run=run,
            hint="Run the stage that writes the file, or have its agent fix every mistake in it.",
            look_at="The issue's folder in the sandbox, and each place that the failure names.",
            why="A run is complete when every stage has written its artifact.",
            example=EXAMPLES[source.name].replace('"x-worker"', f'"{agents[0]}"'),
        ),
        marked(
            by, source, sound, *agents, title=f"{source.issue}: {word} by {' or '.join(agents)}"
        ),
    )


EXERCISE = Exercise(
    level="expert",
    number=2,
    slug="tiers",
    title="Run three tiers",
    target="sandbox",
    profile="exercise",
    artifacts=(*_TRIVIAL, *_STANDARD, *_COMPLEX),
    solution="fixtures/solutions/ISSUE-303",
    asks=(("ISSUE-301", 30), ("ISSUE-302", 40), ("ISSUE-303", 50)),
    checks=(
        *_stage(1, "trivial", _TRIVIAL_WORK, "x-worker-fast"),
        *_stage(3, "trivial", _TRIVIAL_GIT, "x-git"),
        *_stage(5, "standard", _STANDARD_PLAN, "x-planner", "x-subplanner"),
        *_stage(7, "standard", _STANDARD_WORK, "x-worker"),
        *_stage(9, "standard", _STANDARD_GIT, "x-git"),
        *_stage(11, "complex", _COMPLEX_PLAN, "x-subplanner"),
        *_stage(13, "complex", _COMPLEX_WORK, "x-worker"),
        *_stage(15, "complex", _COMPLEX_GIT, "x-git"),
        named_branch("E02.17", _TRIVIAL_GIT, "E02.3"),
        agreement("E02.18", _STANDARD_WORK, ("E02.7", "E02.5"), _STANDARD_PLAN, points=0),
        named_branch("E02.19", _STANDARD_GIT, "E02.9"),
        agreement("E02.20", _COMPLEX_WORK, ("E02.13", "E02.11"), _COMPLEX_PLAN, points=0),
        named_branch("E02.21", _COMPLEX_GIT, "E02.15"),
    ),
)
