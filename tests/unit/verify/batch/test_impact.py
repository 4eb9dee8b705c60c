"""What grading again changes is told with its cause: checks, points, or other files."""

from __future__ import annotations

import json

import pytest

from tests.stubs.marks import mark_of
from verify.batch.impact import Change, Flip, Side, change_of, changed_files
from verify.gradebook.current import Current, Held
from verify.gradebook.records import Known
from verify.gradebook.rules import RuleSet
from verify.model import CheckInfo, ExerciseInfo

ONE, TWO = b"1" * 16, b"2" * 16


def _exercise(**points: int) -> ExerciseInfo:
    checks = tuple(
        CheckInfo(f"E04.{code[1:]}", code, worth, advisory=False, page="")
        for code, worth in points.items()
    )
    return ExerciseInfo("expert/04", "Evidence", sum(points.values()), checks)


def _known(**digests: bytes) -> Known:
    reads = json.dumps([["read", f"{name}.json"] for name in digests])
    return Known(reads, b"".join(digests.values()))


def _held(letters: str, score: int | None, known: Known | None = None, **points: int) -> Held:
    exercise = _exercise(**(points or {"c1": 2, "c2": 3}))
    passing = exercise.results()
    rules = RuleSet(1, "d1", exercise, passing, "p" * len(passing))
    outcome = "error" if score is None else "fail" if "f" in letters else "pass"
    return Held(rules, outcome, score, letters, known or _known(a=ONE))


def _change(held: Held, letters: str, score: int | None, **points: int) -> Change | None:
    exercise = _exercise(**(points or {"c1": 2, "c2": 3}))
    mark = mark_of(exercise, letters, graded=score, reads=_known(a=ONE).reads, digests=ONE)
    current = Current(1, "zoe", "2", "folder", "/srv", "zoe", (held,))
    return change_of(current, held, exercise, mark)


def test_a_check_that_passes_now_is_told_with_both_scores() -> None:
    change = _change(_held("pf", 2), "pp", 5)

    assert change == Change(
        *("zoe", "2", "expert/04", Side("fail", 2), Side("pass", 5)),
        (Flip("E04.2", "fail", "pass", (3, 3)),),
        (),
    )
    assert change.way == "up"


def test_a_check_that_is_new_or_no_more_is_told() -> None:
    change = _change(_held("pp", 5), "pp", 5, c1=2, c3=3)

    assert change is not None
    assert change.flips == (Flip("E04.3", "", "pass", (0, 3)), Flip("E04.2", "pass", "", (3, 0)))


@pytest.mark.parametrize(
    ("before", "after", "way"),
    [(2, 5, "up"), (5, 2, "down"), (None, 0, "up"), (5, 5, "level")],
)
def test_a_change_goes_up_down_or_stays_level(before: int | None, after: int, way: str) -> None:
    outcomes = "ee" if before is None else "pf"
    change = _change(_held(outcomes, before), "fp", after)

    assert change is not None
    assert change.way == way


def test_what_was_unresolved_and_is_graded_now_goes_up_and_names_no_checks() -> None:
    held = _held("", None)._replace(outcome="unresolved")

    assert _change(held, "pf", 2) == Change(
        *("zoe", "2", "expert/04", Side("unresolved", None), Side("fail", 2), (), ())
    )


def test_files_that_answer_otherwise_are_named_once() -> None:
    before = _known(a=ONE, b=ONE, gone=ONE)
    after = _known(b=TWO, a=ONE, new=TWO)

    assert changed_files(before, after) == ("b.json",)
