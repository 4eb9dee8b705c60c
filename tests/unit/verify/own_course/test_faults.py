"""What is wrong with a course is one line: the file, the line, and what it is."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from verify.own_course.faults import fault_at, fault_of_code

if TYPE_CHECKING:
    from pathlib import Path


def raised_by(path: Path, text: str) -> BaseException:
    """Return what a file raises when it is run."""
    path.write_text(text, "utf-8")
    with pytest.raises(BaseException, match=r"(?s).*") as raised:
        exec(compile(text, path, "exec"), {})  # noqa: S102  # a file of the test's own
    return raised.value


def test_a_fault_has_its_place_and_hostile_names_are_shown_as_data() -> None:
    assert str(fault_at("course/a.py", "is empty")) == "course/a.py: is empty"
    assert str(fault_at("course/a\n.py", "is empty", 7)) == "course/a\\u{a}.py:7: is empty"


def test_an_exception_that_says_nothing_and_came_from_elsewhere_names_the_file(
    tmp_path: Path,
) -> None:
    root = os.path.join(tmp_path, "course")
    path = os.path.join(root, "ex01_a.py")
    beside = raised_by(tmp_path / "course-2.py", "raise KeyError(7)\n")
    errors = [SystemExit(), ValueError("no\n  way"), beside]

    assert [str(fault_of_code(error, root, path)) for error in errors] == [
        f"{path}: SystemExit",
        f"{path}: ValueError: no way",
        f"{path}: KeyError: 7",
    ]
