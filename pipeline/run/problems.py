"""What is wrong with a valid artifact: its marker, the issue's criteria, the plan, the work tree.

A new artifact, one of an earlier run, and `pipeline status` are compared in the same way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pipeline.protocol.agreement import (
    COMPLETED,
    WRITERS,
    differences,
    is_by,
    is_unexplained,
    planned,
    unmapped,
)
from pipeline.run import guard
from pipeline.run.artifacts import SHOWN
from pipeline.terminal.display import listed, named, quoted

if TYPE_CHECKING:
    from collections.abc import Iterable
    from collections.abc import Set as AbstractSet

    from pipeline.git import Repository
    from pipeline.run.checkpoint import Checkpoint
    from pipeline.schema import Plan, WorkerResult


class Tree(NamedTuple):
    """Files of the target project: those that a report must list, and those that it may list."""

    changed: AbstractSet[str]
    allowed: AbstractSet[str]


def tree_of(
    target: str,
    last: Checkpoint | None,
    now: guard.Snapshot,
    committed: AbstractSet[str] = frozenset(),
) -> Tree:
    """Return what the worker has changed, by the `last` checkpoint of the issue, if there is one.

    `committed` are the files of the target project that the issue's branch changes. Of what the
    worker did in turns that have ended, that counts which still differs from the base.
    """
    differing = guard.project_changes(guard.NOTHING, now, target) | committed
    if last is None:
        return Tree(frozenset(), differing)
    is_open = last.stage == "implement" and not last.settled
    new = guard.project_changes(last.before, now, target) if is_open else frozenset()
    changed = new | (differing & set(last.work))
    return Tree(changed, changed if is_open and last.fresh else differing | new)


def committed_files(repository: Repository, base: str, tip: str, target: str) -> frozenset[str]:
    """Return the files of the target project that a branch changes, relative to it."""
    words = ("diff", "--name-only", "-z", "--no-renames", f"{base}...{tip}", "--")
    prefix = "" if target == "." else f"{target}/"
    paths = repository.run(*words).split("\0")[:-1]
    return frozenset(path[len(prefix) :] for path in paths if path.startswith(prefix))


def plan_problems(
    plan: Plan, path: str, criteria: Iterable[str], submodules: Iterable[str] = ()
) -> list[str]:
    """Return what a valid plan lacks for its issue, and files that the run could not commit.

    `criteria` are the labels of the issue, `submodules` the folders of other repositories.
    """
    problems = _marker(plan, WRITERS["plan"], path)
    if missing := unmapped(criteria, plan):
        problems.append(f"{path}: $.acceptance_mapping: does not map {listed(missing)}")
    folders = tuple(f"{folder}/" for folder in submodules)
    if foreign := [file for file in plan["affected_files"] if folders and file.startswith(folders)]:
        what = "lists files of a submodule, which is a repository of its own"
        problems.append(f"{path}: $.affected_files: {what}: {listed(foreign, 8)}")
    return problems


def result_problems(
    result: WorkerResult, plan: Plan, path: str, roles: tuple[str, ...], tree: Tree | None
) -> list[str]:
    """Return where a worker's result disagrees with its role, its plan and the work tree.

    `tree` is None where there is no git repository.
    """
    problems = _marker(result, roles, path)
    if is_unexplained(result):
        expected = f'"{COMPLETED}" if the work is done, or blockers that say what stops it'
        found = f"found {named(result['status'])} and no blockers"
        return [*problems, f"{path}: $.status: expected {expected}, {found}"]
    if result["status"] != COMPLETED:
        return problems
    files = result["files_changed"]
    unplanned, undone = differences(files, planned(files, plan["affected_files"]))
    wrong = [
        (unplanned, "lists files that are not in the plan"),
        (undone, "does not list files that are in the plan"),
    ]
    if tree is not None:
        unchanged = "lists files that have not changed, or that git ignores"
        wrong.append((differences(files, tree.allowed)[0], unchanged))
        wrong.append((differences(files, tree.changed)[1], "does not list files that changed"))
    where = f"{path}: $.files_changed"
    return problems + [f"{where}: {what}: {listed(sorted(f), 8)}" for f, what in wrong if f]


def blocks(result: WorkerResult) -> list[str]:
    """Return the lines that say why a worker's result is not completed; empty if it is."""
    if result["status"] == COMPLETED:
        return []
    blockers = [quoted(blocker, 400) for blocker in result["blockers"][:SHOWN]]
    return [f"the worker's status is {named(result['status'])}", *blockers]


def _marker(artifact: Plan | WorkerResult, expected: tuple[str, ...], path: str) -> list[str]:
    if is_by(artifact, expected):
        return []
    found = artifact.get("produced_by")
    names, shown = " or ".join(expected), named(found) if found else "nothing"
    return [f"{path}: $.produced_by: expected {names}, found {shown}"]
