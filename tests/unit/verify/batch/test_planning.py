"""Batches: of one container each, not too many, not too heavy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verify.batch.planning import Pace, Planner
from verify.gradebook.records import Pending

if TYPE_CHECKING:
    from collections.abc import Iterable


def pending(*ids: int, container: str = "/a") -> list[Pending]:
    return [Pending(number, "folder", container, f"s{number}", ()) for number in ids]


def planned(waiting: Iterable[Pending], most: int) -> list[list[int]]:
    planner = Planner(lambda one: one.inner, lambda: most)
    return [[item.id for item in batch.items] for batch in planner.batches(waiting)]


def test_a_batch_is_of_one_container() -> None:
    waiting = [*pending(1, 2), *pending(3, container="/b"), *pending(4)]

    assert planned(waiting, 9) == [[1, 2], [3], [4]]


def test_the_first_batches_are_small_and_the_next_fit_half_a_second() -> None:
    now = [0.0]
    pace = Pace(total=100_000, workers=2, most=500, clock=lambda: now[0])
    first = pace.size
    now[0] = 1.0
    pace.note(80)

    assert (first, pace.size) == (32, 20)


def test_a_slow_cohort_goes_one_by_one_and_a_fast_one_in_the_largest_batches() -> None:
    now = [0.0]
    slow = Pace(total=1_000, workers=1, most=500, clock=lambda: now[0])
    fast = Pace(total=100_000, workers=1, most=500, clock=lambda: now[0])
    now[0] = 10.0
    slow.note(1)
    fast.note(200_000)

    assert (slow.size, fast.size) == (1, 500)


def test_a_small_cohort_is_shared_among_the_workers() -> None:
    assert Pace(total=30, workers=2, most=500).size == 4
