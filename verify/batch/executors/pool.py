"""Grades in processes of this machine: one that dies or is too slow is ended, the others go on."""

from __future__ import annotations

import gc
import os
from collections import deque
from concurrent.futures import Future
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, NamedTuple

from verify.batch.bounds import BOUNDS
from verify.batch.executors.base import Unfit
from verify.batch.executors.child import Child
from verify.batch.executors.wire import packed_batch
from verify.batch.executors.wire_answers import settle

if TYPE_CHECKING:
    from typing_extensions import Self

    from verify.batch.bounds import Bounds
    from verify.batch.executors.base import Grade
    from verify.batch.work import Batch, Graded, Job

# A batch that is no larger goes into a busy worker's pipe without waiting for the worker.
_AHEAD = 32 << 10 if os.name == "posix" else 0


class Errand(NamedTuple):
    """A batch that is to be graded; `alone` asks for a worker that has graded nothing else."""

    packed: bytes
    slack: float
    alone: bool
    future: Future[tuple[Graded, ...]]


class Pool:
    """Worker processes, started as batches come, and one by one replaced.

    They leave Ctrl-C to us, and end with us however we end.
    """

    batch_size = 500

    def __init__(self, grade: Grade, workers: int, bounds: Bounds = BOUNDS) -> None:
        self.workers = workers
        self.window = 3 * workers
        self.bounds = bounds
        self._grade = grade
        self._job: Job | None = None
        self._waiting: deque[Errand] = deque()
        self._busy: dict[Child, deque[Errand]] = {}  # the oldest first
        self._idle: list[Child] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """End the workers, at once where a batch is under way: nobody waits for it any more."""
        for child in (*self._busy, *self._idle):
            child.end()
        self._busy.clear()
        self._idle.clear()
        gc.unfreeze()

    def submit(self, job: Job, batch: Batch, *, alone: bool = False) -> Future[tuple[Graded, ...]]:
        """Hand a batch over; workers are started where there are too few.

        Raises:
            Unfit: the system starts no process.
        """
        self._job = job
        future: Future[tuple[Graded, ...]] = Future()
        slack = self.bounds.slack(batch.kind)
        self._waiting.append(Errand(packed_batch(batch), slack, alone, future))
        self._hand_out(job)
        return future

    def wait(self, seconds: float) -> None:
        """Wait for an answer, so long at most, and look after the workers.

        Raises:
            Unfit: as `submit`.
        """
        by_inbox = {child.inbox: child for child in self._busy}
        for inbox in wait(list(by_inbox), seconds) if by_inbox else ():
            child = by_inbox[inbox]  # type: ignore[index]  # one of those that were given
            self._answer(child, child.answer())
        for child in tuple(self._busy):
            fault = child.look()
            if fault is not None:
                self._answer(child, fault)
        if self._job is not None:
            self._hand_out(self._job)

    def _hand_out(self, job: Job) -> None:
        """Hand batches to workers as long as there is one for the next."""
        while self._waiting:
            child = self._worker_for(self._waiting[0], job)
            if child is None:
                return
            errand = self._waiting.popleft()
            self._busy.setdefault(child, deque()).append(errand)
            child.hand(errand.packed, errand.slack)

    def _worker_for(self, errand: Errand, job: Job) -> Child | None:
        """Return a worker that takes a batch now: an idle one, a new one, or one that soon will."""
        while self._idle:
            child = self._idle.pop()
            if child.is_new or not errand.alone:
                return child
            child.end()
        if len(self._busy) < self.workers:
            return self._started(job)
        if errand.alone or len(errand.packed) > _AHEAD:
            return None
        return next((child for child, held in self._busy.items() if _takes_more(held)), None)

    def _started(self, job: Job) -> Child | None:
        gc.freeze()  # a collection would write to all that the workers share with us
        try:
            return Child(self._grade, job, self.bounds)
        except OSError as error:
            if self._busy:  # those go on, and one of them takes it
                return None
            reason = (error.strerror or "unknown reason").lower()
            raise Unfit(f"no worker process can be started ({reason}); try --jobs 1") from None

    def _answer(self, child: Child, answer: bytes) -> None:
        """Pass an answer on; what an ended worker has not begun goes to another one."""
        held = self._busy[child]
        errand = held.popleft()
        if errand.alone:
            child.end()
        if child.is_over:
            self._waiting.extendleft(reversed(held))
            held.clear()
        if not held:
            del self._busy[child]
            if not child.is_over:
                self._idle.append(child)
        settle(errand.future, answer)


def _takes_more(held: deque[Errand]) -> bool:
    return len(held) == 1 and not held[0].alone
