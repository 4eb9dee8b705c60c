"""Carries tasks out in processes with limits: a task that fails harms no other task.

Workers get tasks in chunks, a bounded number at a time. Of a chunk that fails, the task that was
under way is tried alone, and the others continue. Nothing here starts a thread: where this process
has none, its children are forks, which have all that was imported and listed.
"""

from __future__ import annotations

import gc
import math
import multiprocessing
import os
import sys
import time
from collections import deque
from contextlib import suppress
from functools import partial
from itertools import islice
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar

from pipeline.files import reason_of
from verify.child.limits import (
    CannotContinue,
    Failed,
    Limits,
    StopRun,
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

T = TypeVar("T")
R = TypeVar("R")
# a chunk that a worker has: what becomes ready when it is done, and then what came of it
Running: TypeAlias = "tuple[Any, Callable[[], Done]]"

_METHODS = multiprocessing.get_all_start_methods()
# where a fork of this process is not safe: it has other threads, or libraries that a fork breaks
SERVED = "forkserver" if "forkserver" in _METHODS else "spawn"
_THREADS = "/proc/self/task"  # of this process, also those that Python does not know
_NAME = "grading"
_PACE = 1.0  # seconds of work of a child: what an interrupt waits for
_LEAST = 8  # tasks of a chunk: to start a process takes a while
_MOST = 2_000  # tasks of a chunk: more take memory, and save no time
_SHARES = 4  # chunks that a worker gets at least, so that all end at about the same time
_TICK = 0.25  # seconds between two looks at whether to stop
_TRIES = 2  # more for a task that failed
_LONGER = 4  # times the CPU time for the first of them: honest archives may need it
_IN_A_ROW = 20  # failures with nothing graded in between: then it may be the machine
_FEW = (_IN_A_ROW - 1) // (1 + _TRIES)  # tasks of which all may fail, and that stops no run
_PATIENCE = 5.0  # seconds that what is under way gets once the run is to stop


class Chunk(NamedTuple):
    """Tasks for one worker."""

    tasks: Sequence[Any]
    failures: int = 0  #: of its one task, which gets more time after the first
    probe: bool = False  #: it was graded before: is it the tasks, or the machine?


class Done(NamedTuple):
    """What came of a chunk."""

    results: Sequence[Any]  #: of its first tasks
    failed: Failed | None = None  #: how one failed
    at: int | None = None  #: which one, None if it is not known


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

    A task that failed in its chunk, and alone with more time, is tried once more with `again`:
    then it should do less. `expected` is about
    how many tasks there are. `stopping` returns whether to begin nothing more. Raises `StopRun`:
    a call raised it, or nothing can be graded (any more).
    """
    gc.freeze()  # a collection would write to all that the children share with us
    try:
        submit = partial(begin, call, limits)
        yield from Grading(submit, ready, workers, tasks, expected, stopping)
    finally:
        gc.unfreeze()
        for child in multiprocessing.active_children():
            if child.name == _NAME:
                child.kill()


def run_few(
    call: Callable[[T, bool], R], tasks: Sequence[T], limits: Limits
) -> Iterator[R | Failed]:
    """Yield what `call` returns for each task, in a process for several; raises `StopRun`."""
    for first in range(0, len(tasks), _FEW):
        some = tasks[first : first + _FEW]
        chunks = run(call, some, workers=1, limits=limits, expected=_FEW, stopping=lambda: False)
        found = dict(pair for chunk in chunks for pair in chunk)
        yield from (found[task] for task in some)


class Grading:
    """A bounded number of chunks under way, and what has to be tried again; see `run`.

    `submit` begins a chunk on one of the workers. `ready` waits a number of seconds for those under
    way, and returns which of them are done.
    """

    def __init__(
        self,
        submit: Callable[[Chunk], Running],
        ready: Callable[[Iterable[Any], float], Iterable[Any]],
        workers: int,
        tasks: Iterable[Any],
        expected: int,
        stopping: Callable[[], bool],
    ) -> None:
        self._submit, self._ready, self._workers = submit, ready, workers
        self._tasks = iter(tasks)
        self._stopping = stopping
        self._size = min(_MOST, max(_LEAST, -(-expected // (workers * _SHARES))))
        self._under_way: dict[Any, tuple[Chunk, Callable[[], Done]]] = {}
        self._first: deque[Chunk] = deque()  # before anything new
        self._retries: deque[Chunk] = deque()  # last: no other task waits for those that fail
        self._known: Sequence[Any] = []  # a task that was graded
        self._in_a_row = 0

    def __iter__(self) -> Iterator[list[Any]]:
        while self._fill():
            done = [self._under_way.pop(running) for running in self._landed()]
            if not done:  # the run is to stop, and what is under way takes too long
                return
            found = [self._taken(chunk, outcome()) for chunk, outcome in done]
            self._fill()  # the workers continue while the caller works with the results
            yield from filter(None, found)

    def _fill(self) -> bool:
        """Submit chunks until each worker has one; return whether any is under way."""
        while not self._stopping() and len(self._under_way) < self._workers:
            tasks = [] if self._first else list(islice(self._tasks, self._size))
            waiting = self._first or self._retries
            if not (tasks or waiting):
                break
            chunk = Chunk(tasks) if tasks else waiting.popleft()
            running, outcome = self._submit(chunk)
            self._under_way[running] = chunk, outcome
        return bool(self._under_way)

    def _landed(self) -> list[Any]:
        """Wait until a chunk is done; return none if the run is to stop and it takes too long."""
        until = math.inf
        while True:
            done = self._ready(self._under_way, _TICK)
            now = time.monotonic()
            if self._stopping():
                until = min(until, now + _PATIENCE)
            if done or now >= until:
                return list(done)

    def _taken(self, chunk: Chunk, done: Done) -> list[Any]:
        """Return tasks with their results, and note what is left of the chunk."""
        if done.failed is not None:
            at = len(chunk.tasks) // 2 if done.at is None else done.at
            return self._failed(chunk, done.failed, at)
        if chunk.probe:
            return []
        pairs = list(zip(chunk.tasks, done.results))  # noqa: B905  # there was no time for the rest
        graded = next((task for task, result in pairs if not isinstance(result, Failed)), None)
        if graded is not None:
            self._known, self._in_a_row = [graded], 0
        self._put_first(chunk, chunk.tasks[len(pairs) :])
        return pairs

    def _failed(self, chunk: Chunk, failed: Failed, at: int) -> list[Any]:
        """Try the task that failed alone and with more time, then once more with `again`."""
        if chunk.probe:
            raise CannotContinue(
                _nothing_more(failed, "a submission that was graded earlier now fails")
            )
        self._in_a_row += 1
        if self._in_a_row >= _IN_A_ROW:
            if not self._known:
                raise CannotContinue(_nothing_more(failed, "no submission was graded"))
            self._in_a_row = 0
            self._first.append(Chunk(self._known, probe=True))
        if chunk.failures == _TRIES:
            return [(chunk.tasks[0], failed)]
        self._retries.append(Chunk([chunk.tasks[at]], chunk.failures + 1))
        self._put_first(chunk, chunk.tasks[:at], chunk.tasks[at + 1 :])
        return []

    def _put_first(self, chunk: Chunk, *parts: Sequence[Any]) -> None:
        self._first += [chunk._replace(tasks=tasks) for tasks in parts if tasks]


def _nothing_more(failed: Failed, why: str) -> str:
    text = f"grading has stopped: {_IN_A_ROW} tries in a row failed, and {why}"
    return f"{text}; the last failure: {failed.reason} (is there enough memory and time?)"


class Child:
    """A process with a chunk; `waited` counts seconds, by no clock: that of the system may jump."""

    def __init__(
        self, call: Callable[[T, bool], R], limits: Limits, chunk: Chunk, start: str
    ) -> None:
        context: Any = multiprocessing.get_context(start)
        if start == "forkserver":
            context.set_forkserver_preload(["verify.batch.job"])
        self.waited = 0.0
        self._limits, self._at = limits, context.RawValue("l", 0)  # the task under way
        self._answer, there = context.Pipe(duplex=False)
        given = (there, call, chunk, limits, self._at)
        self._process = context.Process(name=_NAME, target=_answering, args=given)
        with there:
            self._process.start()

    def fileno(self) -> int:
        """Return what can be read when the process has answered or ended."""
        return int(self._answer.fileno())

    @property
    def is_late(self) -> bool:
        """Return whether its wall time is over."""
        return self.waited >= self._limits.wall

    def outcome(self) -> Done:
        """Wait for the answer, and return it; raises `StopRun` if the call did."""
        while not ready([self], _TICK):
            pass
        if not self._answer.poll():
            self._process.kill()
            return Done([], endless(self._limits), self._at.value)
        answer: Any = EOFError()
        with self._answer, suppress(EOFError, OSError):  # it ended, perhaps while it sent
            answer = self._answer.recv()
        self._process.join()
        if isinstance(answer, StopRun):
            raise answer
        if isinstance(answer, MemoryError):
            return Done([], too_big(self._limits), self._at.value)
        if isinstance(answer, EOFError):
            return Done([], died(self._process.exitcode, self._limits), self._at.value)
        return Done(answer)


def ready(children: Iterable[Child], seconds: float) -> list[Child]:
    """Wait so long for the first, and return those that have answered, ended or are late."""
    under_way: list[Any] = [*children]
    done: list[Any] = wait(under_way, seconds)
    for child in () if done else under_way:
        child.waited += seconds
    return done or [child for child in under_way if child.is_late]


def begin(call: Callable[[T, bool], R], limits: Limits, chunk: Chunk, start: str = "") -> Running:
    """Begin a chunk in a separate process; raises `CannotContinue` if none can be started."""
    if chunk.failures == 1:
        limits = limits._replace(cpu=_LONGER * limits.cpu)
    try:
        child = Child(call, limits, chunk, start or _way_to_start())
    except OSError as error:
        why = reason_of(error)
        raise CannotContinue(f"no worker process can be started ({why})") from None
    return child, child.outcome


def _way_to_start() -> str:
    """Return how to start a child: a fork beside other threads may never end."""
    with suppress(OSError):
        if sys.platform == "linux" and len(os.listdir(_THREADS)) == 1:
            return "fork"
    return SERVED


def _answering(pipe: Any, *given: Any) -> None:
    """Send what came of a chunk, in a child, and end."""
    answer: object
    try:
        answer = carried_out(*given)
    except (StopRun, MemoryError) as error:
        answer = error
    pipe.send(answer)
    os._exit(0)  # whatever a check of an own course has left running


def carried_out(
    call: Callable[[T, bool], R],
    chunk: Chunk,
    limits: Limits,
    at: Any,  # a number in memory that the parent reads: the task under way
) -> list[R | Failed]:
    """Return what came of a chunk's first tasks, in a child: of as many as there is time for."""
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
                results.append(call(task, chunk.failures == _TRIES))
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
