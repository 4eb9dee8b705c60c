"""A file that belongs to no exercise is stray, and one that an exercise needs is missed."""

from __future__ import annotations

import shutil
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from verify.selftest.defects import FILES, Defect
from verify.selftest.tree import tree_defects

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from verify.selftest.course import Course

    Toy = Callable[..., Course]

FOLDER = "fixtures/submissions/foundation/01-toy"
NAMES = "stray: not solved, solved-…, unsolved or broken-…, in lower case"
BESIDE = "stray: not a tutorial, README.md, index.md, outputs, verify.py"
KEEP = "Remove it, or declare what it is for."


@pytest.mark.parametrize(
    ("path", "where", "what"),
    [
        (f"{FOLDER}/notes.txt", "", "stray: not a submission or its expectation"),
        (f"{FOLDER}/gone.expected.json", "", "stray: not a submission or its expectation"),
        (
            "fixtures/submissions/foundation/09-old/README.md",
            "fixtures/submissions/foundation/09-old",
            "stray: not fixtures of an exercise",
        ),
        ("fixtures/submissions/notes.md", "", "stray: not fixtures of an exercise"),
        (
            "fixtures/submissions/beginner/01-toy/a",
            "fixtures/submissions/beginner",
            "stray: not fixtures of an exercise",
        ),
        ("docs/foundation/tutorials/01-old.md", "", BESIDE),
        (
            "sandbox/issues/ISSUE-8.md",
            "",
            "stray: not the text of an issue that an exercise is about",
        ),
    ],
)
def test_a_stray_file_is_reported(
    toy: Toy, tmp_path: Path, path: str, where: str, what: str
) -> None:
    course, file = toy(), tmp_path / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("x")

    assert tree_defects(course) == [Defect(FILES, where or path, what, KEEP)]


@pytest.mark.parametrize("name", ["attempt", "Broken-Case", "solved2"])
def test_a_submission_of_an_unusual_name_is_reported(toy: Toy, tmp_path: Path, name: str) -> None:
    course, folder = toy(), tmp_path / FOLDER
    shutil.copytree(folder / "solved", folder / name)
    (folder / f"{name}.expected.json").write_text("{}")

    assert tree_defects(course) == [Defect(FILES, f"{FOLDER}/{name}", NAMES, KEEP)]


@pytest.mark.parametrize(
    ("path", "what"),
    [
        (f"{FOLDER}/solved", "missing: the exercise has no submission solved"),
        (f"{FOLDER}/unsolved", "missing: the exercise has no submission unsolved"),
        ("sandbox/issues/ISSUE-7.md", "missing: an exercise is about this issue"),
    ],
)
def test_what_is_missing_is_reported(toy: Toy, tmp_path: Path, path: str, what: str) -> None:
    course, gone = toy(), tmp_path / path
    if gone.is_dir():
        shutil.rmtree(gone)
        (tmp_path / f"{path}.expected.json").unlink()
    else:
        gone.unlink()

    assert tree_defects(course) == [Defect(FILES, path, what, "Add it.")]


def test_an_exercise_without_fixtures_is_reported(toy: Toy, tmp_path: Path) -> None:
    course = toy()
    shutil.rmtree(tmp_path / FOLDER)
    (tmp_path / "fixtures/submissions/foundation/README.md").write_text("x")

    assert [(d.where, d.what) for d in tree_defects(course)] == [
        ("fixtures/submissions/foundation/README.md", "stray: not fixtures of an exercise"),
        (FOLDER, "missing: the exercise has no fixtures"),
    ]


def test_an_empty_folder_is_reported(toy: Toy, tmp_path: Path) -> None:
    course = toy()
    (tmp_path / FOLDER / "solved" / "empty").mkdir()
    what = "the folder is empty: git does not keep it"

    assert tree_defects(course) == [
        Defect(FILES, f"{FOLDER}/solved/empty", what, "Put a file into it, or remove it.")
    ]


def test_what_may_be_there_is_no_defect(toy: Toy, tmp_path: Path) -> None:
    course = replace(toy(), practice_issues=frozenset({"ISSUE-8", "ISSUE-9"}))
    for path in (
        "docs/foundation/tutorials/README.md",
        "docs/foundation/tutorials/outputs/mine.json",
        "docs/foundation/tutorials/__pycache__/a.pyc",
        "docs/foundation/tutorials/.DS_Store",
        "sandbox/issues/ISSUE-8.md",
    ):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text("x")

    assert tree_defects(course) == []
