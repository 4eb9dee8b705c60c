"""Puts what is to be graded into batches: of one container each, not too many."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from verify.batch.work import Batch, Item

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from verify.gradebook.records import Pending

_FIRST = 32  # submissions, while nobody knows how long one takes
_SECONDS = 0.5  # that a batch should take: what an interrupt waits for, what a lost worker costs
_SHARES = 4  # batches a worker should get at least, so that all are done at about the same time


class Pace:
    """How many submissions the next batch should have, by how fast they were graded so far."""

    def __init__(
        self,
        *,
        total: int,
        workers: int,
        most: int,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._workers = workers
        self._most = max(1, min(most, -(-total // (workers * _SHARES))))
        self._clock = clock
        self._begun = clock()
        self._graded = 0

    def note(self, graded: int) -> None:
        """Count submissions that were graded."""
        self._graded += graded

    @property
    def size(self) -> int:
        """Return how many submissions the next batch should have at most."""
        if not self._graded:
            return min(_FIRST, self._most)
        seconds = max(self._clock() - self._begun, 1e-3)
        return max(1, min(self._most, int(self._graded / seconds / self._workers * _SECONDS)))


class Planner:
    """Makes batches of pending submissions, in their order.

    `payload` gives what a worker is sent of a submission.
    """

    def __init__(
        self,
        payload: Callable[[Pending], Any],
        size: Callable[[], int],
    ) -> None:
        self._payload = payload
        self._size = size

    def batches(self, pending: Iterable[Pending]) -> Iterator[Batch]:
        """Yield the batches, each made when it is asked for."""
        items: list[Item] = []
        place, most = ("", ""), 0
        for one in pending:
            number, kind, container, _, known, conflict = one
            payload = self._payload(one)
            if items and (len(items) >= most or (kind, container) != place):
                yield Batch(*place, tuple(items))
                items = []
            if not items:
                place, most = (kind, container), self._size()
            items.append(Item(number, payload, known, conflict))
        if items:
            yield Batch(*place, tuple(items))
