"""A course of one exercise in a folder of its own, sound until a test changes a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

EXERCISE = """\
from verify.course.checks.validity import follows_schema, is_json, is_there
from verify.grading.model import Check, Exercise
from verify.course.own_course.artifacts import own_artifact

NOTE = own_artifact("note.json", beside=__file__)


def check(number, run, *requires):
    return Check(code=f"W01.{number}", title="-", run=run, look_at="-", hint="-", requires=requires)


EXERCISE = Exercise(
    level="week-1",
    number=1,
    slug="take-a-note",
    title="Take a note",
    issue="ISSUE-7",
    artifacts=(NOTE,),
    checks=(
        check(1, is_there(NOTE)),
        check(2, is_json(NOTE), "W01.1"),
        check(3, follows_schema(NOTE), "W01.2"),
    ),
)
"""
SCHEMA = """\
{
  "type": "object",
  "required": ["text"],
  "properties": {"text": {"type": "string"}}
}
"""
ISSUE = "# ISSUE-7: Notes\n\n## Acceptance criteria\n\n- AC1_note: it is there.\n"
FILES = {
    "exercises/week-1/ex01_take_a_note.py": EXERCISE,
    "artifacts/note.schema.json": SCHEMA,
    "issues/ISSUE-7.md": ISSUE,
}


@pytest.fixture
def course(tmp_path: Path) -> Callable[..., Path]:
    """Return a builder of the course: `files` are put over those of a sound one, None is left out.

    `changed` replaces a text in the exercise.
    """

    def build(
        files: dict[str, str | None] | None = None, changed: tuple[str, str] = ("", "")
    ) -> Path:
        root = tmp_path / "course"
        exercise = EXERCISE.replace(*changed) if changed[0] else EXERCISE
        sound: dict[str, Any] = {**FILES, "exercises/week-1/ex01_take_a_note.py": exercise}
        for name, text in {**sound, **(files or {})}.items():
            if text is not None:
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text, encoding="utf-8")
        return root

    return build


@pytest.fixture
def another_exercise() -> Callable[[str, int], str]:
    """Return a builder of the text of another exercise: its level and number are given."""

    def text(level: str, number: int) -> str:
        moved = EXERCISE.replace('level="week-1"', f'level="{level}"')
        code = f"{level[0].upper()}{number:02}"
        return moved.replace("number=1", f"number={number}").replace("W01", code)

    return text
