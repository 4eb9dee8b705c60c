"""Every check has its hints and, in the exercise's tutorial, one anchor."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from verify.selftest.defects import HINTS, TUTORIALS, Defect
from verify.selftest.pages import hint_defects, page_defects

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from verify.selftest.course import Course

    Toy = Callable[..., Course]

PAGE = "docs/foundation/tutorials/01-toy.md"
TABLE = "verify/selftest/examples.py"


def test_a_page_with_an_anchor_for_each_check_has_no_defect(toy: Toy) -> None:
    course = toy()

    assert list(page_defects(course, course.exercises[0])) == []


@pytest.mark.parametrize(
    ("old", "new", "what", "to_do"),
    [
        (
            '<a id="f01-2"></a>',
            "",
            "F01.2 has no anchors in its tutorial",
            'Write <a id="f01-2"></a> once, where the page explains the check.',
        ),
        (
            '<a id="f01-2"></a>',
            '<a id="f01-2"></a><a id="f01-2"></a>',
            "F01.2 has 2 anchors in its tutorial",
            'Write <a id="f01-2"></a> once, where the page explains the check.',
        ),
        (
            "# A toy",
            '# A toy\n<a id="f02-1"></a>',
            "the anchor 'f02-1' belongs to no check of foundation/01",
            "Remove it, or spell the check's code.",
        ),
    ],
    ids=["missing", "twice", "of another exercise"],
)
def test_an_anchor_that_is_wrong_is_reported(
    toy: Toy, tmp_path: Path, old: str, new: str, what: str, to_do: str
) -> None:
    course, page = toy(), tmp_path / PAGE
    page.write_text(page.read_text().replace(old, new))

    assert list(page_defects(course, course.exercises[0])) == [Defect(TUTORIALS, PAGE, what, to_do)]


def test_a_tutorial_that_is_missing_is_reported(toy: Toy, tmp_path: Path) -> None:
    course = toy()
    (tmp_path / PAGE).unlink()

    assert list(page_defects(course, course.exercises[0])) == [
        Defect(TUTORIALS, PAGE, "the tutorial of foundation/01 is missing", "Write it.")
    ]


@pytest.mark.parametrize(
    ("put", "what", "to_do"),
    [
        (os.mkfifo, "is a named pipe, not a regular file", "Write it."),
        (lambda page: page.write_bytes(b"\xff"), "is not UTF-8", "Save it as UTF-8."),
    ],
    ids=["pipe", "other encoding"],
)
def test_a_tutorial_that_cannot_be_read_is_reported(
    toy: Toy, tmp_path: Path, put: Callable[[Path], object], what: str, to_do: str
) -> None:
    course = toy()
    (tmp_path / PAGE).unlink()
    put(tmp_path / PAGE)
    (defect,) = page_defects(course, course.exercises[0])

    assert (defect.what, defect.to_do) == (f"the tutorial of foundation/01 {what}", to_do)


@pytest.mark.parametrize(
    ("field", "text", "what", "to_do"),
    [
        ("look", "", "the check has no look", "Give it `look` in its declaration."),
        ("hint", " ", "the check has no hint", "Give it `hint` in its declaration."),
        (
            "example",
            "",
            "the check shows no example",
            f"Give it `example` in its declaration, or say in {TABLE} why it has none.",
        ),
    ],
)
def test_a_hint_that_says_nothing_is_reported(
    toy: Toy, field: str, text: str, what: str, to_do: str
) -> None:
    course = toy()
    (exercise,) = course.exercises
    changes: dict[str, str] = {field: text}
    first = replace(exercise.checks[0], **changes)  # type: ignore[arg-type]  # one field, a text
    changed = replace(exercise, checks=(first, *exercise.checks[1:]))

    assert list(hint_defects(course, exercise)) == []
    assert list(hint_defects(course, changed)) == [Defect(HINTS, "F01.1", what, to_do)]


def test_a_check_of_which_the_course_says_why_needs_no_example(toy: Toy) -> None:
    course = replace(toy(), without_example={"F01.1": "There is nothing to show."})
    (exercise,) = course.exercises
    first = replace(exercise.checks[0], example="")
    changed = replace(exercise, checks=(first, *exercise.checks[1:]))

    assert list(hint_defects(course, changed)) == []


def test_a_reason_for_a_check_that_shows_an_example_or_is_none_is_reported(toy: Toy) -> None:
    reasons = dict.fromkeys(("F01.1", "F01.9", "F02.1"), "There is nothing to show.")
    course = replace(toy(), without_example=reasons)

    assert list(hint_defects(course, course.exercises[0])) == [
        Defect(
            HINTS,
            code,
            f"{TABLE} says why {code} shows no example, and it {what}",
            f"Take it out of {TABLE}.",
        )
        for code, what in (("F01.1", "shows one"), ("F01.9", "is no check of foundation/01"))
    ]
