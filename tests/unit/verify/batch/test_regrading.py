"""Grading again tells what changes, what stays and why, and writes only what was graded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest

from tests.stubs.marks import mark_of
from verify.batch.impact import Change, Flip, Kept, Side
from verify.batch.kernel import Graded, Job
from verify.batch.limits import Limits
from verify.batch.regrading import Regrading
from verify.gradebook.current import Current, Held
from verify.gradebook.records import Known, Mark, Pending, ungraded
from verify.gradebook.rules import RuleSet
from verify.model import CheckInfo, ExerciseInfo, Finding, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from verify.gradebook.book import Book
    from verify.gradebook.current import Results

CHECKS = tuple(CheckInfo(f"E04.{n}", "-", n, advisory=False, page="") for n in (1, 2))
EXERCISE = ExerciseInfo("expert/04", "Evidence", 3, CHECKS)
RULES = RuleSet(1, "old", EXERCISE, EXERCISE.results(), "pp")
ASKED = Known('[["read", "a.json"]]', bytes(16))
PASS = mark_of(EXERCISE, "pp", **ASKED._asdict())
FAIL = mark_of(EXERCISE, "pf", **ASKED._asdict())
ERROR = ungraded(EXERCISE, Finding("our fault"), "Traceback")
UNOPENED = Mark(
    EXERCISE, Outcome.UNRESOLVED, digests=bytes(16), reason="the submission is gone", action="Wait."
)
PASSED = Held(RULES, "pass", 3, "pp", ASKED)
FAILED = Held(RULES, "fail", 1, "pf", ASKED)
JOB = Job(("expert/04",), ("new",))


class AtOnce:
    """An engine that answers every submission by its learner's name."""

    def __init__(self, answers: dict[str, Mark | None]) -> None:
        self.pending: list[Pending] = []
        self._answers = answers

    def __call__(
        self, _: object, tasks: Iterable[tuple[Pending, Any]], **__: object
    ) -> Iterator[list[tuple[Any, Graded]]]:
        for task in tasks:
            pending, _ = task
            self.pending.append(pending)
            yield [(task, Graded(pending.id, (self._answers[pending.inner],)))]


class Written:
    """A book that keeps what is recorded."""

    def __init__(self) -> None:
        self.marks: list[Graded] = []

    def record(self, graded: Sequence[Graded]) -> None:
        self.marks += graded


@pytest.fixture
def regraded(tmp_path: Path) -> Callable[..., tuple[Regrading, AtOnce, list[Graded]]]:
    """Return a function that regrades submissions: what was held of each, and what comes now."""

    def regrade(
        held: dict[str, Held | None], now: dict[str, Mark | None], job: Job = JOB
    ) -> tuple[Regrading, AtOnce, list[Graded]]:
        results = [
            Current(number, name, "", "folder", str(tmp_path), name, (one,))
            for number, (name, one) in enumerate(held.items(), 1)
        ]
        written = Written()
        engine = AtOnce(now)
        regrading = Regrading(
            cast("Results", results), job, (EXERCISE,), book=cast("Book", written)
        )
        regrading.run(cast("Any", engine), Limits(), stopping=lambda: False)
        return regrading, engine, written.marks

    return regrade


def test_what_is_as_before_changes_nothing_and_what_differs_is_told_and_written(
    regraded: Callable[..., tuple[Regrading, AtOnce, list[Graded]]],
) -> None:
    held = {"ada": PASSED, "bob": PASSED, "cyd": FAILED}
    regrading, _, written = regraded(held, {"ada": PASS, "bob": FAIL, "cyd": None})

    assert regrading.changes == [
        Change(
            *("bob", "", "expert/04", Side("pass", 3), Side("fail", 1)),
            (Flip("E04.2", "pass", "fail", (2, 2)),),
            (),
        )
    ]
    assert (regrading.compared, regrading.kept, regrading.failed) == (3, [], [])
    assert written == [Graded(1, (PASS,)), Graded(2, (FAIL,)), Graded(3, (None,))]


def test_an_error_of_ours_takes_no_score_away(
    regraded: Callable[..., tuple[Regrading, AtOnce, list[Graded]]],
) -> None:
    regrading, _, written = regraded({"ada": PASSED}, {"ada": ERROR})

    assert regrading.failed == [Kept("ada", "", "expert/04", "our fault")]
    assert (regrading.crashes, regrading.changes, regrading.compared) == (["Traceback"], [], 1)
    assert written == [Graded(1, (None,))]


def test_a_submission_that_cannot_be_opened_any_more_keeps_what_it_had(
    regraded: Callable[..., tuple[Regrading, AtOnce, list[Graded]]],
) -> None:
    never = Held(RULES, "unresolved", None, "", Known("[]", b"x" * 16))
    regrading, _, written = regraded(
        {"ada": PASSED, "bob": never}, {"ada": UNOPENED, "bob": UNOPENED}
    )

    assert regrading.kept == [Kept("ada", "", "expert/04", "the submission is gone")]
    assert (regrading.compared, regrading.changes) == (1, [])
    assert written == [Graded(1, (None,)), Graded(2, (UNOPENED,))]


def test_only_what_was_graded_under_todays_rules_is_known(
    regraded: Callable[..., tuple[Regrading, AtOnce, list[Graded]]],
) -> None:
    today = PASSED._replace(rules=RULES._replace(digest="new"))
    broken = today._replace(outcome="error", score=None)
    held = {"ada": today, "bob": PASSED, "cyd": broken}
    _, engine, _ = regraded(held, dict.fromkeys(held))

    assert [each.known for each in engine.pending] == [(ASKED,), (), ()]
