"""Grades in this very process: another one is started only to try a suspect alone."""

from __future__ import annotations

from concurrent.futures import Future
from typing import TYPE_CHECKING

from verify.batch.alarm import TimeUp, alarm_for
from verify.batch.bounds import BOUNDS, Stopped, too_slow
from verify.batch.confinement import ceiling
from verify.batch.executors.attended import attended
from verify.batch.executors.base import Unfit
from verify.batch.heartbeat import place_of
from verify.batch.rules import RulesDiffer

if TYPE_CHECKING:
    from typing_extensions import Self

    from verify.batch.bounds import Bounds
    from verify.batch.executors.base import Grade
    from verify.batch.executors.pool import Pool
    from verify.batch.work import Batch, Graded, Job


class InProcess:
    """One worker: ourselves. What is tried alone gets a process of its own."""

    workers = 1
    window = 1
    batch_size = 250

    def __init__(self, grade: Grade, bounds: Bounds = BOUNDS) -> None:
        self.bounds = bounds
        self._grade = grade
        self._aside: Pool | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """End the process that grades aside."""
        if self._aside is not None:
            self._aside.__exit__()

    def submit(self, job: Job, batch: Batch, *, alone: bool = False) -> Future[tuple[Graded, ...]]:
        """Grade a batch here and now, or begin to grade it aside."""
        if alone:
            return self._put_aside(job, batch)
        future: Future[tuple[Graded, ...]] = Future()
        try:
            future.set_result(self._graded(job, batch))
        except (Stopped, RulesDiffer, Unfit) as error:
            future.set_exception(error)
        return future

    def _graded(self, job: Job, batch: Batch) -> tuple[Graded, ...]:
        slot = [0]
        seconds = self.bounds.seconds + self.bounds.slack(batch.kind)
        try:
            with ceiling(self.bounds.megabytes), alarm_for(slot, seconds):
                return attended(self._grade, job, batch, self.bounds, slot)
        except TimeUp:
            raise too_slow(self.bounds, at=place_of(slot[0], 0)) from None

    def _put_aside(self, job: Job, batch: Batch) -> Future[tuple[Graded, ...]]:
        """Hand a batch to a process of its own: it may end that one."""
        from verify.batch.executors.pool import Pool  # most runs need none

        self._aside = self._aside or Pool(self._grade, 1, self.bounds)
        try:
            return self._aside.submit(job, batch, alone=True)
        except Unfit as error:
            told = f"it could not be tried in a process of its own: {error}"
            future: Future[tuple[Graded, ...]] = Future()
            future.set_exception(Stopped(told, "The next run tries it again."))
            return future

    def wait(self, seconds: float) -> None:
        """Wait for what is graded aside."""
        if self._aside is not None:
            self._aside.wait(seconds)
