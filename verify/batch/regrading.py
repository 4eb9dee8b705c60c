"""Grades the submissions of a gradebook again, by the places where they were met."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verify.batch.cache import UNOPENED
from verify.batch.impact import Change, Kept, change_of
from verify.batch.kernel import Graded
from verify.batch.run import Run
from verify.gradebook.records import Pending
from verify.intake.opening import is_gone
from verify.model import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from verify.batch.kernel import Job
    from verify.batch.limits import Limits
    from verify.batch.run import Engine
    from verify.gradebook.book import Book
    from verify.gradebook.current import Current, Held, Results
    from verify.gradebook.records import Known, Mark
    from verify.model import ExerciseInfo

GONE = "its collection is not there any more"
NOT_GRADED = "it was not graded yet"


class Regrading:
    """One regrading: `job` and `exercises` are today's; results go into `book` where there is one.

    `changes` are the results that differ, `kept` those that stay since there is nothing to grade,
    `failed` those that stay since grading was in error; `compared` counts what was graded again.
    """

    def __init__(
        self,
        results: Results,
        job: Job,
        exercises: Sequence[ExerciseInfo],
        *,
        book: Book | None = None,
    ) -> None:
        self.changes: list[Change] = []
        self.kept: list[Kept] = []
        self.failed: list[Kept] = []
        self.crashes: list[str] = []
        self.compared = 0
        self._results = results
        self._job = job
        self._exercises = exercises
        self._book = book
        self._flying: dict[int, Current] = {}

    def run(
        self,
        engine: Engine,
        limits: Limits,
        *,
        stopping: Callable[[], bool],
        graded: Callable[[Sequence[Graded]], None] = lambda _: None,
    ) -> None:
        """Grade everything again; `graded` is called with results as they come.

        Raises:
            StopRun: as `Run.graded`.
        """
        run = Run(engine, self._job, self._exercises, limits, stopping)
        for results in run.graded(self._pending(), expected=len(self._results)):
            self._keep(results)
            graded(results)

    def _pending(self) -> Iterator[Pending]:
        """Yield what can be graded again, and note what cannot."""
        for current in self._results:
            number, _, _, kind, container, inner, results, conflict = current
            if not any(results):
                self._stay(current, NOT_GRADED)
                continue
            if is_gone(kind, container):
                self._stay(current, GONE)
                continue
            self._flying[number] = current
            known = tuple(map(self._known, results, self._job.rules))
            known = known if any(known) else ()
            yield Pending(number, kind, container, inner, known, conflict)

    def _known(self, held: Held | None, digest: str) -> Known | None:
        fresh = held is not None and held.outcome != "error" and held.rules.digest == digest
        return held.known if held is not None and fresh else None

    def _stay(self, current: Current, reason: str) -> None:
        self.kept += [_kept(current, exercise, reason) for exercise in self._exercises]

    def _keep(self, batch: Sequence[Graded]) -> None:
        written: list[Graded] = []
        for number, marks in batch:
            current = self._flying.pop(number)
            fresh = tuple(
                self._compared(current, held, exercise, mark)
                for held, exercise, mark in zip(
                    current.results, self._exercises, marks, strict=True
                )
            )
            written.append(Graded(number, fresh))
        if self._book is not None:
            self._book.record(written)

    def _compared(
        self, current: Current, held: Held | None, exercise: ExerciseInfo, mark: Mark | None
    ) -> Mark | None:
        """Note what a mark changes, and return it where it is to be written."""
        if held is None:
            self.kept.append(_kept(current, exercise, NOT_GRADED))
            return None
        self.compared += 1
        if mark is None:
            return None
        if mark.outcome is Outcome.ERROR:  # our fault: no reason to take a score away
            self.failed.append(_kept(current, exercise, _why(mark)))
            self.crashes += mark.crashes
            return None
        if mark.reads == UNOPENED != held.known.reads:
            self.compared -= 1
            self.kept.append(_kept(current, exercise, _why(mark)))
            return None
        change = change_of(current, held, exercise, mark)
        if change is not None:
            self.changes.append(change)
        return mark


def _kept(current: Current, exercise: ExerciseInfo, reason: str) -> Kept:
    return Kept(current.learner, current.attempt, exercise.name, reason)


def _why(mark: Mark) -> str:
    if mark.outcome is Outcome.UNRESOLVED:
        return mark.reason
    findings = [finding for result in mark.results for finding in result.findings]
    return findings[0].message if findings else "grading failed"
