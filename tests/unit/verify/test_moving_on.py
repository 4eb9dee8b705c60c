"""Which exercise is next, and beginning one afresh: told in paths and commands that work here."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest

from pipeline.bootstrap import ROOT, called_as
from verify import check, moving_on
from verify.model import PASSED, Exercise, Finding, Outcome, Report, Result, Verdict, failed
from verify.progress import Line, known, note_run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from verify.artifacts import Context

    Rule = Callable[[Exercise], Verdict]

CRASHED = Verdict(Outcome.ERROR, (Finding("ours"),), crash="Trace")


pytestmark = pytest.mark.usefixtures("console_on_path")


@pytest.fixture(autouse=True)
def _in_the_repository(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(ROOT)


@pytest.fixture
def graded_by(monkeypatch: pytest.MonkeyPatch) -> Callable[[Rule], None]:
    """Return a function that lets a rule decide the first check of each exercise."""

    def use(rule: Rule) -> None:
        def grade(context: Context, *, strict: bool) -> Report:
            first, *others = context.exercise.passing
            result = Result(first.check, rule(context.exercise))
            return Report(context.exercise, "work", (result, *others), strict)

        monkeypatch.setattr(check, "grade", grade)

    return use


NEXT = {
    "foundation/03": """\
foundation/03 - Publish the work - 7 of 8 points
  task      sandbox/issues/ISSUE-101.md
  tutorial  docs/foundation/tutorials/03-publish.md
  grade     verify foundation/03
""",
    "expert/02": """\
expert/02 - Run three tiers - 15 of 16 points
  task      sandbox/issues/ISSUE-301.md
  task      sandbox/issues/ISSUE-302.md
  task      sandbox/issues/ISSUE-303.md
  tutorial  docs/expert/tutorials/02-tiers.md
  grade     verify expert/02
""",
}


@pytest.mark.parametrize("todo", NEXT)
def test_the_next_exercise_is_the_first_that_is_not_passed(
    graded_by: Callable[[Rule], None], capsys: pytest.CaptureFixture[str], todo: str
) -> None:
    names = {todo, "expert/04"}
    graded_by(lambda exercise: failed(Finding("wrong")) if exercise.name in names else PASSED)
    code = moving_on.show_next(None)

    assert (code, capsys.readouterr().out) == (0, NEXT[todo])


def test_the_course_is_done_when_all_is_passed(
    graded_by: Callable[[Rule], None], capsys: pytest.CaptureFixture[str]
) -> None:
    graded_by(lambda _: PASSED)

    assert moving_on.show_next(None) == 0
    assert (
        capsys.readouterr().out
        == f"The course is done. What to submit: {called_as('verify')} pack\n"
    )


def test_a_check_of_ours_that_crashes_is_not_taken_for_work_to_do(
    graded_by: Callable[[Rule], None], capsys: pytest.CaptureFixture[str]
) -> None:
    graded_by(lambda _: CRASHED)
    code = moving_on.show_next(None)
    out, err = capsys.readouterr()

    assert (code, out) == (3, "")
    assert err.startswith("verify: the check F01.1 crashed: this is our fault; the details are in ")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a copy of a solved exercise."""
    source = os.path.join(ROOT, "fixtures", "submissions", "foundation", "02-implement", "solved")
    return shutil.copytree(source, tmp_path / "work")


def test_with_nothing_handed_in_nothing_is_moved(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert moving_on.reset("foundation", "1", str(tmp_path)) == 0
    assert capsys.readouterr() == (
        "foundation/01: nothing is there yet, so nothing was moved.\n",
        "",
    )


@pytest.mark.parametrize(
    ("level", "number", "project_", "sentence"),
    [
        ("foundation", "9", ".", "no exercise '9' in foundation (expected one of 01 ("),
        ("foundation", "1", "/missing", "--project /missing does not exist\n"),
        ("foundation", "1", "README.md", "--project README.md is not a folder\n"),
    ],
)
def test_what_cannot_be_reset_is_refused_in_one_line(
    capsys: pytest.CaptureFixture[str], level: str, number: str, project_: str, sentence: str
) -> None:
    code = moving_on.reset(level, number, project_)
    out, err = capsys.readouterr()

    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"verify: {sentence}")


def test_only_a_reset_of_the_learners_own_work_is_noted(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    note_run("foundation/01", passed=True, score=8, points=8)
    note_run("foundation/02", passed=True, score=10, points=10)
    monkeypatch.setattr("verify.command.ROOT", str(project))  # as if it were the course
    moving_on.reset("foundation", "1", None)
    moving_on.reset("foundation", "2", str(project))
    lines = known()

    assert lines["foundation/01"] == Line(
        "foundation/01", lines["foundation/01"].passed, 8, 8, 1, lines["foundation/01"].reset
    )
    assert [bool(lines[f"foundation/0{number}"].reset) for number in (1, 2)] == [True, False]
