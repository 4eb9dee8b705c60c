"""Carries out tasks in processes with limits: a task that fails harms no other task."""

from __future__ import annotations

import gc
import math
import multiprocessing
import os
import sys
import time
from typing import TYPE_CHECKING, Any, TypeVar

from verify.batch.chunks import Chunk, Done, Grading
from verify.batch.limits import (
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
    from collections.abc import Callable, Iterable, Iterator
    from concurrent.futures import Future

T = TypeVar("T")
R = TypeVar("R")

_METHODS = multiprocessing.get_all_start_methods()
# What is imported once for all children, where a fork of this process is not safe: it has other
# threads, or libraries of the system that do not survive one.
SERVED = "forkserver" if "forkserver" in _METHODS else "spawn"
# A forked child has all that was imported and listed before.
START = "fork" if sys.platform == "linux" else SERVED
_NAME = "grading"
_PACE = 1.0  # seconds of work of a child: what an interrupt waits for


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
    how many tasks there are. `stopping` returns whether to begin nothing more.

    Raises:
        StopRun: a call raised it, or nothing can be graded (any more).
    """
    gc.freeze()  # a collection would write to all that the children share with us
    try:
        yield from Grading(LocalPool(call, limits, workers), tasks, expected, stopping).results()
    finally:
        gc.unfreeze()
        for child in multiprocessing.active_children():
            if child.name == _NAME:
                child.kill()


def run_one(call: Callable[[T, bool], R], task: T, limits: Limits) -> R | Failed:
    """Return what `call` returns for one task, carried out in a process of its own.

    Raises:
        StopRun: the call raised it, or no process can be started.
    """
    for again in (False, True):
        done = Child(call, Chunk([task], again), limits).outcome()
        result: R | Failed = done.failed or done.results[0]
        if not isinstance(result, Failed):
            break
    return result


class LocalPool:
    """Processes of this machine, a new one for each chunk."""

    most = 5_000

    def __init__(self, call: Callable[[T, bool], R], limits: Limits, workers: int) -> None:
        self.workers = workers
        self._call = call
        self._limits = limits
        self._children: dict[Future[list[Any]], Child] = {}

    def submit(self, chunk: Chunk) -> Future[list[Any]]:
        """Begin a chunk; raises `Unfit` if no process can be started."""
        child = Child(self._call, chunk, self._limits)
        self._children[child.future] = child
        return child.future

    def outcome(self, future: Future[list[Any]]) -> Done:
        """Return what came of a chunk; raises `StopRun`."""
        return self._children.pop(future).outcome()

    def look(self) -> None:
        """Leave the children alone: each has its time limit."""


class Child:
    """A chunk in a process of its own; its `future` is done when that has answered or ended.

    Raises:
        Unfit: no process can be started.
    """

    def __init__(
        self, call: Callable[[T, bool], R], chunk: Chunk, limits: Limits, start: str = START
    ) -> None:
        from pebble import concurrent  # few runs of a learner need it

        context: Any = multiprocessing.get_context(start)
        if start == "forkserver":
            context.set_forkserver_preload(["verify.batch.kernel"])
        process: Any = concurrent.process  # its types have another name for `context`
        started = process(name=_NAME, timeout=limits.wall, context=context)(carried_out)
        self._limits = limits
        self._at = context.RawValue("l", 0)
        try:
            self.future: Future[list[Any]] = started(call, chunk, limits, self._at)
        except OSError as error:
            why = (error.strerror or "unknown reason").lower()
            raise Unfit(f"no worker process can be started ({why})") from None

    def outcome(self) -> Done:
        """Wait for what came of the chunk; raises `StopRun`."""
        from concurrent.futures import TimeoutError as WallTime

        try:
            return Done(self.future.result())
        except StopRun:
            raise
        except MemoryError:
            failed = too_big(self._limits)
        except WallTime:
            failed = endless(self._limits)
        except Exception as error:  # noqa: BLE001  # pebble's, or what no process can send
            failed = died(getattr(error, "exitcode", None), self._limits)
        return Done([], failed, self._at.value)


def carried_out(
    call: Callable[[T, bool], R],
    chunk: Chunk,
    limits: Limits,
    at: Any,  # a number in memory that the parent reads: the task under way
) -> list[R | Failed]:
    """Return what came of the first tasks of a chunk, in a child: of as many as there is time for.

    Raises:
        MemoryError, StopRun: as the call.
    """
    confine()
    _end_with_parent()
    allow_memory(limits.megabytes)
    results: list[R | Failed] = []
    until = time.monotonic() + _PACE
    try:
        for number, task in enumerate(chunk.tasks):
            if number and time.monotonic() > until:
                break
            at.value = number
            allow_cpu(limits.cpu)
            try:
                results.append(call(task, chunk.again))
            except (StopRun, MemoryError):
                raise
            except BaseException as error:  # noqa: BLE001  # an exit as well: it is the result
                results.append(raised(error))
    finally:
        allow_cpu(math.inf)  # to send the results
        allow_memory(math.inf)
    return results


def _end_with_parent() -> None:
    """End this process when its parent ends, killed too."""
    from multiprocessing.connection import wait
    from threading import Thread

    parent = multiprocessing.parent_process()
    if parent is not None:
        sentinel = parent.sentinel
        Thread(target=lambda: (wait([sentinel]), os._exit(1)), daemon=True).start()
