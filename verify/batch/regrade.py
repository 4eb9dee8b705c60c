"""What grading the submissions of a gradebook again, where they are, would change."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pipeline.terminal.display import visible
from verify.batch.cache import UNOPENED, changed_files
from verify.batch.job import Graded
from verify.gradebook.records import score_text
from verify.grading.model import Outcome
from verify.intake.opening import is_gone

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from verify.gradebook.reading import Submissions
    from verify.gradebook.records import Mark, Pending
    from verify.grading.model import ExerciseInfo

GONE = "its collection no longer exists"
NOT_GRADED = "it has not been graded yet"
UP, DOWN, LEVEL = "up", "down", "with the same score"


class Flip(NamedTuple):
    """A check that differs."""

    code: str  #: of the check
    before: str  #: its outcome, `new`, or what it was worth
    after: str  #: its outcome, `removed`, or what it is worth

    def __str__(self) -> str:
        return f"{self.code} {self.before} -> {self.after}"


class GradeChange(NamedTuple):
    """A result that differs."""

    learner: str
    attempt: str
    exercise: str
    before: str  #: the score, the outcome where there is none
    after: str  #: likewise
    way: str  #: which way it goes
    checks: tuple[Flip, ...] = ()  #: those that differ
    files: tuple[str, ...] = ()  #: those that changed since the last grading


class Regrading:
    """What differs when submissions are graded again, for `exercises` as they are today.

    `changes` are the results that differ. `kept` are those that stay since there is nothing to
    grade, `failed` those that stay since grading failed: whose, and why. `compared` counts what
    was graded again.
    """

    def __init__(self, submissions: Submissions, exercises: Sequence[ExerciseInfo]) -> None:
        self.changes: list[GradeChange] = []
        self.kept: list[str] = []
        self.failed: list[str] = []
        self.compared = 0
        self._submissions = submissions
        self._exercises = exercises
        self._under_way: dict[int, tuple[Pending, tuple[Mark | None, ...]]] = {}

    def pending(self) -> Iterator[Pending]:
        """Yield what can be graded again, and note what cannot."""
        for pending, marks in self._submissions:
            gone = any(marks) and is_gone(pending.kind, pending.container)
            if gone or not any(marks):
                reason = GONE if gone else NOT_GRADED
                self.kept += [_line(pending, exercise, reason) for exercise in self._exercises]
                continue
            self._under_way[pending.id] = pending, marks
            yield pending

    def taken(self, results: Sequence[Graded]) -> list[Graded]:
        """Note what results change, and return those that are to be written."""
        written = []
        for number, marks in results:
            submission, earlier = self._under_way.pop(number)
            triples = zip(self._exercises, earlier, marks, strict=True)
            compared = [self._compared(submission, *marks) for marks in triples]
            written.append(Graded(number, tuple(compared)))
        return written

    def _compared(
        self, submission: Pending, exercise: ExerciseInfo, before: Mark | None, after: Mark | None
    ) -> Mark | None:
        """Note what a mark changes, and return it where it is to be written."""
        if before is None:
            self.kept.append(_line(submission, exercise, NOT_GRADED))
            return None
        if after and after.outcome is Outcome.UNRESOLVED and before.reads != UNOPENED:
            self.kept.append(_line(submission, exercise, after.why.message))
            return None
        self.compared += 1
        if after is None:
            return None
        if after.outcome is Outcome.ERROR:  # our fault: no reason to take a score away
            self.failed.append(_line(submission, exercise, after.why.message))
            return None
        change = change_of(submission, before, after)
        if change is not None:
            self.changes.append(change)
        return after


def change_of(submission: Pending, before: Mark, after: Mark) -> GradeChange | None:
    """Return what a new mark changes in a result, None if people would see no difference."""
    was, now = before.graded, after.graded
    flips = tuple(_flips(before, after))
    if (before.outcome, was) == (after.outcome, now) and not flips:
        return None
    way = LEVEL
    if now is not None and now != was:
        way = UP if was is None or now > was else DOWN
    files = changed_files(before.cache_key, after.cache_key)
    whose = submission.learner, submission.attempt, after.exercise.name
    return GradeChange(*whose, _shown(before), _shown(after), way, flips, files)


def _shown(mark: Mark) -> str:
    return score_text(mark.graded) or mark.outcome.value


def _flips(before: Mark, after: Mark) -> Iterator[Flip]:
    if Outcome.UNRESOLVED in (before.outcome, after.outcome):  # that has no checks
        return
    earlier = {result.check.code: result for result in before.results}
    for result in after.results:
        code, points, outcome = result.check.code, result.check.points, result.outcome.value
        was = earlier.pop(code, None)
        if was is None:
            yield Flip(code, "new", outcome)
        elif was.outcome != outcome:
            yield Flip(code, was.outcome.value, outcome)
        elif was.check.points != points:
            yield Flip(code, f"worth {was.check.points}", str(points))
    yield from (Flip(code, was.outcome.value, "removed") for code, was in earlier.items())


def _line(submission: Pending, exercise: ExerciseInfo, reason: str) -> str:
    who = visible(f"{submission.learner} {submission.attempt}".strip())
    return f"{who} {exercise.name}: {visible(reason, 300)}"
