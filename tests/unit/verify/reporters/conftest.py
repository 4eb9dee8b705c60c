"""A run with every outcome, and a view that suggests short commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from verify.grading.model import (
    PASSED,
    Check,
    Exercise,
    Finding,
    Outcome,
    Report,
    Result,
    Verdict,
    failed,
)
from verify.reporters.base import GradedRun, View

if TYPE_CHECKING:
    from collections.abc import Callable

FILE = "sandbox/.pipeline/ISSUE-7/plan.json"
SKIPPED = Verdict(Outcome.SKIP)


def _check(number: int, title: str, *, advisory: bool = False, example: str = "") -> Check:
    return Check(
        code=f"F01.{number}",
        title=title,
        run=lambda _: PASSED,
        hint=f"Fix number {number}.",
        look_at=f"Number {number}, from its first line.",
        example=example,
        points=0 if advisory else number,
    )


CHECKS = (
    _check(1, "plan.json is where the pipeline looks for it"),
    _check(
        2,
        "affected_files and steps name the same files, each of them only once",
        example='"affected_files": ["a.js"],\n"steps": [{"file": "a.js"}]',
    ),
    _check(3, "every criterion is mapped"),
    _check(4, "the branch names its issue", advisory=True),
    _check(5, "the plan was made by x-subplanner"),
)
_EXERCISE = Exercise(
    level="foundation",
    number=1,
    slug="toy",
    title="Plan a toy",
    checks_page="docs/foundation/tutorials/01-toy.md",
    target="sandbox",
    issue="ISSUE-7",
    checks=CHECKS,
)


def command(level: str, exercise: Exercise | None) -> str:
    """Return a command line in the words of the tests."""
    return f"grade {exercise.name}" if exercise else f"list {level}"


def _run(*verdicts: Verdict | Result, strict: bool = False) -> GradedRun:
    results = tuple(
        verdict if isinstance(verdict, Result) else Result(check, verdict)
        for check, verdict in zip(CHECKS, verdicts, strict=True)
    )
    return GradedRun("foundation", (Report(_EXERCISE, "work", results, strict),))


@pytest.fixture
def run_of() -> Callable[..., GradedRun]:
    """Return a builder of runs of one exercise: five verdicts, the fourth of an advisory check."""
    return _run


@pytest.fixture
def mixed_run() -> GradedRun:
    """Return a run in which every outcome occurs."""
    return _mixed()


@pytest.fixture
def strict_run() -> GradedRun:
    """Return the same run, strictly graded."""
    return _mixed(strict=True)


def _mixed(*, strict: bool = False) -> GradedRun:
    return _run(
        PASSED,
        failed(
            Finding("this file stands in no step", "a step", '"a.js"', FILE, "$.steps[0]", 4, 5),
            Finding("plan.json is a folder", file=FILE, action="Put a file there."),
        )._replace(more=3),
        Result(CHECKS[2], SKIPPED, "F01.2"),
        failed(Finding("the branch does not name its issue", "7", '"feature/x"')),
        Verdict(Outcome.ERROR, (Finding("F01.5 crashed", action="Report it."),), crash="Trace"),
        strict=strict,
    )


@pytest.fixture
def passing_run() -> GradedRun:
    """Return a run in which all checks passed."""
    return _run(*[PASSED] * 5)


@pytest.fixture
def view() -> View:
    """Return a view of 80 columns, with symbols and without colour."""
    return View(command=command)
