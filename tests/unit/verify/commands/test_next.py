"""Which exercise is next, in paths and commands that work here."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pipeline.bootstrap import ROOT, called_as
from verify.commands.next import show_next
from verify.grading.model import PASSED, Exercise, Finding, Outcome, Report, Result, Verdict, failed
from verify.learner import check

if TYPE_CHECKING:
    from collections.abc import Callable

    from verify.grading.artifacts import Context

    Rule = Callable[[Exercise], Verdict]

CRASHED = Verdict(Outcome.ERROR, (Finding("ours"),), crash="Trace")


pytestmark = pytest.mark.usefixtures("console_on_path", "in_this_process")


@pytest.fixture(autouse=True)
def _in_the_repository(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(ROOT)


@pytest.fixture
def graded_by(monkeypatch: pytest.MonkeyPatch) -> Callable[[Rule], None]:
    """Return a function that lets a rule decide the first check of each exercise."""

    def use(rule: Rule) -> None:
        def grade(context: Context, *, strict: bool) -> Report:
            results = [Result(check, PASSED) for check in context.exercise.checks]
            results[0] = Result(results[0].check, rule(context.exercise))
            return Report(context.exercise, "work", tuple(results), strict)

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
expert/02 - Run three tiers - 29 of 30 points
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
    code = show_next(project=None)

    assert (code, capsys.readouterr().out) == (0, NEXT[todo])


def test_the_course_is_done_when_all_is_passed(
    graded_by: Callable[[Rule], None], capsys: pytest.CaptureFixture[str]
) -> None:
    graded_by(lambda _: PASSED)

    assert show_next(project=None) == 0
    command = f"{called_as('verify')} pack"
    text = f"You have finished the course. To create the zip to submit: {command}\n"
    assert capsys.readouterr().out == text


def test_a_check_of_ours_that_crashes_is_not_taken_for_work_to_do(
    graded_by: Callable[[Rule], None], capsys: pytest.CaptureFixture[str]
) -> None:
    graded_by(lambda _: CRASHED)
    code = show_next(project=None)
    out, err = capsys.readouterr()

    assert (code, out) == (3, "")
    assert err.startswith(
        "verify: 1 check crashed: this is a bug, not your mistake; the details are in "
    )
