"""What a stage of a run is: its agent, its artifact, and what that has to agree with.

A new artifact, one of an earlier run, and `pipeline status` are compared in the same way.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from pipeline.protocol.agreement import is_by
from pipeline.protocol.layout import from_target
from pipeline.run import guard
from pipeline.terminal.display import named

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping
    from collections.abc import Set as AbstractSet

    from pipeline.drivers.base import Writes
    from pipeline.git import Repository
    from pipeline.run.checkpoint import Checkpoint
    from pipeline.run.context import Run, Work

AGAIN = "then run the same command again"  # ends the advice of a run that was stopped


def _nothing(_: Any) -> list[str]:
    return []


@dataclass(frozen=True, kw_only=True, slots=True)
class Stage:
    """One stage; options, events, rights, replays and `pipeline status` come from its fields."""

    name: str
    state: str  #: the stage in the words of `pipeline status` (specification, section 3)
    next_step: str  #: what happens in it
    artifact: str  #: the name of its file, empty if it has none
    role: Callable[[str], str]  #: the agent for a tier
    writes: Writes = "nothing"  #: what its agent may change
    task: str = ""  #: what its agent is asked, after the issue
    problems: Callable[[Facts, Any], list[str]] = lambda _, __: []  #: of a valid artifact
    why_not_done: Callable[[Any], list[str]] = _nothing  #: with this artifact
    stopped: Callable[[str, str], str] = lambda _, __: ""  #: says it, by the role and the path
    advice: str = ""  #: and what to do
    back_to: str = ""  #: the stage that is asked again if this one is not done
    feedback: Callable[[Any, str], str] = lambda _, __: ""  #: its order, by the artifact's path
    returns: Callable[[Run], int] = lambda _: 1  #: how often it may go back
    gives_up: Callable[[Any], bool] = lambda _: False  #: with this artifact, the agent does
    judges: bool = False  #: looks at work that is not committed yet
    prepare: Callable[[Work], None] | None = None  #: is done before the work
    said: Callable[[Any], str] = lambda _: ""  #: a line about its artifact
    obtain: Callable[[Work, Stage], Any] | None = None  #: where no agent writes the artifact


class ProjectFiles(NamedTuple):
    """Files of the target project."""

    changed: AbstractSet[str]  #: those that a report must list
    allowed: AbstractSet[str]  #: those that it may list


class Facts(NamedTuple):
    """What a valid artifact has to agree with."""

    path: str  #: of the artifact, relative to the root
    roles: tuple[str, ...]  #: that may have written it
    values: Mapping[str, Any]  #: the artifacts of the stages before, by their names
    tree: ProjectFiles | None = None  #: what the worker has changed, None where it is not known
    criteria: Collection[str] | None = None  #: the issue's labels, None if not known
    submodules: Iterable[str] = ()  #: folders of other repositories
    snapshot: str = ""  #: a digest of the work


def tree_of(
    target: str,
    last: Checkpoint | None,
    now: guard.Snapshot,
    committed: AbstractSet[str] = frozenset(),
) -> ProjectFiles:
    """Return what the worker has changed, by the `last` checkpoint of the issue, if there is one.

    `committed` are the files of the target project that the issue's branch changes. Of what the
    worker did in turns that have ended, that counts which still differs from the base.
    """
    differing = guard.project_changes(guard.NOTHING, now, target) | committed
    if last is None:
        return ProjectFiles(frozenset(), differing)
    is_open = last.stage == "implement" and not last.settled
    new = guard.project_changes(last.before, now, target) if is_open else frozenset()
    changed = new | (differing & set(last.work))
    return ProjectFiles(changed, changed | committed if is_open and last.fresh else differing | new)


def committed_files(repository: Repository, base: str, tip: str, target: str) -> frozenset[str]:
    """Return the files of the target project that a branch changes, relative to it."""
    words = ("diff", "--name-only", "-z", "--no-renames", f"{base}...{tip}", "--")
    return frozenset(from_target(target, repository.entries(*words)))


def marker(artifact: Mapping[str, Any], expected: tuple[str, ...], path: str) -> list[str]:
    """Return the problem with an artifact whose marker names none of the expected agents."""
    if is_by(artifact, expected):
        return []
    found = artifact.get("produced_by")
    names, shown = " or ".join(expected), named(found) if found else "nothing"
    return [f"{path}: $.produced_by: expected {names}, found {shown}"]


def of_this_work(facts: Facts, artifact: Mapping[str, Any]) -> list[str]:
    """Return what keeps a judgement from being one of the work as it is now."""
    problems = marker(artifact, facts.roles, facts.path)
    if artifact.get("snapshot") != facts.snapshot:
        problems.append(f"{facts.path}: $.snapshot: the work has changed since")
    return problems
