"""Checks of results: the work is done, as planned, its files are there; it was published."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pipeline.files import Unreadable
from pipeline.protocol.layout import in_target
from pipeline.protocol.names import Known, similar
from pipeline.protocol.problems import Problem
from pipeline.schema import COMPLETED
from pipeline.terminal.display import listed, named, quoted, visible
from verify.artifacts import actual_path
from verify.checks.validity import has_no_problem
from verify.model import PASSED, Verdict

if TYPE_CHECKING:
    from pipeline.schema import GitResult, Plan, WorkerResult
    from verify.artifacts import ArtifactRef, CheckFunction, Context
    from verify.submission import Submission

_DONE = frozenset({"done", "finished", "implemented", "ok", "success", "successful"})
_MAY_BE_EMPTY = frozenset({"__init__.py", "py.typed", ".gitkeep", ".keep"})
_SHOWN = 50  # characters of a slug
_NUMBERS = re.compile(r"[0-9]+")
_MOST_READ = 64  # files that are read to see whether they are empty: each may have a MiB


def is_completed(source: ArtifactRef) -> CheckFunction:
    """Pass where the status is `completed` and nothing blocks (specification, section 3)."""

    def check(context: Context) -> Verdict:
        artifact = context.artifact(source)
        result: WorkerResult = artifact.value
        problems = [p for p in artifact.problems if p.rule == "blockers"]
        if result["status"] != COMPLETED:
            problem = Problem(
                "status",
                ("status",),
                "the work is not completed",
                quoted(COMPLETED),
                named(result["status"]),
                action=_status_action(result["status"]),
            )
            problems.append(problem)
        return artifact.failed_at(problems)

    return check


def _status_action(status: str) -> str:
    if status.strip().lower() in _DONE or similar(status.lower(), (COMPLETED,)):
        return f"Write {quoted(COMPLETED)} if the work is done."
    return f"Remove what blocks the work, and run the worker until it writes {quoted(COMPLETED)}."


def has_array_of_blockers(source: ArtifactRef) -> CheckFunction:
    """Pass where `blockers` is an array, empty once completed (specification, section 4)."""
    return has_no_problem(source, lambda problem: problem.path[:1] in ((), ("blockers",)))


def agrees_with_plan(source: ArtifactRef, plan_source: ArtifactRef) -> CheckFunction:
    """Pass where `files_changed` are exactly the plan's `affected_files`, in any order."""

    def check(context: Context) -> Verdict:
        artifact = context.artifact(source)
        result: WorkerResult = artifact.value
        plan: Plan = context.artifact(plan_source).value
        if set(plan["affected_files"]) == set(result["files_changed"]):
            return PASSED
        planned, changed = Known(plan["affected_files"]), Known(result["files_changed"])
        found = listed(result["files_changed"]) or "none"
        left = Known([file for file in plan["affected_files"] if file not in changed])
        meant = {file: left.near(file) for file in result["files_changed"] if file not in planned}
        problems = [
            Problem(
                "agreement",
                ("files_changed", index),
                "this file is not in the plan",
                named(meant[file]) if meant[file] else planned.instead_of(file),
                named(file),
                action=_unplanned_action(file, meant[file]),
            )
            for index, file in enumerate(result["files_changed"])
            if file in meant
        ]
        reported = set(meant.values())  # one mistake is one problem
        problems += [
            Problem(
                "agreement",
                ("files_changed",),
                "a planned file is not in files_changed",
                named(file),
                found,
                action=f"Change {named(file)} as planned, and add it to files_changed.",
            )
            for file in plan["affected_files"]
            if file not in changed and file not in reported
        ]
        return artifact.failed_at(problems)

    return check


def _unplanned_action(file: str, meant: str) -> str:
    if meant and meant == file.partition("/")[2]:
        return f"Remove {visible(file.partition('/')[0])}/ at the beginning of each path."
    if meant:
        return f"Write {named(meant)}."
    return f"Undo the change of {named(file)}, or have it added to the plan."


def has_its_files(source: ArtifactRef) -> CheckFunction:
    """Pass where every changed file is a regular file of the target project, and not empty."""

    def check(context: Context) -> Verdict:
        artifact = context.artifact(source)
        result: WorkerResult = artifact.value
        target, submission = context.exercise.target or ".", context.submission
        folders: dict[str, dict[str, str]] = {}
        faults: list[Problem] = []
        for index, file in enumerate(result["files_changed"]):
            place = in_target(target, file)
            path = actual_path(submission, place, folders)
            if not submission.is_file(path):
                prefixed = file.startswith(f"{target}/") and submission.is_file(
                    actual_path(submission, file, folders)
                )
                faults.append(_absence(index, place, target if prefixed else ""))
            elif index < _MOST_READ and _is_empty(submission, path):
                faults.append(_emptiness(index, file))
        return artifact.failed_at(faults)

    return check


def _is_empty(submission: Submission, path: str) -> bool:
    """Return whether a file has white space at most and no name of one that may be empty."""
    if path.rpartition("/")[2] in _MAY_BE_EMPTY:
        return False
    try:
        return not submission.read(path).strip()
    except Unreadable:  # it is large, or its permissions are missing
        return False


def _absence(index: int, path: str, prefix: str) -> Problem:
    """Return the problem of a file that is not there; `prefix` is a folder too many, if any."""
    file = visible(path)
    action = f"Create {file}, merge the branch that has it, or remove it from files_changed."
    if prefix:
        action = f"Remove {prefix}/ at the beginning of each path: paths begin inside {prefix}."
    return Problem(
        "files",
        ("files_changed", index),
        "this file is not in the target project",
        f"a file at {visible(path, 300)}",
        "none (a link does not count)",
        action=action,
    )


def _emptiness(index: int, file: str) -> Problem:
    return Problem(
        "files",
        ("files_changed", index),
        "this file is empty",
        "its content",
        named(file),
        action="Write what its step in the plan asks for.",
    )


def names_the_issue(source: ArtifactRef) -> CheckFunction:
    """Pass where the branch's slug holds the issue's number (specification, section 2.4)."""

    def check(context: Context) -> Verdict:
        artifact = context.artifact(source)
        result: GitResult = artifact.value
        number = source.issue_in(context.exercise).rpartition("-")[2]
        if number in _NUMBERS.findall(result["branch"]):
            return PASSED
        slug = _NUMBERS.sub("", result["branch"].removeprefix("feature/")).strip("-_")
        slug = slug.removeprefix("issue").strip("-_")[:_SHOWN]
        right = "-".join(part for part in (f"feature/issue-{number}", slug) if part)
        problem = Problem(
            "branch",
            ("branch",),
            "the branch does not name its issue",
            f"a slug with {number} in it",
            quoted(result["branch"]),
            action=f"Rename the branch to {quoted(right)}, and write that name.",
        )
        return artifact.failed_at([problem])

    return check


def has_pull_request(source: ArtifactRef) -> CheckFunction:
    """Pass where the address of the pull request is given, and is one."""

    def check(context: Context) -> Verdict:
        artifact = context.artifact(source)
        if "pr_url" in artifact.value:
            return artifact.failed([p for p in artifact.problems if p.rule == "pr-url"])
        problem = Problem(
            "pr-url",
            ("pr_url",),
            "the address of the pull request is missing",
            "an http(s) address",
            f"only {listed(artifact.value)}",
            action='Add "pr_url": with the address of the pull request, in double quotes.',
        )
        return artifact.failed_at([problem])

    return check
