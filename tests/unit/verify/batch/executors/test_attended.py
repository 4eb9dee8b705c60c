"""Whatever ends a batch says which submission it was at, or that it was at none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from verify.batch.bounds import BOUNDS, Stopped
from verify.batch.executors.attended import attended
from verify.batch.executors.base import Unfit
from verify.batch.rules import RulesDiffer
from verify.batch.work import Batch, Graded, Item, Job
from verify.sources.base import UnusableSource

if TYPE_CHECKING:
    from collections.abc import Callable

JOB = Job(("expert/04",), ("0",))
BATCH = Batch("folder", "/srv/co\x1bhort", tuple(Item(number, "s") for number in (5, 6, 7)))
GONE = FileNotFoundError(2, "No such file or directory")


def at_the_second(error: BaseException) -> Callable[[Job, Batch], tuple[Graded, ...]]:
    def grade(_: Job, batch: Batch) -> tuple[Graded, ...]:
        for item in batch.items:
            if item.id == 6:
                raise error
        return ()

    return grade


def before_all(error: BaseException) -> Callable[[Job, Batch], tuple[Graded, ...]]:
    def grade(_: Job, __: Batch) -> tuple[Graded, ...]:
        raise error

    return grade


def stopped_by(grade: Callable[[Job, Batch], tuple[Graded, ...]]) -> tuple[int | None, bool, str]:
    with pytest.raises(Stopped) as raised:
        attended(grade, JOB, BATCH, BOUNDS, [0], 3)
    return raised.value.at, raised.value.is_source, raised.value.reason


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (KeyError("a"), "grading this submission failed (KeyError: 'a'): this is our fault"),
        (SystemExit(), "grading this submission failed (SystemExit): this is our fault"),
        (
            ValueError("\x1b[2J"),
            r"grading this submission failed (ValueError: \u{1b}[2J): this is our fault",
        ),
        (MemoryError(), "grading this submission needed more than 300 MB of memory"),
    ],
)
def test_what_is_raised_at_a_submission_is_told_of_it(error: BaseException, reason: str) -> None:
    assert stopped_by(at_the_second(error)) == (1, False, reason)


def test_a_container_that_cannot_be_opened_is_no_submission_s_fault() -> None:
    told = r"/srv/co\u{1b}hort cannot be read any more (no such file or directory)"

    assert stopped_by(before_all(GONE)) == (None, True, told)
    assert stopped_by(before_all(UnusableSource("the folder is missing"))) == (
        None,
        True,
        "the folder is missing",
    )


def test_a_file_that_cannot_be_opened_is_not_the_container() -> None:
    at, is_source, _ = stopped_by(at_the_second(GONE))

    assert (at, is_source) == (1, False)


@pytest.mark.parametrize("error", [RulesDiffer("other checks"), Unfit("no workers")])
def test_what_concerns_all_is_passed_on(error: Exception) -> None:
    with pytest.raises(type(error)) as raised:
        attended(at_the_second(error), JOB, BATCH, BOUNDS, [0])

    assert raised.value is error
