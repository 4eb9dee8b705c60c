"""Carries out tasks in worker processes with limits: a task that fails harms no other task."""

from __future__ import annotations

import gc
import math
import os
import sys
import time
from collections import deque
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

from verify.batch.limits import (
    GROWN,
    Failed,
    Limits,
    StopRun,
    Unfit,
    allow_cpu,
    allow_memory,
    confine,
    died,
    endless,
    raised,
    too_big,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from concurrent.futures import Future
    from multiprocessing.connection import Connection

    from typing_extensions import Self

T = TypeVar("T")
R = TypeVar("R")

# A forked worker has all that was imported before. Elsewhere than on Linux, libraries of the system
# do not survive a fork.
START = "fork" if sys.platform == "linux" else "spawn"
_FIRST, _MOST = 32, 500  # tasks of the first chunks, and of any
_PACE = 0.5  # seconds of work in a chunk: what an interrupt waits for, what a crash costs
_SHARES = 4  # chunks that a worker gets at least, so that all end at about the same time
_WINDOW = 3  # chunks under way for each worker: none waits for the next
_TICK = 0.25  # seconds between two looks at whether to stop
_PATIENCE = 5.0  # seconds that what is under way gets once the run is to stop
_SILENCE = 30.0  # seconds after the wall time in which the pool must report a chunk
_IN_A_ROW = 20  # failures with nothing graded in between: then it may be the machine
_RETRIES = 5_000  # tasks that may wait for their own try while there are new ones
_SLEEP = 0.02  # seconds between pebble's looks at its workers; its own 0.1 delays short runs


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


def run(
    call: Callable[[T, bool], R],
    tasks: Iterable[T],
    *,
    workers: int,
    limits: Limits,
    expected: int,
    stopping: Callable[[], bool],
) -> Iterator[list[tuple[T, R | Failed]]]:
    """Yield tasks with what `call(task, again)` returns for them, chunk by chunk.

    A task that failed in its chunk and alone is tried once more with `again`. `expected` is about
    how many tasks there are. `stopping` tells whether to begin nothing more.

    Raises:
        StopRun: a call raised it, or nothing can be graded (any more).
    """
    gc.freeze()  # a collection would write to all that the workers share with us
    try:
        with LocalPool(call, limits, workers) as pool:
            yield from Grading(pool, tasks, expected, stopping).results()
    finally:
        gc.unfreeze()


def run_one(call: Callable[[T, bool], R], task: T, limits: Limits) -> R | Failed:
    """Return what `call` returns for one task, carried out in a process of its own.

    Raises:
        StopRun: the call raised it.
    """
    outcome = _alone(call, task, limits, again=False)
    return _alone(call, task, limits, again=True) if isinstance(outcome, Failed) else outcome


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


class LocalPool:
    """Processes of this machine, by pebble; one that dies or has grown is replaced.

    The first are forked in the calling thread, which has no other beside it; later ones in a thread
    of pebble's. Such a child has that thread only: a lock that another one held stays locked.
    Python sets up its own locks anew, and a worker uses nothing else of the grader's: it reads
    files and writes to pebble's pipe, never to the gradebook, the progress bar or a log. Should one
    be stuck all the same, the wall time ends it, and its tasks are tried again.
    """

    most = _MOST

    def __init__(
        self, call: Callable[[T, bool], R], limits: Limits, workers: int, start: str = START
    ) -> None:
        self.workers = workers
        self._call = call
        self._limits = limits
        self._start = start
        self._pool: Any = None

    def __enter__(self) -> Self:
        self._begin()
        return self

    def __exit__(self, *_: object) -> None:
        """End the workers at once."""
        self._end()

    def submit(self, chunk: Chunk) -> Future[Any]:
        """Begin a chunk, by new workers if pebble has given up those from before."""
        try:
            return self._scheduled(chunk)
        except RuntimeError:
            self._end()
            self._begin()
        try:
            return self._scheduled(chunk)
        except RuntimeError as error:
            why = getattr(error.__cause__, "strerror", None) or "unknown reason"
            raise Unfit(f"no worker process can be started ({why.lower()})") from None

    def _scheduled(self, chunk: Chunk) -> Future[Any]:
        work = (self._call, chunk.tasks, chunk.again, self._limits)
        future: Future[Any] = self._pool.schedule(carried_out, work, timeout=self._limits.wall)
        return future

    def outcome(self, future: Future[Any]) -> list[Any] | Failed | None:
        """Return the results of a chunk, None if its worker left it to another one."""
        from concurrent.futures import TimeoutError as WallTime

        error = future.exception()
        if error is None:
            return list(future.result())
        if isinstance(error, StopRun):
            raise error
        if isinstance(error, MemoryError):
            return too_big(self._limits)
        if isinstance(error, WallTime):
            return endless(self._limits)
        code = getattr(error, "exitcode", None)
        return None if code == GROWN else died(code, self._limits)

    def look(self, under_way: Iterable[Future[Any]], silence: float) -> None:
        """Replace workers that report nothing: one was killed while it held pebble's pipe."""
        if silence > self._limits.wall + _SILENCE:
            self._end()
            for future in under_way:
                if not future.done():
                    future.set_exception(OSError("its worker was killed"))
            self._begin()

    def _begin(self) -> None:
        from multiprocessing import get_context

        from pebble import CONSTS, ProcessPool

        CONSTS.sleep_unit = _SLEEP
        context: Any = get_context(self._start)  # the kinds of context have no common type
        self._pool = ProcessPool(self.workers, initializer=begin_worker, context=context)

    def _end(self) -> None:
        self._pool.stop()
        self._pool.join()


def carried_out(
    call: Callable[[T, bool], R],
    tasks: Sequence[T],
    again: bool,  # noqa: FBT001  # as pebble passes it
    limits: Limits,
) -> list[R | Failed]:
    """Return what came of each task, in a worker; raises `MemoryError` and `StopRun`."""
    allow_memory(limits.megabytes)
    results: list[R | Failed] = []
    try:
        for task in tasks:
            allow_cpu(limits.cpu)
            try:
                results.append(call(task, again))
            except (StopRun, MemoryError):
                raise
            except BaseException as error:  # noqa: BLE001  # an exit as well: it is the result
                results.append(raised(error))
    finally:
        allow_cpu(math.inf)  # to send the results
    return results


def begin_worker() -> None:
    """Make this process a worker that ends when its parent does, killed too."""
    from multiprocessing import parent_process
    from multiprocessing.connection import wait
    from threading import Thread

    confine()
    parent = parent_process()
    if parent is not None:
        sentinel = parent.sentinel
        Thread(target=lambda: (wait([sentinel]), os._exit(1)), daemon=True).start()


def _alone(call: Callable[[T, bool], R], task: T, limits: Limits, *, again: bool) -> R | Failed:
    """Return what came of a task in a process of its own; to start pebble's pool takes longer."""
    from multiprocessing import get_context

    context: Any = get_context(START)
    inbox, outbox = context.Pipe(duplex=False)
    child = context.Process(target=_serve, args=(outbox, call, task, again, limits), daemon=True)
    child.start()
    outbox.close()
    try:
        if not inbox.poll(limits.wall):
            return endless(limits)
        results, error = inbox.recv()
    except (EOFError, OSError):
        child.join(_PATIENCE)
        return died(child.exitcode, limits)
    finally:
        child.kill()
        child.join()
        inbox.close()
    if isinstance(error, StopRun):
        raise error
    return too_big(limits) if error else results[0]


def _serve(
    outbox: Connection,
    call: Callable[[T, bool], R],
    task: T,
    again: bool,  # noqa: FBT001  # as a process gets it
    limits: Limits,
) -> None:
    begin_worker()
    try:
        outbox.send((carried_out(call, [task], again, limits), None))
    except (StopRun, MemoryError) as error:
        outbox.send(([], error))


def _nothing_more(failed: Failed, why: str) -> str:
    text = f"nothing can be graded any more: {_IN_A_ROW} tries in a row failed, and {why}"
    return f"{text}; the last: {failed.reason} (is there enough memory, and time?)"
