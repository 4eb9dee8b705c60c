"""Sums of a cohort for its summary, without making a mark of every result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from verify.gradebook.records import Override
    from verify.gradebook.rules import RuleSet

LIGHT = ("outcome", "score", "rules", "run")
_EACH = len(LIGHT)
_FIRST = 2  # the learner, and whether the submission is late, come before them


class ExerciseCount(NamedTuple):
    """How an exercise stands: `mean` is of the scores that count, None where there is none."""

    exercise: str
    passed: int
    failed: int
    unresolved: int
    error: int
    missing: int
    mean: float | None


class Counts(NamedTuple):
    """The sums of a cohort.

    `standings` counts the learners, or their attempts where all are asked for, with those who are
    missing; `late` the standings that are late.
    """

    exercises: tuple[ExerciseCount, ...]
    standings: int
    late: int


class Tally:
    """Adds up one exercise of a run."""

    def __init__(
        self, asked: RuleSet, run: int, overrides: Mapping[tuple[str, str], Override]
    ) -> None:
        self._rules = asked.id
        self._run = run
        self.name = asked.exercise.name
        self._scores = {
            who: one.score for (who, what), one in overrides.items() if what == self.name
        }
        self._outcomes = dict.fromkeys(("pass", "fail", "unresolved", "error", "missing"), 0)
        self._sum = 0.0
        self._scored = 0

    def add(
        self, learner: str, outcome: str | None, score: int | None, rules: int, run: int
    ) -> None:
        """Add one result; what was not graded yet is an error."""
        if outcome is None or (rules != self._rules and run <= self._run):
            outcome, score = "error", None
        self._outcomes[outcome] += 1
        self._score(learner, score)

    def add_missing(self, learner: str) -> None:
        """Add a learner who has no submission."""
        self._outcomes["missing"] += 1
        self._score(learner, None)

    def _score(self, learner: str, graded: int | None) -> None:
        score = self._scores.get(learner, graded) if self._scores else graded
        if score is not None:
            self._sum += score
            self._scored += 1

    def count(self) -> ExerciseCount:
        """Return the sums."""
        mean = self._sum / self._scored if self._scored else None
        return ExerciseCount._make((self.name, *self._outcomes.values(), mean))


def tallied(tallies: Sequence[Tally], rows: Iterable[Sequence[Any]]) -> tuple[int, int]:
    """Add rows of a learner, `late`, and `LIGHT` for each exercise; count them and the late."""
    number = late = 0
    for row in rows:
        number += 1
        late += row[1]
        for at, tally in enumerate(tallies):
            start = _FIRST + at * _EACH
            tally.add(row[0], *row[start : start + _EACH])
    return number, late
