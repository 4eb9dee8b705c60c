"""A toy course of one exercise in a checkout of its own, sound until a test breaks it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from verify.course.checks import results, validity
from verify.grading.artifacts import ArtifactRef
from verify.grading.model import Check, Exercise
from verify.selftest.course import Excuse, ProvenCourse

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

RESULT = ArtifactRef("worker-result.json")
FILE = ".pipeline/ISSUE-7/worker-result.json"
SOLVED = {
    "status": "completed",
    "files_changed": ["src/app.js"],
    "blockers": [],
    "summary": "Done",
    "produced_by": "x-worker",
}
EXCUSES = (
    Excuse("foundation/01 *summary: reworded*", "No check is about it."),
    Excuse("foundation/01 *$.summary: no path*", "It is no path."),
    Excuse("foundation/01 *files_changed.*: reworded: {in *,other words}", "A toy has no plan."),
    Excuse("foundation/01 * everywhere: renamed", "A toy has no plan."),
    Excuse("foundation/01 *files_changed: one more", "A toy has no plan."),
)
ISSUE = "# ISSUE-7: Health\n\n## Acceptance criteria\n\n- AC1_status: it answers.\n"


def _check(number: int, title: str, run: Callable[..., Any], *requires: str) -> Check:
    return Check(
        code=f"F01.{number}",
        title=title,
        run=run,
        look_at="The file.",
        hint="Fix it.",
        example="{}",
        requires=requires,
    )


CHECKS = (
    _check(1, "sound", validity.is_sound(RESULT)),
    _check(2, "completed", results.is_completed(RESULT), "F01.1"),
    _check(3, "marked", validity.produced_by(RESULT, "x-worker"), "F01.1"),
)


@pytest.fixture
def weakened() -> Callable[[int, Callable[..., Any]], tuple[Check, ...]]:
    """Return the toy's checks with another function for one of them, by its number."""

    def with_function(number: int, run: Callable[..., Any]) -> tuple[Check, ...]:
        return tuple(
            replace(check, run=run) if check.code == f"F01.{number}" else check for check in CHECKS
        )

    return with_function


@pytest.fixture
def another_check() -> Callable[[Callable[..., Any]], tuple[Check, ...]]:
    """Return the toy's checks and one more, F01.4."""
    return lambda run: (*CHECKS, _check(4, "more", run))


@pytest.fixture
def toy(tmp_path: Path) -> Callable[..., ProvenCourse]:
    """Return a builder of the toy course in the folder of the test."""

    def build(
        checks: tuple[Check, ...] = CHECKS,
        *,
        excuses: tuple[Excuse, ...] = EXCUSES,
        rewritten: bool = True,
    ) -> ProvenCourse:
        exercise = Exercise(
            level="foundation",
            number=1,
            slug="toy",
            title="A toy",
            checks_page="docs/foundation/tutorials/01-toy.md",
            issue="ISSUE-7",
            profile="exercise",
            checks=checks,
            artifacts=(RESULT,),
        )
        course = ProvenCourse(
            root=str(tmp_path),
            exercises=(exercise,),
            excuses=excuses,
        )
        if rewritten:
            _write_checkout(tmp_path, exercise)
        return course

    return build


def _write_checkout(root: Path, exercise: Exercise) -> None:
    anchors = [f'<a id="{c.code.lower().replace(".", "-")}"></a>' for c in exercise.checks]
    write(root / exercise.page, "\n".join(["# A toy", *anchors]))
    write(root / "docs/foundation/tutorials/verify.py", "")
    write(root / "sandbox/issues/ISSUE-7.md", ISSUE)
    fixtures = root / "fixtures/submissions/foundation/01-toy"
    write(fixtures / "unsolved/README.md", "Nothing yet")
    expect(fixtures / "unsolved", {"F01.1": [FILE]})
    write(fixtures / "solved" / FILE, json.dumps(SOLVED, indent=2))
    expect(fixtures / "solved", {})
    write(fixtures / "broken-status" / FILE, json.dumps(SOLVED | {"status": "failed"}, indent=2))
    expect(fixtures / "broken-status", {"F01.2": [f"{FILE}:2:13 $.status"]})
    write(fixtures / "broken-marker" / FILE, json.dumps(SOLVED | {"produced_by": "me"}, indent=2))
    expect(fixtures / "broken-marker", {"F01.3": [f"{FILE}:8:18 $.produced_by"]})


def write(path: Path, text: str) -> None:
    """Write a file, its folders too."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def expect(folder: Path, fails: dict[str, list[str]]) -> None:
    """Write the expectation beside a submission."""
    text = json.dumps({"fails": fails}, indent=2) + "\n"
    write(folder.with_name(f"{folder.name}.expected.json"), text)
