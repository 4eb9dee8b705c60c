"""Says which submission of a batch is being graded: one number is written for each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from verify.batch.work import Item

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_PLACES = 32  # bits of a beat that tell the place: no batch has so many submissions


class Slot(Protocol):
    """Where a beat is written: a list, or memory that processes share; only place 0 is used."""

    def __getitem__(self, at: int, /) -> int: ...

    def __setitem__(self, at: int, beat: int, /) -> None: ...


class Noted(tuple[Item, ...]):  # noqa: SLOT001  # a tuple's subclass may have none that is not empty
    """The submissions of a batch, which note their place while somebody goes through them.

    A beat is the batch's own number and the place, counted from 1; 0 is before and after all.
    """

    _slot: Slot
    _first: int

    def __iter__(self) -> Iterator[Item]:
        slot = self._slot
        for slot[0], item in enumerate(super().__iter__(), self._first + 1):
            yield item
        slot[0] = self._first


def noted(items: Iterable[Item], slot: Slot, batch: int) -> Noted:
    """Return the items of a batch that note their places in a slot; nothing is noted yet."""
    walked = Noted(items)
    walked._slot = slot  # noqa: SLF001  # a tuple takes nothing else when it is made
    walked._first = batch << _PLACES  # noqa: SLF001  # as above
    slot[0] = batch << _PLACES
    return walked


def place_of(beat: int, batch: int) -> int | None:
    """Return the place in a batch that a beat tells, from 0; None where it is at none of it."""
    place = beat - (batch << _PLACES)
    return place - 1 if 0 < place < 1 << _PLACES else None


class Stillness:
    """How long a slot has told the same, by somebody who looks at it now and then."""

    def __init__(self, slot: Slot) -> None:
        self._slot = slot
        self._seen = -1
        self._since = 0.0

    def seconds(self, now: float) -> float:
        """Return how long the beat has been seen to be the same; `now` is a monotonic clock's."""
        beat = self._slot[0]
        if beat != self._seen:
            self._seen, self._since = beat, now
        return now - self._since

    def begin(self) -> None:
        """Count from the next look on."""
        self._seen = -1
