"""Gives tasks to workers in chunks: a bounded number under way, and those that fail once more."""

from __future__ import annotations

import math
import time
from collections import deque
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from verify.batch.limits import Failed, Unfit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from concurrent.futures import Future

_FIRST = 32  # tasks of the first chunks
_PACE = 0.5  # seconds of work in a chunk: what an interrupt waits for, what a crash costs
_SHARES = 4  # chunks that a worker gets at least, so that all end at about the same time
_WINDOW = 3  # chunks under way for each worker: none waits for the next
_TICK = 0.25  # seconds between two looks at whether to stop
_IN_A_ROW = 20  # failures with nothing graded in between: then it may be the machine
_RETRIES = 5_000  # tasks that may wait for their own try while there are new ones
_PATIENCE = 5.0  # seconds that what is under way gets once the run is to stop


class Chunk(NamedTuple):
    """Tasks for one worker. A `probe` was graded before: is it the tasks, or the machine?"""

    tasks: Sequence[Any]
    again: bool = False
    probe: bool = False


class Pool(Protocol):
    """Workers, here or elsewhere; `most` is how many tasks a chunk may have."""

    workers: int
    most: int

    def submit(self, chunk: Chunk) -> Future[Any]:
        """Begin a chunk; raises `Unfit` if no worker takes it."""

    def outcome(self, future: Future[Any]) -> list[Any] | Failed | None:
        """Return the results of a chunk, None if another worker has to try; raises `StopRun`."""

    def look(self, under_way: Iterable[Future[Any]], silence: float) -> None:
        """Look after the workers: nothing came for so many seconds; raises `Unfit`."""


class Grading:
    """A bounded number of chunks under way, and what has to be tried again."""

    def __init__(
        self, pool: Pool, tasks: Iterable[Any], expected: int, stopping: Callable[[], bool]
    ) -> None:
        self._pool = pool
        self._tasks = iter(tasks)
        self._stopping = stopping
        self._most = max(1, min(pool.most, -(-expected // (pool.workers * _SHARES))))
        self._under_way: dict[Future[Any], Chunk] = {}
        self._first: deque[Chunk] = deque()  # before anything new
        self._retries: deque[Chunk] = deque()  # last: no other task waits for those that fail
        self._known: list[Any] = []  # a task that was graded
        self._in_a_row = self._graded = 0
        self._begun = time.monotonic()

    def results(self) -> Iterator[list[Any]]:
        """Yield each chunk's tasks and results as it is done; see `run`."""
        while self._fill():
            done = self._landed()
            if not done:  # the run is to stop, and what is under way takes too long
                return
            for future in done:
                chunk, outcome = self._under_way.pop(future), self._pool.outcome(future)
                if isinstance(outcome, Failed):
                    yield self._failed(chunk, outcome)
                elif outcome is None:
                    self._first.append(chunk)
                elif not chunk.probe:
                    yield self._done(chunk, outcome)

    def _fill(self) -> bool:
        """Submit chunks until enough are under way; tell whether any is."""
        while not self._stopping() and len(self._under_way) < _WINDOW * self._pool.workers:
            chunk = self._next()
            if chunk is None:
                break
            self._under_way[self._pool.submit(chunk)] = chunk
        return bool(self._under_way)

    def _next(self) -> Chunk | None:
        if self._first:
            return self._first.popleft()
        if len(self._retries) < _RETRIES:
            tasks = list(islice(self._tasks, self._size()))
            if tasks:
                return Chunk(tasks)
        return self._retries.popleft() if self._retries else None

    def _size(self) -> int:
        """Return how many tasks the next chunk has, by how fast they were graded so far."""
        if not self._graded:
            return min(_FIRST, self._most)
        seconds = max(time.monotonic() - self._begun, 1e-3)
        return max(1, min(self._most, int(self._graded / seconds / self._pool.workers * _PACE)))

    def _landed(self) -> list[Future[Any]]:
        """Wait until a chunk is done; return none if the run is to stop and it takes too long."""
        from concurrent.futures import FIRST_COMPLETED, wait

        begun, until = time.monotonic(), math.inf
        while True:
            done, _ = wait(self._under_way, _TICK, FIRST_COMPLETED)
            now = time.monotonic()
            if self._stopping():
                until = min(until, now + _PATIENCE)
            if done or now >= until:
                return list(done)
            self._pool.look(self._under_way, now - begun)

    def _done(self, chunk: Chunk, results: list[Any]) -> list[Any]:
        pairs = list(zip(chunk.tasks, results, strict=True))
        graded = next((task for task, one in pairs if not isinstance(one, Failed)), None)
        if graded is not None:
            self._known, self._in_a_row = [graded], 0
        self._graded += len(pairs)
        return pairs

    def _failed(self, chunk: Chunk, failed: Failed) -> list[Any]:
        """Try the tasks of a chunk one by one, and one that was alone once more, with `again`."""
        if chunk.probe:
            raise Unfit(_nothing_more(failed, "one that could be graded cannot any more"))
        self._in_a_row += 1
        if self._in_a_row >= _IN_A_ROW:
            if not self._known:
                raise Unfit(_nothing_more(failed, "none was graded"))
            self._in_a_row = 0
            self._first.append(Chunk(self._known, probe=True))
        alone = len(chunk.tasks) == 1
        if alone and chunk.again:
            return [(chunk.tasks[0], failed)]
        self._retries += [Chunk([task], again=alone) for task in chunk.tasks]
        return []


def _nothing_more(failed: Failed, why: str) -> str:
    text = f"nothing can be graded any more: {_IN_A_ROW} tries in a row failed, and {why}"
    return f"{text}; the last: {failed.reason} (is there enough memory, and time?)"
