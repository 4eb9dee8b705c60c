"""Grading again tells what changes, what stays and why, and writes only what was graded."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, cast

import pytest

from tests.stubs.marks import mark_of
from verify.batch.cache import changed_files
from verify.batch.job import Graded
from verify.batch.regrade import Flip, GradeChange, Regrading, change_of
from verify.gradebook.records import CacheKey, Mark, Pending, ungraded
from verify.grading.model import CheckInfo, ExerciseInfo, Finding, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from verify.gradebook.reading import Submissions

CHECKS = tuple(CheckInfo(f"E04.{n}", "-", n, advisory=False, page="") for n in (1, 2))
EXERCISE = ExerciseInfo("expert/04", "Evidence", 3, CHECKS)
ASKED = CacheKey('[["read", "a.json"]]', bytes(16))
PASS = mark_of(EXERCISE, "pp", **ASKED._asdict())
FAIL = mark_of(EXERCISE, "pf", **ASKED._asdict())
ERROR = ungraded(EXERCISE, Finding("our fault"), "Traceback")
UNOPENED = Mark(
    EXERCISE, Outcome.UNRESOLVED, digests=bytes(16), reason="the submission is gone", action="Wait."
)


Regraded = tuple[Regrading, list[Graded]]


@pytest.fixture
def regraded(tmp_path: Path) -> Callable[..., Regraded]:
    """Return a function that regrades submissions: what was held of each, and what comes now."""

    def regrade(held: dict[str, Mark | None], now: dict[str, Mark | None]) -> Regraded:
        results = [
            (Pending(number, "folder", str(tmp_path), name, (), learner=name), (one,))
            for number, (name, one) in enumerate(held.items(), 1)
        ]
        regrading = Regrading(cast("Submissions", results), (EXERCISE,))
        graded = [Graded(each.id, (now[each.inner],)) for each in regrading.pending()]
        return regrading, regrading.taken(graded)

    return regrade


def test_what_is_as_before_changes_nothing_and_what_differs_is_reported_and_written(
    regraded: Callable[..., Regraded],
) -> None:
    held = {"ada": PASS, "bob": PASS, "cyd": FAIL}
    regrading, written = regraded(held, {"ada": PASS, "bob": FAIL, "cyd": None})

    assert regrading.changes == [
        GradeChange(
            *("bob", "", "expert/04", "3", "1", "down"),
            (Flip("E04.2", "pass", "fail"),),
        )
    ]
    assert (regrading.compared, regrading.kept, regrading.failed) == (3, [], [])
    assert written == [Graded(1, (PASS,)), Graded(2, (FAIL,)), Graded(3, (None,))]


def test_an_error_of_ours_takes_no_score_away(
    regraded: Callable[..., Regraded],
) -> None:
    regrading, written = regraded({"a\x1b": PASS}, {"a\x1b": ERROR})

    assert regrading.failed == ["a\\u{1b} expert/04: our fault"]
    assert (regrading.changes, regrading.compared) == ([], 1)
    assert written == [Graded(1, (None,))]


def test_a_submission_that_cannot_be_opened_any_more_keeps_what_it_had(
    regraded: Callable[..., Regraded],
) -> None:
    never = UNOPENED._replace(digests=b"x" * 16)
    regrading, written = regraded({"ada": PASS, "bob": never}, {"ada": UNOPENED, "bob": UNOPENED})

    assert regrading.kept == ["ada expert/04: the submission is gone"]
    assert (regrading.compared, regrading.changes) == (1, [])
    assert written == [Graded(1, (None,)), Graded(2, (UNOPENED,))]


ONE, TWO = b"1" * 16, b"2" * 16


def _exercise(**points: int) -> ExerciseInfo:
    checks = tuple(
        CheckInfo(f"E04.{code[1:]}", code, worth, advisory=False, page="")
        for code, worth in points.items()
    )
    return ExerciseInfo("expert/04", "Evidence", sum(points.values()), checks)


def _key(**digests: bytes) -> CacheKey:
    reads = json.dumps([["read", f"{name}.json"] for name in digests])
    return CacheKey(reads, b"".join(digests.values()))


def _change(before: Mark, letters: str, score: int | None, **points: int) -> GradeChange | None:
    exercise = _exercise(**(points or {"c1": 2, "c2": 3}))
    after = mark_of(exercise, letters, graded=score, **_key(a=ONE)._asdict())
    submission = Pending(1, "folder", "/srv", "zoe", (), learner="zoe", attempt="2")
    return change_of(submission, before, after)


def _before(letters: str, score: int | None) -> Mark:
    return mark_of(_exercise(c1=2, c2=3), letters, graded=score, **_key(a=ONE)._asdict())


def test_a_check_that_passes_now_is_reported_with_both_scores() -> None:
    change = _change(_before("pf", 2), "pp", 5)

    assert change == GradeChange(
        *("zoe", "2", "expert/04", "2", "5", "up"),
        (Flip("E04.2", "fail", "pass"),),
    )


def test_a_check_that_is_new_or_no_more_is_reported() -> None:
    change = _change(_before("pp", 5), "pp", 5, c1=2, c3=3)

    assert change is not None
    assert change.checks == (
        Flip("E04.3", "new", "pass"),
        Flip("E04.2", "pass", "removed"),
    )


@pytest.mark.parametrize(
    ("before", "after", "way"),
    [(2, 5, "up"), (5, 2, "down"), (None, 0, "up"), (5, 5, "with the same score")],
)
def test_a_change_goes_up_down_or_stays_level(before: int | None, after: int, way: str) -> None:
    outcomes = "ee" if before is None else "pf"
    change = _change(_before(outcomes, before), "fp", after)

    assert change is not None
    assert change.way == way


def test_a_check_that_is_worth_more_is_reported() -> None:
    change = _change(_before("pp", 5), "pp", 6, c1=2, c2=4)

    assert change is not None
    assert [str(flip) for flip in change.checks] == ["E04.2 worth 3 -> 4"]


def test_what_was_unresolved_and_is_graded_now_goes_up_and_names_no_checks() -> None:
    held = UNOPENED._replace(exercise=_exercise(c1=2, c2=3))

    assert _change(held, "pf", 2) == GradeChange(
        *("zoe", "2", "expert/04", "unresolved", "2", "up")
    )


def test_files_that_answer_otherwise_are_named_once() -> None:
    before = _key(a=ONE, b=ONE, gone=ONE)
    after = _key(b=TWO, a=ONE, new=TWO)

    assert changed_files(before, after) == ("b.json",)
