"""Checks of results: the work is done as planned, its files exist, and it was published."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pipeline.files import Unreadable
from pipeline.protocol.agreement import COMPLETED, differences, is_blank, planned
from pipeline.protocol.layout import PLAN, compared, in_target, instead, similar
from pipeline.protocol.problems import Problem
from pipeline.terminal.display import listed, named, quoted, visible
from verify.course.checks.validity import has_no_problem, passes_without_problems
from verify.grading.artifacts import actual_path, likely_path

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pipeline.schema import WorkerResult
    from verify.grading.artifacts import ArtifactRef, CheckFunction, Context
    from verify.submissions.submission import Submission

_DONE = frozenset({"done", "finished", "implemented", "ok", "success", "successful"})
_MAY_BE_EMPTY = frozenset({"__init__.py", "py.typed", ".gitkeep", ".keep"})
_MOST_READ = 64  # files that are read to see whether they are empty: each may have a MiB


@passes_without_problems
def is_completed(context: Context, source: ArtifactRef) -> Iterator[Problem]:
    """Pass if the status is `completed` and nothing blocks (specification, section 3)."""
    artifact = context.artifact(source)
    yield from (problem for problem in artifact.problems if problem.rule == "blockers")
    status: str = artifact.value["status"]
    if status != COMPLETED:
        message, action = "the work is not completed", _status_action(status)
        expected, found = quoted(COMPLETED), named(status)
        yield Problem("status", ("status",), message, expected, found, action=action)


def _status_action(status: str) -> str:
    if status.strip().lower() in _DONE or similar(status.lower(), (COMPLETED,)):
        return f"Write {quoted(COMPLETED)} if the work is done."
    return f"Resolve the blockers, and run the worker until it writes {quoted(COMPLETED)}."


def has_array_of_blockers(source: ArtifactRef) -> CheckFunction:
    """Pass if `blockers` is an array, empty in completed work (specification, section 4)."""
    return has_no_problem(source, lambda problem: problem.path[:1] in ((), ("blockers",)))


@passes_without_problems
def agrees_with_plan(
    context: Context, source: ArtifactRef, plan_source: ArtifactRef
) -> Iterator[Problem]:
    """Pass if `files_changed` are exactly the plan's `affected_files`, in any order."""
    files: list[str] = context.artifact(source).value["files_changed"]
    affected = planned(files, context.artifact(plan_source).value["affected_files"])
    if not any(differences(files, affected)):
        return
    meant, missing = compared(files, affected)
    field, message = "files_changed", "this file is not in the plan"
    for index, file in enumerate(files):
        if file in meant:
            expected, found = instead(meant[file], affected), named(file)
            action = _unplanned_action(context, file, meant[file])
            yield Problem("agreement", (field, index), message, expected, found, action=action)
    message, found = "a planned file is not in files_changed", listed(files) or "none"
    for file in affected:
        if file in missing:
            action = f"Change {named(file)} as planned, and add it to files_changed."
            yield Problem("agreement", (field,), message, named(file), found, action=action)


def _unplanned_action(context: Context, file: str, meant: str) -> str:
    """Return what to do about a path that the plan lacks, or writes differently: files show why."""
    target, is_file = context.exercise.target or ".", context.submission.is_file
    if not meant:
        return f"Undo the change to {named(file)}, or have the file added to the plan."
    is_there, is_planned_there = is_file(in_target(target, file)), is_file(in_target(target, meant))
    if is_there == is_planned_there:
        return (
            f"Find out which path is right, this one or that in {PLAN}, and correct the other one."
        )
    if is_there:
        return f"Have {PLAN} name {named(file)}: that is the name of the file."
    if meant == file.partition("/")[2]:
        return f"Remove {visible(file.partition('/')[0])}/ from the start of each path."
    return f"Write {named(meant)}."


@passes_without_problems
def has_its_files(context: Context, source: ArtifactRef) -> Iterator[Problem]:
    """Pass if every changed file is a regular file of the target project, and not empty."""
    result: WorkerResult = context.artifact(source).value
    target, submission = context.exercise.target or ".", context.submission
    folders: dict[str, dict[str, str]] = {}
    for index, file in enumerate(result["files_changed"]):
        place = in_target(target, file)
        path = actual_path(submission, place, folders)
        if not submission.is_file(path):
            prefixed = file.startswith(f"{target}/") and submission.is_file(
                actual_path(submission, file, folders)
            )
            near = likely_path(submission, place) if index < _MOST_READ else ""
            near = near.removeprefix(f"{target}/")
            action = f"Write {named(near)}." if near else ""
            if prefixed:
                rest = "from the start of each path. Paths are relative to"
                action = f"Remove {target}/ {rest} {target}."
            elif near in result["files_changed"]:
                action = f"Remove this entry for {named(file)}."
            yield _absence(index, place, near, action)
        elif index < _MOST_READ and _is_empty(submission, path):
            message, action = "this file is empty", "Write the content that the plan asks for."
            spot, wanted = ("files_changed", index), "a file with content"
            yield Problem("files", spot, message, wanted, named(file), action=action)


def _is_empty(submission: Submission, path: str) -> bool:
    """Return whether a file has nothing to see, and is not one that may be empty."""
    if path.rpartition("/")[2] in _MAY_BE_EMPTY:
        return False
    try:
        return is_blank(submission.read(path))
    except Unreadable:  # it is large, or its permissions are missing
        return False


def _absence(index: int, path: str, near: str, action: str) -> Problem:
    """Return the problem of a file that is not there; `near` is one that may be meant."""
    advice = f"Correct the path, merge the branch that has {visible(path)}, or remove the entry."
    message, found = "this file is not in the target project", named(near) if near else "no file"
    is_plain = path == path.strip()  # quotes show a blank at the end
    expected = f"a file at {visible(path, 300) if is_plain else named(path, 300)}"
    place = ("files_changed", index)
    return Problem("files", place, message, expected, found, action=action or advice)


@passes_without_problems
def names_the_issue(context: Context, source: ArtifactRef) -> Iterator[Problem]:
    """Pass if the branch's slug holds the issue's number (specification, section 2.4)."""
    branch: str = context.artifact(source).value["branch"]
    number = source.issue_in(context.exercise).rpartition("-")[2]
    if number in re.findall("[0-9]+", branch):
        return
    message, expected = "the branch does not name its issue", f"a slug that contains {number}"
    action = f"If git has this branch, add issue-{number} to its name. Then write the name in git."
    yield Problem("branch", ("branch",), message, expected, quoted(branch), action=action)


@passes_without_problems
def has_pull_request(context: Context, source: ArtifactRef) -> Iterator[Problem]:
    """Pass if the address of the pull request is given, and is one."""
    artifact = context.artifact(source)
    if "pr_url" in artifact.value:
        yield from (problem for problem in artifact.problems if problem.rule == "pr-url")
    else:
        message = "the URL of the pull request is missing"
        expected, found = "an http(s) URL", f"only {listed(artifact.value)}"
        action = "Open a pull request, and copy its URL from the browser to pr_url."
        yield Problem("pr-url", ("pr_url",), message, expected, found, action=action)
