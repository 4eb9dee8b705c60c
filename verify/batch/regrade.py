"""Grades the submissions of a gradebook again, where they are, and says what that changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from verify.batch.cache import UNOPENED, changed_files
from verify.batch.kernel import Graded
from verify.batch.run import Run
from verify.intake.opening import is_gone
from verify.model import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from verify.batch.kernel import Job
    from verify.batch.limits import Limits
    from verify.batch.run import Engine
    from verify.gradebook.reading import Submissions
    from verify.gradebook.recording import Book
    from verify.gradebook.records import Mark, Pending
    from verify.model import ExerciseInfo

GONE = "its collection no longer exists"
NOT_GRADED = "it has not been graded yet"
UP, DOWN, LEVEL = "up", "down", "level"


@dataclass(frozen=True, order=True)
class Flip:
    """A check whose outcome or points differ; None for a check that is new or removed."""

    code: str
    before: str | None
    after: str | None
    points: tuple[int, int]


@dataclass(frozen=True, order=True)
class Side:
    """A result before or after: its outcome, and its score, None if it has none."""

    outcome: str
    score: int | None


@dataclass(frozen=True, order=True)
class Change:
    """One result that differs; `files` are those that changed since the last grading."""

    learner: str
    attempt: str
    exercise: str
    before: Side
    after: Side
    checks: tuple[Flip, ...]
    files: tuple[str, ...]

    @property
    def way(self) -> str:
        """Return which way the score goes: up, down or level; from an error to a score is up."""
        before, after = self.before.score, self.after.score
        if before is None or after is None:
            return UP if before is None and after is not None else LEVEL
        return UP if after > before else DOWN if after < before else LEVEL


@dataclass(frozen=True, order=True)
class Kept:
    """A result that stays because its submission could not be graded again, and why."""

    learner: str
    attempt: str
    exercise: str
    reason: str


class Regrading:
    """One regrading: `job` and `exercises` are today's; results go into `book` where there is one.

    `changes` are the results that differ, `kept` those that stay since there is nothing to grade,
    `failed` those that stay since grading failed; `compared` counts what was graded again.
    """

    def __init__(
        self,
        submissions: Submissions,
        job: Job,
        exercises: Sequence[ExerciseInfo],
        *,
        book: Book | None = None,
    ) -> None:
        self.changes: list[Change] = []
        self.kept: list[Kept] = []
        self.failed: list[Kept] = []
        self.compared = 0
        self._submissions = submissions
        self._job = job
        self._exercises = exercises
        self._book = book
        self._under_way: dict[int, tuple[Pending, tuple[Mark | None, ...]]] = {}

    def graded(
        self, engine: Engine, limits: Limits, stopping: Callable[[], bool]
    ) -> Iterator[list[Graded]]:
        """Grade everything again and yield results as they come.

        Raises:
            StopRun: as `Run.graded`.
        """
        run = Run(engine, self._job, self._exercises, limits=limits, stopping=stopping)
        for results in run.graded(self._pending(), expected=len(self._submissions)):
            written = [Graded(number, self._changed(number, marks)) for number, marks in results]
            if self._book is not None:
                self._book.record(written)
            yield results

    def _pending(self) -> Iterator[Pending]:
        """Yield what can be graded again, and note what cannot."""
        for each, marks in self._submissions:
            gone = any(marks) and is_gone(each.kind, each.container)
            if gone or not any(marks):
                reason = GONE if gone else NOT_GRADED
                self.kept += [_kept(each, exercise, reason) for exercise in self._exercises]
                continue
            self._under_way[each.id] = each, marks
            yield each

    def _changed(self, number: int, marks: Sequence[Mark | None]) -> tuple[Mark | None, ...]:
        submission, earlier = self._under_way.pop(number)
        triples = zip(self._exercises, earlier, marks, strict=True)
        return tuple(self._compared(submission, *each) for each in triples)

    def _compared(
        self, submission: Pending, exercise: ExerciseInfo, before: Mark | None, after: Mark | None
    ) -> Mark | None:
        """Note what a mark changes, and return it where it is to be written."""
        if before is None:
            self.kept.append(_kept(submission, exercise, NOT_GRADED))
            return None
        self.compared += 1
        if after is None:
            return None
        if after.outcome is Outcome.ERROR:  # our fault: no reason to take a score away
            self.failed.append(_kept(submission, exercise, _why(after)))
            return None
        if after.reads == UNOPENED != before.reads:
            self.compared -= 1
            self.kept.append(_kept(submission, exercise, _why(after)))
            return None
        change = change_of(submission, before, after)
        if change is not None:
            self.changes.append(change)
        return after


def change_of(submission: Pending, before: Mark, after: Mark) -> Change | None:
    """Return what a new mark changes in a result, None if people would see no difference."""
    flips = tuple(_flips(before, after))
    was, now = (Side(mark.outcome.value, mark.graded) for mark in (before, after))
    if was == now and not flips:
        return None
    files = changed_files(before.cache_key, after.cache_key)
    name = after.exercise.name
    return Change(submission.learner, submission.attempt, name, was, now, flips, files)


def _flips(before: Mark, after: Mark) -> Iterator[Flip]:
    if Outcome.UNRESOLVED in (before.outcome, after.outcome):  # that has no checks
        return
    earlier = {each.check.code: each for each in before.results}
    for result in after.results:
        code, points = result.check.code, result.check.points
        was = earlier.pop(code, None)
        if was is None:
            yield Flip(code, None, result.outcome.value, (0, points))
        elif (was.outcome, was.check.points) != (result.outcome, points):
            yield Flip(code, was.outcome.value, result.outcome.value, (was.check.points, points))
    for code, was in earlier.items():
        yield Flip(code, was.outcome.value, None, (was.check.points, 0))


def _kept(submission: Pending, exercise: ExerciseInfo, reason: str) -> Kept:
    return Kept(submission.learner, submission.attempt, exercise.name, reason)


def _why(mark: Mark) -> str:
    findings = [finding for result in mark.results for finding in result.findings]
    return mark.reason or (findings[0].message if findings else "grading failed")
