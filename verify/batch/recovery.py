"""Finds the submission that ends its worker: alone it is condemned, everybody else is graded."""

from __future__ import annotations

import time
import traceback
from concurrent.futures import FIRST_COMPLETED, Future, wait
from typing import TYPE_CHECKING, NamedTuple

from pipeline.display import visible
from verify.batch.executors.base import Unfit
from verify.batch.planning import DEATHS
from verify.batch.rules import RulesDiffer
from verify.batch.work import Batch, Graded
from verify.gradebook.records import FindingRow, Record

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from verify.batch.executors.base import Executor
    from verify.batch.work import Job

_IN_A_ROW = 20  # condemned submissions with nothing graded in between: then it is the machine
_TICK = 0.25  # seconds between two looks at the workers, and at whether to stop
_PATIENCE = 5.0  # seconds that what is under way gets once the run is to stop

ENDED = "grading this submission ends the process that grades it: this is our fault"
RAISED = "grading this submission failed ({}): this is our fault"
_MENDED = "Report it, and run the command again once it is mended, with --jobs 2 or more."
_LOGGED = "Report it with the log file; the next run grades it again."


class Task(NamedTuple):
    """What a run grades, and where results go; `checks` counts the checks of each exercise.

    `keep` is given each result once. `stopping` tells whether to begin nothing more.
    """

    job: Job
    checks: tuple[int, ...]
    keep: Callable[[Sequence[Graded]], None]
    stopping: Callable[[], bool]


def condemned(task: Task, number: int, error: BaseException | None = None) -> Graded:
    """Return the records of a submission that cannot be graded: an error, and no score.

    `error` is what grading it raised, None where it ended its process.
    """
    reason, step, crash = ENDED, _MENDED, ""
    if error is not None:
        reason = RAISED.format(visible(f"{type(error).__name__}: {error}", 300))
        step = _LOGGED
        crash = "".join(traceback.format_exception(error))
    finding = FindingRow(0, 0, reason, next_step=step)
    return Graded(
        number,
        tuple(Record("error", None, "e" * n, "[]", b"", (finding,), crash) for n in task.checks),
    )


def landed(
    task: Task, executor: Executor, flying: Collection[Future[tuple[Graded, ...]]]
) -> set[Future[tuple[Graded, ...]]]:
    """Wait until some of what is under way is done, and return it.

    Nothing is returned where the task is to stop and what is under way takes too long.

    Raises:
        Unfit: nobody is left to do it.
    """
    until = None
    while True:
        done, _ = wait(flying, timeout=_TICK, return_when=FIRST_COMPLETED)
        if done:
            return done
        executor.check()
        if task.stopping():
            until = until or time.monotonic() + _PATIENCE
            if time.monotonic() > until:
                return set()


class Recovery:
    """Grades the batches of lost workers again, one at a time, and halves what fails again."""

    def __init__(self, task: Task, executor: Executor) -> None:
        self._task = task
        self._executor = executor
        self._deaths: dict[int, int] = {}
        self._in_a_row = 0

    def isolate(self, suspects: Sequence[Batch]) -> None:
        """Grade batches while nothing else is under way; what cannot be graded is condemned.

        Raises:
            Unfit: the workers die whatever they are given.
            RulesDiffer: a worker has other ones.
        """
        left = list(reversed(suspects))
        while left and not self._task.stopping():
            batch = left.pop()
            error = self._tried(batch)
            if error is None:
                self._in_a_row = 0
            elif len(batch.items) > 1:
                left += reversed(_halves(batch))
            elif self._convicted(batch.items[0].id, error):
                gone = self._executor.lost(error)
                self._task.keep([condemned(self._task, batch.items[0].id, None if gone else error)])
            else:
                left.append(batch)

    def _tried(self, batch: Batch) -> BaseException | None:
        """Grade a batch with no other beside it and keep the results, or say what came instead."""
        try:
            future = self._executor.submit(self._task.job, batch)
        except Exception as fault:
            if not self._executor.lost(fault):
                raise
            self._executor.rebuild()
            return fault
        if not landed(self._task, self._executor, [future]):
            return None  # the run stops: this batch is the next one's
        error = future.exception()
        if error is None:
            self._task.keep(future.result())
        elif isinstance(error, (RulesDiffer, Unfit)):
            raise error
        elif self._executor.lost(error):
            self._executor.rebuild()
        return error

    def _convicted(self, number: int, error: BaseException) -> bool:
        """Tell whether a submission that was alone is to blame."""
        if not self._executor.lost(error):
            return True
        self._deaths[number] = self._deaths.get(number, 0) + 1
        if self._deaths[number] < DEATHS:
            return False
        self._in_a_row += 1
        if self._in_a_row > _IN_A_ROW:
            raise Unfit(
                f"workers die whatever they grade: {_IN_A_ROW} submissions in a row ended theirs"
                " (is there enough memory?)"
            )
        return True


def _halves(batch: Batch) -> tuple[Batch, Batch]:
    middle = len(batch.items) // 2
    return (
        batch._replace(items=batch.items[:middle]),
        batch._replace(items=batch.items[middle:]),
    )
