"""Every check has its hints and one anchor in the tutorial; no file is stray and none missing."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from verify.selftest.course import FILES, HINTS, TUTORIALS, Defect
from verify.selftest.pages import hint_defects, page_defects, tree_defects

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from verify.selftest.course import Course

    Toy = Callable[..., Course]

PAGE = "docs/foundation/tutorials/01-toy.md"
TABLE = "verify/selftest/shipped.py"
FOLDER = "fixtures/submissions/foundation/01-toy"
ISSUE = "sandbox/issues/ISSUE-7.md"
ANCHOR = '<a id="f01-2"></a>'
KINDS = "stray: not solved, solved-…, unsolved or broken-…, in lower case"
BESIDE = "stray: not a tutorial, README.md, index.md, outputs, verify.py"


def test_an_anchor_that_is_wrong_is_reported(toy: Toy, tmp_path: Path) -> None:
    course, page = toy(), tmp_path / PAGE
    wrong = ANCHOR.replace("2", "3") + '<a id="f02-1">'
    page.write_text(page.read_text().replace(ANCHOR, wrong))
    write = 'Write <a id="{}"></a> once, where the page explains the check.'
    other = "the anchor 'f02-1' belongs to no check of foundation/01"

    assert list(page_defects(course, course.exercises[0])) == [
        Defect(TUTORIALS, PAGE, "F01.2 has no anchors in its tutorial", write.format("f01-2")),
        Defect(TUTORIALS, PAGE, "F01.3 has 2 anchors in its tutorial", write.format("f01-3")),
        Defect(TUTORIALS, PAGE, other, "Remove it, or spell the check's code."),
    ]


@pytest.mark.parametrize(
    ("put", "what", "to_do"),
    [
        (lambda _: None, "is missing", "Write it."),
        (os.mkfifo, "is a named pipe, not a regular file", "Write it."),
        (lambda page: page.write_bytes(b"\xff"), "is not UTF-8", "Save it as UTF-8."),
    ],
    ids=["missing", "pipe", "other encoding"],
)
def test_a_tutorial_that_cannot_be_read_is_reported(
    toy: Toy, tmp_path: Path, put: Callable[[Path], object], what: str, to_do: str
) -> None:
    course = toy()
    (tmp_path / PAGE).unlink()
    put(tmp_path / PAGE)
    told = f"the tutorial of foundation/01 {what}"

    assert list(page_defects(course, course.exercises[0])) == [Defect(TUTORIALS, PAGE, told, to_do)]


def test_a_hint_that_says_nothing_is_reported(toy: Toy) -> None:
    course = toy()
    (exercise,) = course.exercises
    first = replace(exercise.checks[0], look="", hint=" ", example="")
    changed = replace(exercise, checks=(first, *exercise.checks[1:]))
    defects = [
        ("the check has no look", "Give it `look` in its declaration."),
        ("the check has no hint", "Give it `hint` in its declaration."),
        (
            "the check shows no example",
            f"Give it `example` in its declaration, or say in {TABLE} why it has none.",
        ),
    ]
    excused = replace(course, without_example={"F01.1": "There is nothing to show."})

    assert list(hint_defects(course, exercise)) == []
    assert list(hint_defects(course, changed)) == [Defect(HINTS, "F01.1", *d) for d in defects]
    assert len(list(hint_defects(excused, changed))) == 2


def test_a_reason_for_a_check_that_shows_an_example_or_is_none_is_reported(toy: Toy) -> None:
    reasons = dict.fromkeys(("F01.1", "F01.9", "F02.1"), "There is nothing to show.")
    course = replace(toy(), without_example=reasons)

    assert [(d.where, d.what) for d in hint_defects(course, course.exercises[0])] == [
        (code, f"{TABLE} says why {code} shows no example, and it {what}")
        for code, what in (("F01.1", "shows one"), ("F01.9", "is no check of foundation/01"))
    ]


def test_a_stray_file_is_reported(toy: Toy, tmp_path: Path) -> None:
    course = toy()
    strays = {
        "fixtures/submissions/beginner/01-toy/a": "fixtures of an exercise",
        "fixtures/submissions/notes.md": "fixtures of an exercise",
        "fixtures/submissions/foundation/09-old/README.md": "fixtures of an exercise",
        f"{FOLDER}/gone.expected.json": "a submission or its expectation",
        f"{FOLDER}/notes.txt": "a submission or its expectation",
        "docs/foundation/tutorials/01-old.md": BESIDE.removeprefix("stray: not "),
        "sandbox/issues/ISSUE-8.md": "the text of an issue that an exercise is about",
    }
    for path in strays:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("x")
    places = {
        "fixtures/submissions/beginner/01-toy/a": "fixtures/submissions/beginner",
        "fixtures/submissions/foundation/09-old/README.md": (
            "fixtures/submissions/foundation/09-old"
        ),
    }
    to_do = "Remove it, or declare what it is for."
    expected = [
        Defect(FILES, places.get(path, path), f"stray: not {what}", to_do)
        for path, what in strays.items()
    ]

    assert sorted(tree_defects(course)) == sorted(expected)


def test_a_submission_of_an_unusual_name_and_an_empty_folder_are_reported(
    toy: Toy, tmp_path: Path
) -> None:
    course, folder = toy(), tmp_path / FOLDER
    for name in ("Broken-Case", "attempt", "solved2"):
        shutil.copytree(folder / "solved", folder / name)
        (folder / f"{name}.expected.json").write_text("{}")
    (folder / "solved/empty").mkdir()

    assert [(d.where, d.what) for d in tree_defects(course)] == [
        *((f"{FOLDER}/{name}", KINDS) for name in ("Broken-Case", "attempt", "solved2")),
        (f"{FOLDER}/solved/empty", "the folder is empty: git does not keep it"),
    ]


def test_what_is_missing_is_reported(toy: Toy, tmp_path: Path) -> None:
    course = toy()
    for name in ("solved", "unsolved"):
        shutil.rmtree(tmp_path / FOLDER / name)
        (tmp_path / FOLDER / f"{name}.expected.json").unlink()
    (tmp_path / ISSUE).unlink()
    some = tree_defects(course)
    shutil.rmtree(tmp_path / FOLDER)
    (tmp_path / "fixtures/submissions/foundation/README.md").write_text("x")

    exercise = "missing: the exercise has no submission"

    assert some == [
        Defect(FILES, f"{FOLDER}/solved", f"{exercise} solved", "Add it."),
        Defect(FILES, f"{FOLDER}/unsolved", f"{exercise} unsolved", "Add it."),
        Defect(FILES, ISSUE, "missing: an exercise is about this issue", "Add it."),
    ]
    assert (FOLDER, "missing: the exercise has no fixtures") in [
        (d.where, d.what) for d in tree_defects(course)
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
