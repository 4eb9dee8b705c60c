"""Checks that the paths of a plan begin at the root of the target project."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from pipeline.files import Unreadable
from pipeline.protocol.layout import in_target
from pipeline.protocol.problems import Problem
from pipeline.terminal.display import named
from verify.verdicts import PASSED, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable

    from pipeline.protocol.problems import Path
    from pipeline.schema import Plan
    from verify.attempt import Attempt, CheckFunction, Source

_PROJECT = "sandbox"  # the course's one project in a folder of the repository
_PREFIX = f"{_PROJECT}/"


def begin_at_target(source: Source) -> CheckFunction:
    """Pass where no path of a plan shows that it begins at another root.

    In a target project that is a folder, such a path begins with the folder's name, unless there is
    a folder of that name in it, as Django has it. In the root of the repository it leads nowhere,
    and does lead to a file in the sandbox; where the submission has no sources, nothing shows the
    mistake.
    """

    def check(attempt: Attempt) -> Verdict:
        artifact = attempt.artifact(source)
        plan: Plan = artifact.value
        files = {*plan["affected_files"], *[step["file"] for step in plan["steps"]]}
        if attempt.exercise.target in (None, "."):  # nearly all need not be asked of the disk
            files = {file for file in files if not file.startswith(_PREFIX)}
        meant = _meant_by(attempt, files)
        if not any(map(meant, sorted(files))):
            return PASSED
        problems = [
            Problem(
                "roots",
                place,
                "this path does not begin at the target project",
                named(right),
                named(file),
                action=_action(file, right),
            )
            for file, place in _places(plan).items()
            if (right := meant(file))
        ]
        return artifact.failed_at(problems)

    return check


def _action(file: str, right: str) -> str:
    if len(right) < len(file):
        prefix = file[: -len(right)]
        return f"Remove {prefix} at the beginning of each path: paths begin inside {prefix[:-1]}."
    prefix = right[: -len(file)]
    return f"Begin each path with {prefix}: the target project is the whole repository."


def _places(plan: Plan) -> dict[str, Path]:
    """Return the first place of each path of a plan."""
    places: dict[str, Path] = {}
    for index, file in enumerate(plan["affected_files"]):
        places.setdefault(file, ("affected_files", index))
    for index, step in enumerate(plan["steps"]):
        places.setdefault(step["file"], ("steps", index, "file"))
    return places


def _meant_by(attempt: Attempt, files: set[str]) -> Callable[[str], str]:
    """Return the function that corrects a planned path; it returns nothing for a right one."""
    target = attempt.exercise.target or "."
    if target != ".":
        above = f"{target}/"
        suspect = {file for file in files if file.startswith(above)}
        if not suspect or _is_folder(attempt, above + target):
            return lambda _: ""
        return lambda file: file.removeprefix(above) if file in suspect else ""
    is_file = attempt.submission.is_file

    def below(file: str) -> str:
        if file.startswith(_PREFIX):
            return ""
        inside = in_target(_PROJECT, file)
        return inside if not is_file(file) and is_file(inside) else ""

    return below


def _is_folder(attempt: Attempt, path: str) -> bool:
    with suppress(Unreadable):
        return bool(attempt.submission.names(path))
    return False
