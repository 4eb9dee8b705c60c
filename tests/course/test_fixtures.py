"""The fixtures are graded as expected, exercise by exercise; `verify self-test` proves the rest."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from pipeline.bootstrap import ROOT
from verify.selftest.fixtures import fixture_defects
from verify.selftest.shipped import the_course

if TYPE_CHECKING:
    from verify.grading.model import Exercise

COURSE = the_course()


@pytest.mark.spec("1.6", "1.8", "1.15", "1.17", "1.22", "2.1.1", "2.1.2", "2.1.3", "2.1.4")
@pytest.mark.spec("2.2.18", "2.2.19", "2.3.2", "2.3.4", "2.3.6", "2.3.10", "2.4.3", "2.4.9")
@pytest.mark.spec("2.4.11", "2.5.1", "2.5.2", "2.5.3", "2.5.8", "2.5.11", "2.5.21", "2.5.22")
@pytest.mark.spec("3.5", "3.7", "3.8", "4.7", "4.8", "4.14", "4.15", "4.16", "4.17", "4.19", "4.20")
@pytest.mark.spec("4.21", "4.22", "4.23", "4.24", "4.25", "4.26", "7.3", "7.4")
@pytest.mark.parametrize("exercise", COURSE.exercises, ids=lambda exercise: exercise.name)
def test_submissions_are_graded_as_expected_and_every_check_is_failed_by_one(
    exercise: Exercise,
) -> None:
    assert list(fixture_defects(COURSE, exercise)) == []


@pytest.mark.skipif(not os.path.isdir(os.path.join(ROOT, ".git")), reason="no checkout of git's")
def test_no_file_of_a_fixture_is_ignored_by_git() -> None:
    ignored = subprocess.run(
        [
            "git",
            "ls-files",
            "--others",
            "--ignored",
            "--exclude-standard",
            os.path.join(ROOT, COURSE.fixtures),
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )

    assert ignored.stdout == ""
