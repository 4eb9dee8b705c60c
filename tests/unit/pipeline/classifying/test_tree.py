"""The target project is looked into, and nothing outside of it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from pipeline.classifying.tree import exists, files_with

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("name", "there"),
    [("src/a.py", True), ("src", False), ("b.py", False), ("../a", False), ("\0", False)],
)
def test_a_named_file_is_looked_up_inside_the_project(
    tmp_path: Path, name: str, *, there: bool
) -> None:
    project = tmp_path / "project"
    (project / "src").mkdir(parents=True)
    (project / "src" / "a.py").write_text("")
    (tmp_path / "a").write_text("")

    assert exists(str(project), name) is there


def test_whole_words_are_found_in_sources_only(tmp_path: Path) -> None:
    for name in ("b.py", "a.py", "node_modules/c.js", ".git/d", "z.py"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("call(theName)")
    (tmp_path / "other.py").write_text("theNames $theName theName2 _theName")
    (tmp_path / "huge.py").write_text("theName " * 100_000)
    os.symlink(tmp_path / "a.py", tmp_path / "link.py")

    assert files_with(str(tmp_path), "theName") == ["a.py", "b.py", "z.py"]


def test_a_project_that_is_not_there_has_no_files(tmp_path: Path) -> None:
    assert files_with(str(tmp_path / "none"), "x") == []
