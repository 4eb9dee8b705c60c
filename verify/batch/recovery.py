"""Finds the submission that a batch failed of and tries it alone; everybody else is graded."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, NamedTuple

from verify.batch.bounds import Stopped, too_big
from verify.batch.executors.base import Unfit
from verify.batch.work import Batch, Graded
from verify.gradebook.records import FindingRow, Record

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from verify.batch.bounds import Bounds
    from verify.batch.work import Job

_IN_A_ROW = 20  # batches that failed with none graded in between: then it may be the machine


class Task(NamedTuple):
    """What a run grades, and where results go; `checks` counts the checks of each exercise.

    `keep` is given each result once. `stopping` tells whether to begin nothing more.
    """

    job: Job
    checks: tuple[int, ...]
    keep: Callable[[Sequence[Graded]], None]
    stopping: Callable[[], bool]


class Trial(NamedTuple):
    """A batch as it is handed over. `alone`: a suspect, to a process of its own.

    A `probe` was graded before: it shows whether the machine still grades anything.
    """

    batch: Batch
    alone: bool = False
    probe: bool = False


def condemned(task: Task, number: int, stopped: Stopped) -> Graded:
    """Return the records of a submission that cannot be graded: an error, and no score."""
    finding = FindingRow(0, 0, stopped.reason, next_step=stopped.step)
    return Graded(
        number,
        tuple(
            Record("error", None, "e" * n, "[]", b"", (finding,), stopped.crash)
            for n in task.checks
        ),
    )


class Recovery:
    """What is to be tried again, and in which order.

    Those before a suspect come first. Those behind it may be as bad: they come after all batches
    that nobody has tried yet. Suspects come last, so that nobody waits for them.
    """

    def __init__(self, task: Task, bounds: Bounds) -> None:
        self._task = task
        self._bounds = bounds
        self._first: deque[Trial] = deque()
        self._behind: deque[Trial] = deque()
        self._suspects: deque[Trial] = deque()
        self._in_a_row = 0
        self._known: Batch | None = None  # a submission that was graded

    def before_all(self) -> Trial | None:
        """Return what is to be tried before anything new."""
        return self._first.popleft() if self._first else None

    def after_all(self) -> Trial | None:
        """Return what is to be tried when there is nothing new."""
        if self._behind:
            return self._behind.popleft()
        return self._suspects.popleft() if self._suspects else None

    def graded(self, trial: Trial, results: Sequence[Graded]) -> None:
        """Keep what came of a batch, but for those that had too little memory."""
        if trial.probe:
            self._in_a_row = 0
            return
        batch = trial.batch
        starved = [at for at, one in enumerate(results) if _is_starved(one)]
        if starved:
            for at in starved:
                self._suspect(trial, at, too_big(self._bounds))
            results = [one for at, one in enumerate(results) if at not in starved]
        if results:
            self._in_a_row = 0
            self._known = batch._replace(items=batch.items[:1])
            self._task.keep(results)

    def failed(self, trial: Trial, stopped: Stopped) -> None:
        """Split a batch at the submission that it failed of, or condemn one that was alone.

        Raises:
            Unfit: the source is gone, or nothing can be graded any more.
        """
        if stopped.is_source:
            raise Unfit(stopped.reason)
        if trial.probe:
            raise Unfit(_nothing_more(stopped, "one that could be graded cannot any more"))
        self._in_a_row += 1
        size = len(trial.batch.items)
        if size == 1:
            self._suspect(trial, 0, stopped)
        elif stopped.at is None:
            self._behind += (_part(trial.batch, 0, size // 2), _part(trial.batch, size // 2, size))
        else:
            self._split(trial, stopped.at, stopped)
        if self._in_a_row >= _IN_A_ROW:
            self._probe(stopped)

    def _split(self, trial: Trial, at: int, stopped: Stopped) -> None:
        self._suspect(trial, at, stopped)
        if at:
            self._first.append(_part(trial.batch, 0, at))
        if at + 1 < len(trial.batch.items):
            self._behind.append(_part(trial.batch, at + 1, len(trial.batch.items)))

    def _suspect(self, trial: Trial, at: int, stopped: Stopped) -> None:
        """Put a submission aside, to be tried alone, or condemn it where it was."""
        if trial.alone:
            number = trial.batch.items[at].id
            self._task.keep([condemned(self._task, number, stopped)])
        else:
            self._suspects.append(_part(trial.batch, at, at + 1)._replace(alone=True))

    def _probe(self, stopped: Stopped) -> None:
        """Try next what was graded before: is it the submissions, or the machine?"""
        if self._known is None:
            raise Unfit(_nothing_more(stopped, "none was graded"))
        self._in_a_row = 0
        self._first.appendleft(Trial(self._known, probe=True))


def _part(batch: Batch, begin: int, end: int) -> Trial:
    return Trial(batch._replace(items=batch.items[begin:end]))


def _is_starved(graded: Graded) -> bool:
    """Tell whether the memory was too small for a submission: it was shared with others."""
    return any(
        record is not None and record.outcome == "error" and "\nMemoryError" in record.crash
        for record in graded.records
    )


def _nothing_more(stopped: Stopped, why: str) -> str:
    told = f"nothing can be graded any more: {_IN_A_ROW} batches in a row failed, and {why}"
    return f"{told}; the last: {stopped.reason} (is there enough memory, and time?)"
