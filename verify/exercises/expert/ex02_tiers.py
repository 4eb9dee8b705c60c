"""expert 02: three issues of three tiers, each run by the agents that its tier routes to."""

from typing import NamedTuple

from pipeline.protocol.layout import GIT_RESULT, PLAN, WORKER_RESULT
from pipeline.tiers import ROUTING
from verify.artifacts import ArtifactRef
from verify.checks import results, validity
from verify.exercises.examples import EXAMPLES
from verify.exercises.shared import agreement, marked, named_branch
from verify.model import Check, Exercise

TRIVIAL, STANDARD, COMPLEX = "ISSUE-301", "ISSUE-302", "ISSUE-303"
_FAST_WORKER = ROUTING["trivial"][0]
_TWO_FILES = '["src/health/routes.js", "test/health/routes.test.js"]'


class _Stage(NamedTuple):
    """One stage of one issue's run: the artifact that it writes, and who may write it."""

    tier: str
    source: ArtifactRef
    agents: tuple[str, ...]

    @property
    def word(self) -> str:
        """Return what the stage leaves, in a word or two: its titles have to be short."""
        return {PLAN: "plan", WORKER_RESULT: "work"}.get(self.source.name, "git result")


_TRIVIAL_WORK = ArtifactRef(WORKER_RESULT, issue=TRIVIAL)
_TRIVIAL_GIT = ArtifactRef(GIT_RESULT, issue=TRIVIAL)
_STANDARD_PLAN = ArtifactRef(PLAN, issue=STANDARD)
_STANDARD_WORK = ArtifactRef(WORKER_RESULT, issue=STANDARD)
_STANDARD_GIT = ArtifactRef(GIT_RESULT, issue=STANDARD)
_COMPLEX_PLAN = ArtifactRef(PLAN, issue=COMPLEX)
_COMPLEX_WORK = ArtifactRef(WORKER_RESULT, issue=COMPLEX)
_COMPLEX_GIT = ArtifactRef(GIT_RESULT, issue=COMPLEX)

_STAGES = (
    # a trivial task needs no plan: its first artifact is the fast worker's
    _Stage("trivial", _TRIVIAL_WORK, (_FAST_WORKER,)),
    _Stage("trivial", _TRIVIAL_GIT, ("x-git",)),
    _Stage("standard", _STANDARD_PLAN, ("x-planner", "x-subplanner")),
    _Stage("standard", _STANDARD_WORK, ("x-worker",)),
    _Stage("standard", _STANDARD_GIT, ("x-git",)),
    _Stage("complex", _COMPLEX_PLAN, ("x-subplanner",)),
    _Stage("complex", _COMPLEX_WORK, ("x-worker",)),
    _Stage("complex", _COMPLEX_GIT, ("x-git",)),
)
# beyond who does the work: issue by issue, the worker kept to the plan and the branch is found
_ADVICE = (
    named_branch("E02.17", _TRIVIAL_GIT, "E02.3"),
    agreement("E02.18", _STANDARD_WORK, _STANDARD_PLAN, ("E02.7", "E02.5"), points=0),
    named_branch("E02.19", _STANDARD_GIT, "E02.9"),
    agreement("E02.20", _COMPLEX_WORK, _COMPLEX_PLAN, ("E02.13", "E02.11"), points=0),
    named_branch("E02.21", _COMPLEX_GIT, "E02.15"),
)


def _example(stage: _Stage) -> str:
    """Return the example of the stage's artifact as its agent would write it."""
    text, agent = EXAMPLES[stage.source.name], stage.agents[0]
    if stage.tier == "trivial":
        text = text.replace(_TWO_FILES, '["README.md"]').replace(
            "Adds the health endpoint, with its tests", "Corrects a word of the README"
        )
    return text.replace('"x-worker"', f'"{agent}"')


def _sound(code: str, stage: _Stage) -> Check:
    source, tier = stage.source, stage.tier
    run, state = validity.is_sound(source), "valid"
    if source.name == WORKER_RESULT:  # only completed work moves the pipeline on
        run, state = validity.all_of(source, run, results.is_completed(source)), "completed"
    return Check(
        code=code,
        title=f"{source.issue} ({tier}): {stage.word} is {state}",
        run=run,
        hint="Have the stage of that issue write its file, or fix each place listed.",
        look_at="The folder of the issue in the sandbox, and each place of the failure.",
        why="A run is complete when each stage of its tier left its artifact.",
        example=_example(stage),
    )


def _checks(number: int, stage: _Stage) -> tuple[Check, Check]:
    """Return two checks of one stage's artifact: it is sound, and its agent is the tier's."""
    sound, by = f"E02.{number}", f"E02.{number + 1}"
    title = f"{stage.source.issue}: {stage.word} by {' or '.join(stage.agents)}"
    return (
        _sound(sound, stage),
        marked(by, stage.source, sound, *stage.agents, title=title),
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
    solution="fixtures/solutions/ISSUE-303",
    checks_page="docs/reference/checks-expert.md",
    checks=(
        *(c for number, stage in enumerate(_STAGES) for c in _checks(2 * number + 1, stage)),
        *_ADVICE,
    ),
)
