"""Grades in processes of this machine: one that dies is replaced, its batch given back."""

from __future__ import annotations

import gc
import signal
import sys
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context, parent_process
from typing import TYPE_CHECKING

from verify.batch.executors.base import Unfit
from verify.batch.executors.wire import (
    packed_batch,
    packed_results,
    unpacked,
    unpacked_batch,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from typing_extensions import Self

    from verify.batch.executors.base import Grade
    from verify.batch.work import Batch, Graded, Job

# A forked worker has all that was imported before. Elsewhere than on Linux, libraries of the system
# do not survive a fork. No other thread of ours may run while we fork: see `rebuild`.
_START = "fork" if sys.platform == "linux" else "spawn"
_PATIENCE = 3  # looks at a dead worker before we stop to believe in the pool
_grade: Grade  # of a worker: set once when it starts, so that it is not sent with every batch
_job: Job


class Pool:
    """Worker processes, started with the first batch.

    They leave Ctrl-C to us, and end with us however we end.
    """

    batch_size = 500

    def __init__(self, grade: Grade, workers: int) -> None:
        self.workers = workers
        self.window = 3 * workers
        self._grade = grade
        self._pool: ProcessPoolExecutor | None = None
        self._under_way: set[Future[bytes]] = set()
        self._missed = 0  # how often in a row a dead worker was seen that nobody reported

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """End the workers, at once where a batch is under way: nobody waits for it any more."""
        if self._under_way:
            self._cut()
        self.rebuild()
        gc.unfreeze()

    def submit(self, job: Job, batch: Batch) -> Future[tuple[Graded, ...]]:
        """Hand a batch to the workers; they are started where there are none.

        Raises:
            Unfit: the system starts no process.
            BrokenProcessPool: a worker was lost just now.
        """
        if self._pool is None:
            gc.freeze()  # a collection would write to all that the workers share with us
            self._pool = ProcessPoolExecutor(
                self.workers,
                mp_context=get_context(_START),
                initializer=_begin,
                initargs=(self._grade, job),
            )
        try:
            packed = self._pool.submit(_graded, packed_batch(batch))
        except OSError as error:
            reason = (error.strerror or "unknown reason").lower()
            raise Unfit(f"no worker process can be started ({reason}); try --jobs 1") from None
        self._under_way.add(packed)
        packed.add_done_callback(self._under_way.discard)
        return unpacked(packed)

    def lost(self, error: BaseException) -> bool:
        """Tell whether a worker was lost; the other workers' batches are then lost with it."""
        return isinstance(error, BrokenProcessPool)

    def rebuild(self) -> None:
        """Forget the broken pool; its threads must be gone before new workers are forked."""
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None
            self._missed = 0

    def suspects(self) -> Mapping[int, int]:
        """Suspect nobody: a death of a worker is heard of at once."""
        return {}

    def check(self) -> None:
        """Look for a worker that was killed while it sent its results.

        The pool's own thread then waits for the rest of them, for ever.
        """
        if self._pool is None:
            return
        processes = tuple((self._pool._processes or {}).values())  # noqa: SLF001  # nowhere else
        alive = all(process.is_alive() for process in processes)
        self._missed = 0 if alive else self._missed + 1
        if self._missed > _PATIENCE:
            self._cut()

    def _cut(self) -> None:
        """Kill all workers, and tell the pool's thread that nothing more comes from them."""
        if self._pool is None:
            return
        for process in tuple((self._pool._processes or {}).values()):  # noqa: SLF001  # as above
            process.kill()
        self._pool._result_queue._writer.close()  # type: ignore[attr-defined]  # noqa: SLF001  # the last end that is open


def _begin(grade: Grade, job: Job) -> None:
    """Make a process a worker."""
    global _grade, _job  # a worker serves one run
    _grade, _job = grade, job
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the terminal sends it to all: the grader answers
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # not as the grader does, from whom it was forked
    _end_with_parent()


def _end_with_parent() -> None:
    """End when the grader ends, killed too: an orphan would hold its locks, and wait for ever."""
    import os
    from multiprocessing.connection import wait
    from threading import Thread

    parent = parent_process()
    if parent is not None:

        def follow() -> None:
            wait([parent.sentinel])
            os._exit(1)

        Thread(target=follow, daemon=True).start()


def _graded(packed: bytes) -> bytes:
    return packed_results(_grade(_job, unpacked_batch(packed)))
