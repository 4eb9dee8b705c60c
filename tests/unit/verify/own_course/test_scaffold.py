"""The course that is made works at once, and is made in an empty folder only."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from verify.own_course.faults import CourseFault
from verify.own_course.loading import load
from verify.own_course.scaffold import make_course

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("name", [".", "new/course"])
def test_the_course_that_is_made_is_loaded(tmp_path: Path, name: str) -> None:
    folder = tmp_path / name
    files = make_course(str(folder))

    assert files == sum(path.is_file() for path in folder.rglob("*"))
    assert [(e.name, e.title, e.points) for e in load(str(folder)).exercises["basics"]] == [
        ("basics/01", "Plan an issue", 5),
        ("basics/02", "Look back", 5),
    ]


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("full", "is not empty (expected a new folder, or an empty one)"),
        ("file/course", "no course can be made here: not a directory"),
    ],
)
def test_a_place_that_is_taken_stays_as_it_is(tmp_path: Path, name: str, what: str) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("mine")
    (tmp_path / "file").write_text("mine")

    with pytest.raises(CourseFault) as refusal:
        make_course(str(tmp_path / name))

    assert str(refusal.value) == f"{tmp_path}{os.sep}{name}: {what}"
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["file", "full", "mine.txt"]
