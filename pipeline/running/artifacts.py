"""What a stage left on disk: valid or not, and in agreement with what came before it."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from typing import TYPE_CHECKING, Any, NamedTuple

from pipeline.files import (
    MAX_BYTES,
    MISSING,
    NO_FOLLOW_FLAGS,
    Unreadable,
    read_descriptor,
    unreadable,
)
from pipeline.protocol.validate import EXERCISE, validate
from pipeline.schema import COMPLETED, kind_of
from pipeline.terminal.display import listed, named, quoted

if TYPE_CHECKING:
    from collections.abc import Collection

    from pipeline.running.assignment import Assignment
    from pipeline.schema import Plan, WorkerResult

SHOWN = 12  # problems that a prompt or a message tells of
_NUMBER = re.compile(r"AC([0-9]+)_")


class Found(NamedTuple):
    """An artifact as it was found: there or not, its value, its problems as lines."""

    exists: bool
    value: Any
    problems: tuple[str, ...]

    @property
    def is_valid(self) -> bool:
        """Whether it is there and has no problem."""
        return self.exists and not self.problems


class Tree(NamedTuple):
    """The files of the target project that a worker changed, by their paths from there.

    `changed` since the turn began, `differing` those that it may say to have changed: the same for
    a worker that began with nothing, else whatever differs from the last commit.
    """

    changed: set[str]
    differing: set[str]


def find(assignment: Assignment, name: str) -> Found:
    """Return an artifact of the issue, validated under the `exercise` profile.

    A link is not followed: what an agent leaves must be a file.
    """
    shown = assignment.path(name)
    try:
        data = _read(assignment.on_disk(name))
    except Unreadable as error:
        exists = error.reason != MISSING
        return Found(exists=exists, value=None, problems=(f"{shown}: {error}",) if exists else ())
    kind = kind_of(name)
    if kind is None:
        raise LookupError(f"{name} is no artifact")
    result = validate(data, kind, EXERCISE)
    lines = [problem.line_for(shown) for problem in result.problems]
    more = [f"and {len(lines) - SHOWN} more problems"] if len(lines) > SHOWN else []
    return Found(exists=True, value=result.value, problems=(*lines[:SHOWN], *more))


def _read(path: str) -> bytes:
    try:
        descriptor = os.open(path, NO_FOLLOW_FLAGS)
    except (OSError, ValueError) as error:
        raise unreadable(error) from None
    return read_descriptor(descriptor)


def set_aside(path: str) -> None:
    """Keep a copy of what is about to be written again, since a person may have written it.

    Raises:
        OSError: the copy cannot be written.
    """
    if os.path.isfile(path) and not os.path.islink(path):
        copy = f"{path}.invalid"
        with contextlib.suppress(FileNotFoundError):
            os.unlink(copy)  # a link there would have the copy written over another file
        if os.path.getsize(path) > MAX_BYTES:  # by no person, and it could fill the disk
            os.replace(path, copy)
        else:
            shutil.copyfile(path, copy)


def plan_problems(plan: Plan, assignment: Assignment) -> list[str]:
    """Return what a valid plan lacks for this issue: its marker, criteria of the issue."""
    path = assignment.path("plan.json")
    problems = _marker(plan.get("produced_by"), ("x-subplanner", "x-planner"), path)
    mapped = {_number(label) for label in plan.get("acceptance_mapping", ())}
    missing = [label for label, _ in assignment.criteria if _number(label) not in mapped]
    if missing:
        problems.append(f"{path}: $.acceptance_mapping: does not map {listed(missing)}")
    return problems


def result_problems(
    result: WorkerResult, plan: Plan | None, assignment: Assignment, tree: Tree | None
) -> list[str]:
    """Return where a worker's result disagrees with its role, its plan and the work tree.

    Args:
        result: a valid worker-result.json.
        plan: the plan that it is the result of, None for a trivial task.
        assignment: the issue.
        tree: what did change, None where nobody looked.
    """
    path = assignment.path("worker-result.json")
    problems = _marker(result.get("produced_by"), (assignment.role("worker"),), path)
    if result["status"] != COMPLETED:
        return problems
    said = set(result["files_changed"])
    where = f"{path}: $.files_changed"
    if plan is not None:
        planned = set(plan["affected_files"])
        problems += _difference(said - planned, where, "lists what is not in the plan")
        problems += _difference(planned - said, where, "does not list what is in the plan")
    if tree is not None:
        unchanged = "lists files that have not changed, or that git ignores"
        problems += _difference(said - tree.differing, where, unchanged)
        problems += _difference(tree.changed - said, where, "does not list files that changed")
    return problems


def blocks(result: WorkerResult) -> list[str]:
    """Return why a worker's result does not move the pipeline on, a line each; empty if it does."""
    if result["status"] == COMPLETED and not result["blockers"]:
        return []
    blockers = [quoted(blocker, 400) for blocker in result["blockers"][:SHOWN]]
    return [f"the worker's status is {named(result['status'])}", *blockers]


def _marker(found: str | None, expected: tuple[str, ...], path: str) -> list[str]:
    if found in expected:
        return []
    names = " or ".join(expected)
    return [f"{path}: $.produced_by: expected {names}, found {named(found or 'nothing')}"]


def _difference(files: Collection[str], where: str, what: str) -> list[str]:
    return [f"{where}: {what}: {listed(sorted(files), 8)}"] if files else []


def _number(label: str) -> str:
    match = _NUMBER.match(label)
    return match[1] if match else label
