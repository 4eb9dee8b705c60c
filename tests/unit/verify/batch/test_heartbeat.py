"""A batch tells its place while it is walked, and costs nobody a thing beside that."""

from __future__ import annotations

from verify.batch.heartbeat import Stillness, noted, place_of
from verify.batch.work import Item

ITEMS = tuple(Item(number, "s") for number in (7, 8, 9))


def test_the_place_is_noted_before_each_item_and_taken_back_after_the_last() -> None:
    slot = [0]
    items = noted(ITEMS, slot, 4)
    places = [(place_of(slot[0], 4), item.id) for item in items]

    assert places == [(0, 7), (1, 8), (2, 9)]
    assert place_of(slot[0], 4) is None


def test_another_batch_s_beat_tells_no_place() -> None:
    slot = [0]
    next(iter(noted(ITEMS, slot, 4)))

    assert [place_of(slot[0], batch) for batch in (3, 4, 5)] == [None, 0, None]


def test_stillness_counts_from_the_look_that_first_saw_the_beat() -> None:
    slot = [1]
    still = Stillness(slot)
    told = [still.seconds(10.0), still.seconds(11.5)]
    slot[0] = 2
    told += [still.seconds(12.0), still.seconds(15.0)]
    still.begin()
    told.append(still.seconds(99.0))

    assert told == [0.0, 1.5, 0.0, 3.0, 0.0]
