"""What stands in the checkout is proven part by part; `verify self-test` proves it as a whole."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from pipeline.bootstrap import ROOT
from verify.selftest.fixtures import fixture_defects
from verify.selftest.pages import hint_defects, page_defects
from verify.selftest.real import the_course
from verify.selftest.tree import tree_defects

if TYPE_CHECKING:
    from verify.model import Exercise

COURSE = the_course()
EACH = pytest.mark.parametrize("exercise", COURSE.exercises, ids=lambda exercise: exercise.name)


@EACH
def test_submissions_are_graded_as_expected_and_every_check_is_failed_by_one(
    exercise: Exercise,
) -> None:
    assert fixture_defects(COURSE, exercise) == []


@EACH
def test_every_check_has_its_hints_and_an_example_unless_there_is_none_to_show(
    exercise: Exercise,
) -> None:
    assert list(hint_defects(COURSE, exercise)) == []


@EACH
def test_every_check_has_its_place_in_the_tutorial(exercise: Exercise) -> None:
    assert list(page_defects(COURSE, exercise)) == []


def test_no_file_is_stray_and_none_is_missing() -> None:
    assert tree_defects(COURSE) == []


@pytest.mark.skipif(not os.path.isdir(os.path.join(ROOT, ".git")), reason="no checkout of git's")
def test_no_file_of_a_fixture_is_ignored_by_git() -> None:
    ignored = subprocess.run(
        ["git", "ls-files", "--others", "--ignored", "--exclude-standard", COURSE.submissions],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )

    assert ignored.stdout == ""
