"""Carries out tasks in worker processes with limits: a task that fails harms no other task."""

from __future__ import annotations

import gc
import math
import os
import sys
from multiprocessing.context import SpawnContext, SpawnProcess
from typing import TYPE_CHECKING, Any, TypeVar

from verify.batch.chunks import Chunk, Grading
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
_ORDERLY = 256  # in place of exit code 0: pebble does not look for the task of such a worker
_MOST = 500  # tasks of a chunk
_PATIENCE = 5.0  # seconds in which a process that has ended is seen to
_SILENCE = 30.0  # seconds after the wall time in which the pool must report a chunk
_SLEEP = 0.02  # seconds between pebble's looks at its workers; its own 0.1 delays short runs


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


class _Watched:
    """A process whose exit code is not 0: a worker that ends of its own accord had a task."""

    @property
    def exitcode(self) -> int | None:
        code: int | None = super().exitcode  # type: ignore[misc]  # as the process has it
        return _ORDERLY if code == 0 else code


class _Spawned(_Watched, SpawnProcess):
    pass


class _Spawning(SpawnContext):
    Process = _Spawned


_CONTEXTS: dict[str, Callable[[], Any]] = {"spawn": _Spawning}
if sys.platform == "linux":
    from multiprocessing.context import ForkContext, ForkProcess

    class _Forked(_Watched, ForkProcess):
        pass

    class _Forking(ForkContext):
        Process = _Forked

    _CONTEXTS["fork"] = _Forking


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
        return None if code == GROWN else died(0 if code == _ORDERLY else code, self._limits)

    def look(self, under_way: Iterable[Future[Any]], silence: float) -> None:
        """Replace workers that report nothing: one was killed while it held pebble's pipe."""
        if silence > self._limits.wall + _SILENCE:
            self._end()
            for future in under_way:
                if not future.done():
                    future.set_exception(OSError("its worker was killed"))
            self._begin()

    def _begin(self) -> None:
        from pebble import CONSTS, ProcessPool

        CONSTS.sleep_unit = _SLEEP
        context: Any = _CONTEXTS[self._start]()  # the kinds of context have no common type
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
