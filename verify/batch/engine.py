"""Keeps the workers busy: a bounded number of batches under way, each result kept at once."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from verify.batch.bounds import Stopped
from verify.batch.recovery import Recovery, Trial

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from concurrent.futures import Future

    from verify.batch.executors.base import Executor
    from verify.batch.recovery import Task
    from verify.batch.work import Batch, Graded

_TICK = 0.25  # seconds between two looks at the workers, and at whether to stop
_PATIENCE = 5.0  # seconds that what is under way gets once the run is to stop


class Engine:
    """Carries out a task by an executor that has been entered."""

    def __init__(self, task: Task, executor: Executor) -> None:
        self._task = task
        self._executor = executor
        self._recovery = Recovery(task, executor.bounds)
        self._flying: dict[Future[tuple[Graded, ...]], Trial] = {}
        self._until: float | None = None  # when nothing is waited for any more

    def run(self, batches: Iterable[Batch]) -> None:
        """Grade batches until none is left, or the task is to stop.

        Raises:
            Unfit: there are no workers for it (any more); what was graded has been kept.
            RulesDiffer: a worker has other rules; what was graded has been kept.
        """
        source = iter(batches)
        while self._fill(source):
            done = self._landed()
            if not done:
                return
            self._collect(done)

    def _fill(self, source: Iterator[Batch]) -> bool:
        """Hand batches over until enough are under way; tell whether any is."""
        while not self._task.stopping() and len(self._flying) < self._executor.window:
            trial = self._next(source)
            if trial is None:
                break
            future = self._executor.submit(self._task.job, trial.batch, alone=trial.alone)
            self._flying[future] = trial
        return bool(self._flying)

    def _next(self, source: Iterator[Batch]) -> Trial | None:
        trial = self._recovery.before_all()
        if trial is not None:
            return trial
        batch = next(source, None)
        return self._recovery.after_all() if batch is None else Trial(batch)

    def _landed(self) -> list[Future[tuple[Graded, ...]]]:
        """Wait until some of what is under way is done, and return it.

        Nothing is returned where the task is to stop and what is under way takes too long.

        Raises:
            Unfit: nobody is left to do it.
        """
        while True:
            done = [future for future in self._flying if future.done()]
            if done:
                return done
            self._executor.wait(_TICK)
            if self._task.stopping():
                self._until = self._until or time.monotonic() + _PATIENCE
                if time.monotonic() > self._until:
                    return []

    def _collect(self, done: Iterable[Future[tuple[Graded, ...]]]) -> None:
        for future in done:
            trial = self._flying.pop(future)
            error = future.exception()
            if error is None:
                self._recovery.graded(trial, future.result())
            elif isinstance(error, Stopped):
                self._recovery.failed(trial, error)
            else:
                raise error
