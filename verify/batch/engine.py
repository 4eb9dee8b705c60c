"""Keeps the workers busy: a bounded number of batches under way, each result kept at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verify.batch.executors.base import Unfit
from verify.batch.recovery import Recovery, landed
from verify.batch.rules import RulesDiffer

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from concurrent.futures import Future

    from verify.batch.executors.base import Executor
    from verify.batch.recovery import Task
    from verify.batch.work import Batch, Graded


class Engine:
    """Carries out a task by an executor that has been entered."""

    def __init__(self, task: Task, executor: Executor) -> None:
        self._task = task
        self._executor = executor
        self._recovery = Recovery(task, executor)
        self._flying: dict[Future[tuple[Graded, ...]], Batch] = {}
        self._returned: list[Batch] = []  # that no worker took
        self._suspects: list[Batch] = []

    def run(self, batches: Iterable[Batch]) -> None:
        """Grade batches until none is left, or the task is to stop.

        Raises:
            Unfit: there are no workers for it (any more); what was graded has been kept.
            RulesDiffer: a worker has other rules; what was graded has been kept.
        """
        source = iter(batches)
        while self._fill(source):
            done = landed(self._task, self._executor, self._flying)
            if not done:
                return
            self._collect(done)
            if self._suspects:
                self._recover()
        self._land()

    def _fill(self, source: Iterator[Batch]) -> bool:
        """Hand batches over until enough are under way; tell whether any is."""
        while not self._task.stopping() and len(self._flying) < self._executor.window:
            batch = self._returned.pop() if self._returned else next(source, None)
            if batch is None:
                break
            try:
                future = self._executor.submit(self._task.job, batch)
            except Unfit:
                raise
            except Exception as error:
                if not self._executor.lost(error):
                    raise
                self._returned.append(batch)
                if not self._flying:
                    self._executor.rebuild()
                    continue
                break
            self._flying[future] = batch
        return bool(self._flying) and not self._task.stopping()

    def _collect(self, done: Iterable[Future[tuple[Graded, ...]]]) -> None:
        for future in done:
            batch = self._flying.pop(future)
            error = future.exception()
            if error is None:
                self._task.keep(future.result())
            elif isinstance(error, (RulesDiffer, Unfit)):
                raise error
            else:
                self._suspects.append(batch)

    def _recover(self) -> None:
        """Wait until nothing is under way, then grade again what was lost or raised."""
        self._land()
        if not self._task.stopping():
            self._executor.rebuild()
            suspects, self._suspects = self._suspects, []
            self._recovery.isolate(suspects)

    def _land(self) -> None:
        """Begin nothing; keep what comes of the batches under way."""
        while self._flying:
            done = landed(self._task, self._executor, self._flying)
            if not done:
                return
            self._collect(done)
