"""What grading again changes is told with its cause: checks, points, or other files."""

from __future__ import annotations

import json

import pytest

from verify.batch.impact import Change, Flip, Side, change_of, changed_files
from verify.gradebook.current import Current, Held
from verify.gradebook.records import Known, Record
from verify.gradebook.rules import RuleSet
from verify.gradebook.values import CheckInfo, CheckMark, ExerciseInfo

ONE, TWO = b"1" * 16, b"2" * 16


def _exercise(**points: int) -> ExerciseInfo:
    checks = tuple(
        CheckInfo(f"E04.{code[1:]}", code, worth, advisory=False, page="")
        for code, worth in points.items()
    )
    return ExerciseInfo("expert/04", "Evidence", sum(points.values()), checks)


def _known(**answers: bytes) -> Known:
    questions = json.dumps([["read", f"{name}.json"] for name in answers])
    return Known(questions, b"".join(answers.values()))


def _held(outcomes: str, score: int | None, known: Known | None = None, **points: int) -> Held:
    exercise = _exercise(**(points or {"c1": 2, "c2": 3}))
    passing = tuple(CheckMark(check, "pass", check.points) for check in exercise.checks)
    rules = RuleSet(1, "d1", exercise, passing, "p" * len(passing))
    outcome = "error" if score is None else "fail" if "f" in outcomes else "pass"
    return Held(rules, outcome, score, outcomes, known or _known(a=ONE))


def _record(outcomes: str, score: int | None, known: Known | None = None) -> Record:
    outcome = "error" if score is None else "fail" if "f" in outcomes else "pass"
    return Record(outcome, score, outcomes, *(known or _known(a=ONE)))


def _change(held: Held, record: Record, **points: int) -> Change | None:
    current = Current(1, "zoe", "2", "folder", "/srv", "zoe", (held,))
    return change_of(current, held, _exercise(**(points or {"c1": 2, "c2": 3})), record)


def test_a_check_that_passes_now_is_told_with_both_scores() -> None:
    change = _change(_held("pf", 2), _record("pp", 5))

    assert change == Change(
        *("zoe", "2", "expert/04", Side("fail", 2), Side("pass", 5)),
        (Flip("E04.2", "fail", "pass", (3, 3)),),
        (),
    )
    assert change.way == "up"


def test_a_check_that_is_new_or_no_more_is_told() -> None:
    change = _change(_held("pp", 5), _record("pp", 5), c1=2, c3=3)

    assert change is not None
    assert change.flips == (Flip("E04.3", "", "pass", (0, 3)), Flip("E04.2", "pass", "", (3, 0)))


@pytest.mark.parametrize(
    ("before", "after", "way"),
    [(2, 5, "up"), (5, 2, "down"), (None, 0, "up"), (5, 5, "level")],
)
def test_a_change_goes_up_down_or_stays_level(before: int | None, after: int, way: str) -> None:
    outcomes = "ee" if before is None else "pf"
    change = _change(_held(outcomes, before), _record("fp", after))

    assert change is not None
    assert change.way == way


def test_what_was_unresolved_and_is_graded_now_goes_up_and_names_no_checks() -> None:
    held = _held("", None)._replace(outcome="unresolved")

    assert _change(held, _record("pf", 2)) == Change(
        *("zoe", "2", "expert/04", Side("unresolved", None), Side("fail", 2), (), ())
    )


def test_files_that_answer_otherwise_are_named_once() -> None:
    before = _known(a=ONE, b=ONE, gone=ONE)
    after = _known(b=TWO, a=ONE, new=TWO)

    assert changed_files(before, _record("pp", 5, after)) == ("b.json",)
