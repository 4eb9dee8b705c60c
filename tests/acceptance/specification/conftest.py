"""Grades solved submissions that were changed in one thing, through the commands."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Mapping

    Run = Callable[..., subprocess.CompletedProcess[str]]
    PathOf = Callable[[str], str]
    Grade = Callable[..., dict[str, str]]
    Change = Mapping[str, Any] | Callable[[Any], Any]

FOLDERS = {
    "foundation/01": "01-plan",
    "foundation/02": "02-implement",
    "foundation/03": "03-publish",
    "foundation/04": "04-trace",
    "practitioner/01": "01-setup",
    "practitioner/02": "02-delegate",
    "practitioner/04": "04-trace",
    "expert/01": "01-classify",
    "expert/02": "02-tiers",
}


@pytest.fixture
def solved(fixture: PathOf, tmp_path: Path) -> Callable[[str], Path]:
    """Return a function that copies the solved submission of an exercise."""

    def copied(exercise: str) -> Path:
        level = exercise.partition("/")[0]
        submission = fixture(f"{level}/{FOLDERS[exercise]}/solved")
        return Path(shutil.copytree(submission, tmp_path / "submission", dirs_exist_ok=True))

    return copied


@pytest.fixture
def grade(run: Run, script: PathOf) -> Grade:
    """Return a function that verifies an exercise and returns the outcomes of its checks.

    Those of advisory checks only if `--strict` is among the words.
    """

    def graded(exercise: str, project: Path, *words: str) -> dict[str, str]:
        level, _, number = exercise.partition("/")
        report = ["--exercise", number, "--project", str(project), "--format", "json", *words]
        done = run(script(level), *report)
        (result,) = json.loads(done.stdout)["exercises"]
        assert done.returncode == (0 if result["passed"] else 1)
        return {
            check["code"]: check["outcome"]
            for check in result["checks"]
            if not check["advisory"] or "--strict" in words
        }

    return graded


@pytest.fixture
def failed(grade: Grade) -> Callable[[str, Path], list[str]]:
    """Return a function that verifies an exercise and returns the codes of what failed."""

    def failures(exercise: str, project: Path) -> list[str]:
        outcomes = grade(exercise, project)
        return [code for code, outcome in outcomes.items() if outcome == "fail"]

    return failures


@pytest.fixture
def failed_after(
    solved: Callable[[str], Path], failed: Callable[[str, Path], list[str]]
) -> Callable[[str, str, Change], list[str]]:
    """Return a function that changes one artifact of a solved submission and says what fails.

    A change is a function of the artifact's value, or the fields to put into it, where the field
    `...` is taken out; bytes replace the file as they are.
    """

    def failures(exercise: str, file: str, change: Change) -> list[str]:
        project = solved(exercise)
        value = json.loads((project / file).read_text(encoding="utf-8"))
        value = change(value) if callable(change) else _merged(value, change)
        data = value if isinstance(value, bytes) else json.dumps(value).encode()
        (project / file).write_bytes(data)
        return failed(exercise, project)

    return failures


def _merged(value: dict[str, Any], fields: Mapping[str, Any]) -> dict[str, Any]:
    return {key: each for key, each in {**value, **fields}.items() if each is not ...}
