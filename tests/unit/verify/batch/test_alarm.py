"""Who takes too long is ended where it stands; who does not is left alone."""

from __future__ import annotations

import contextlib
import re
import signal
import time
from typing import TYPE_CHECKING

import pytest

from verify.batch.alarm import Alarm, TimeUp, Watcher
from verify.batch.heartbeat import noted, place_of
from verify.batch.work import Item

if TYPE_CHECKING:
    from collections.abc import Callable

ITEMS = tuple(Item(number, "s") for number in range(5))


def loop() -> None:
    while True:
        pass


def loop_compiled() -> None:
    re.fullmatch("(a|aa)+b", "a" * 80)


def loop_on() -> None:
    with contextlib.suppress(BaseException):
        loop()
    loop()


def walked(alarm: Alarm, slot: list[int], hostile: int, deed: Callable[[], None]) -> None:
    """Walk through items under an alarm; one of them does what it does."""
    with alarm:
        for item in noted(ITEMS, slot, 0):
            if item.id == hostile:
                deed()


@pytest.mark.parametrize("deed", [loop, loop_on])
@pytest.mark.parametrize("kind", [Alarm, Watcher])
def test_an_endless_item_is_ended_and_the_slot_says_which(
    kind: type[Alarm], deed: Callable[[], None]
) -> None:
    slot = [0]
    with pytest.raises(TimeUp):
        walked(kind(slot, 0.05), slot, 3, deed)

    assert slot == [4]


def test_a_slot_tells_the_place_in_its_batch_and_none_after_the_last_item() -> None:
    slot = [0]
    items = iter(noted(ITEMS, slot, 4))
    next(items)
    first = [place_of(slot[0], batch) for batch in (3, 4, 5)]
    rest = [place_of(slot[0], 4) for _ in items]

    assert (first, rest, place_of(slot[0], 4)) == ([None, 0, None], [1, 2, 3, 4], None)


def test_it_is_due_when_one_item_takes_the_time_that_each_may_take(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    slot, now = [0], [0.0]
    monkeypatch.setattr("verify.batch.alarm.time.monotonic", lambda: now[0])
    alarm = Alarm(slot, 2.0)
    due = []
    for slot[0], now[0] in (
        (0, 10),
        (0, 19),
        (1, 20),
        (1, 21.9),
        (2, 22),
        (2, 23),
        (2, 24),
        (0, 30),
    ):
        due.append(alarm.is_due())

    assert due == [False, False, False, False, False, False, True, False]


def test_the_handler_and_the_timer_from_before_are_put_back() -> None:
    before = signal.getsignal(signal.SIGALRM)
    with contextlib.suppress(TimeUp), Alarm([1], 0.01):
        time.sleep(1)

    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
