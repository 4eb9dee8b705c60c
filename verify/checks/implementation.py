"""Checks of a worker's result: done, in agreement with its plan, its files there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.display import listed, named, quoted
from pipeline.layout import in_target
from pipeline.names import Known
from pipeline.problems import Problem
from pipeline.reading import Unreadable
from pipeline.schema import COMPLETED
from verify.checks.validity import has_no_problem
from verify.naming import stands_at
from verify.verdicts import PASSED, Verdict

if TYPE_CHECKING:
    from pipeline.schema import Plan, WorkerResult
    from verify.attempt import Attempt, CheckFunction, Source
    from verify.submission import Submission

_MAY_BE_EMPTY = frozenset({"__init__.py", "py.typed", ".gitkeep", ".keep"})
_MOST_READ = 64  # files that are read to see whether they are empty: each may have a MiB


def is_completed(source: Source) -> CheckFunction:
    """Pass where the status is `completed` and nothing blocks (specification, section 3)."""

    def check(attempt: Attempt) -> Verdict:
        artifact = attempt.artifact(source)
        result: WorkerResult = artifact.value
        problems = [p for p in artifact.problems if p.rule == "blockers"]
        if result["status"] != COMPLETED:
            problems.append(
                Problem(
                    "status",
                    ("status",),
                    "the work is not completed",
                    quoted(COMPLETED),
                    named(result["status"]),
                )
            )
        return artifact.failed_at(problems)

    return check


def has_array_of_blockers(source: Source) -> CheckFunction:
    """Pass where `blockers` is an array, empty once completed (specification, section 4)."""
    return has_no_problem(source, lambda problem: problem.path[:1] in ((), ("blockers",)))


def agrees_with_plan(source: Source, plan_source: Source) -> CheckFunction:
    """Pass where `files_changed` are exactly the plan's `affected_files`, in any order."""

    def check(attempt: Attempt) -> Verdict:
        artifact = attempt.artifact(source)
        result: WorkerResult = artifact.value
        plan: Plan = attempt.artifact(plan_source).value
        if set(plan["affected_files"]) == set(result["files_changed"]):
            return PASSED
        planned, changed = Known(plan["affected_files"]), Known(result["files_changed"])
        found = listed(result["files_changed"]) or "none"
        problems = [
            Problem(
                "agreement",
                ("files_changed", index),
                "this file was changed but not planned",
                planned.instead_of(file),
                named(file),
            )
            for index, file in enumerate(result["files_changed"])
            if file not in planned
        ]
        problems += [
            Problem(
                "agreement",
                ("files_changed",),
                "a planned file is not among the changed ones",
                named(file),
                found,
            )
            for file in plan["affected_files"]
            if file not in changed
        ]
        return artifact.failed_at(problems)

    return check


def has_its_files(source: Source) -> CheckFunction:
    """Pass where every changed file is a regular file of the target project, and not empty."""

    def check(attempt: Attempt) -> Verdict:
        artifact = attempt.artifact(source)
        result: WorkerResult = artifact.value
        target, files = attempt.exercise.target or ".", _Files(attempt.submission)
        faults: list[Problem] = []
        steps: list[str] = []
        for index, file in enumerate(result["files_changed"]):
            if not files.has(place := in_target(target, file)):
                faults.append(_absence(index, file, target))
                steps.append(_step(file, target) if files.has(file) else "")
            elif files.is_empty(place):
                faults.append(_emptiness(index, file))
                steps.append("Write what its step in the plan asks for.")
        if not faults:
            return PASSED
        verdict = artifact.failed_at(faults)
        findings = zip(verdict.findings, steps, strict=False)  # the first few are kept
        return verdict._replace(findings=tuple(f._replace(action=s) for f, s in findings))

    return check


class _Files:
    """The files of a submission as a worker's result names them."""

    def __init__(self, submission: Submission) -> None:
        self._submission = submission
        self._seen: dict[str, dict[str, str]] = {}
        self._left = _MOST_READ

    def has(self, path: str) -> bool:
        """Return whether there is a regular file at a path, in whatever form its name is."""
        return self._submission.is_file(self._place(path))

    def is_empty(self, path: str) -> bool:
        """Return whether a file has white space at most and no name of one that may be empty."""
        self._left -= 1
        if self._left < 0 or path.rpartition("/")[2] in _MAY_BE_EMPTY:
            return False
        try:
            return not self._submission.read(self._place(path)).strip()
        except Unreadable:  # it is large, or its permissions are missing
            return False

    def _place(self, path: str) -> str:
        return stands_at(self._submission, path, self._seen)


def _absence(index: int, file: str, target: str) -> Problem:
    return Problem(
        "files",
        ("files_changed", index),
        "this file is not in the target project",
        f"a file at {in_target(target, file)}",
        "none (a link does not count)",
    )


def _emptiness(index: int, file: str) -> Problem:
    return Problem(
        "files", ("files_changed", index), "this file is empty", "its content", named(file)
    )


def _step(file: str, target: str) -> str:
    """Return what to do about a path that begins at the root instead of at the target project."""
    inside = file.removeprefix(f"{target}/")
    if inside == file:
        return ""
    return f"Write {inside}: paths begin inside {target}, the target project."
