"""Counts a cohort while it streams by: outcomes, scores, and patterns of outcomes."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verify.gradebook.values import CheckInfo, ExerciseInfo
    from verify.report.entry import Entry


class CheckFigures(NamedTuple):
    """One check over the cohort; `rate` is the share of those graded that pass, None for none."""

    check: CheckInfo
    exercise: ExerciseInfo
    passed: int
    failed: int
    skipped: int
    errors: int

    @property
    def rate(self) -> float | None:
        """Return the share of graded learners who pass it; a skipped check is not passed."""
        graded = self.passed + self.failed + self.skipped
        return self.passed / graded if graded else None


class Tally:
    """What the overview counts; it grows with the patterns that occur, not with the learners."""

    def __init__(self, exercises: Sequence[ExerciseInfo]) -> None:
        self.exercises = tuple(exercises)
        self.entries = 0
        self.overridden = 0
        self.unknown = 0
        self.late = 0
        self.attempts = False  # a learner stands in it more than once
        self.outcomes: Counter[str] = Counter()  # of whole standings, by their word
        self.scores: Counter[float] = Counter()  # of standings that have every score
        self._marks: Counter[tuple[int, str]] = Counter()
        self._patterns: tuple[Counter[str], ...] = tuple(Counter() for _ in self.exercises)
        self._last: str | None = None

    def add(self, entry: Entry, *, has_roster: bool) -> None:
        """Count one standing."""
        self.entries += 1
        self.outcomes[entry.outcome.word] += 1
        self.overridden += entry.overridden
        self.unknown += has_roster and not entry.learner.rostered
        self.late += any(mark.late for mark in entry.marks)
        self.attempts = self.attempts or entry.learner.key == self._last
        self._last = entry.learner.key
        if entry.complete:
            self.scores[entry.score] += 1
        for position, (mark, letters) in enumerate(zip(entry.marks, entry.letters, strict=True)):
            self._marks[position, mark.outcome] += 1
            self._patterns[position][letters] += 1

    def of_exercise(self, position: int, outcome: str) -> int:
        """Return how many have this outcome in the exercise at a position."""
        return self._marks[position, outcome]

    def checks(self) -> list[CheckFigures]:
        """Return the figures of every check, in the order of the exercises."""
        return [
            figures
            for exercise, patterns in zip(self.exercises, self._patterns, strict=True)
            for figures in _figures(exercise, patterns)
        ]


def hardest_first(figures: Sequence[CheckFigures]) -> list[CheckFigures]:
    """Return the checks by their pass rate, the lowest first; those that nobody was graded last."""
    return sorted(figures, key=lambda each: 2.0 if each.rate is None else each.rate)


def _figures(exercise: ExerciseInfo, patterns: Counter[str]) -> list[CheckFigures]:
    found = []
    for position, check in enumerate(exercise.checks):
        letters: Counter[str] = Counter()
        for pattern, count in patterns.items():
            letters[pattern[position]] += count
        failed = letters["f"] + letters["n"]
        counts = letters["p"], failed, letters["s"], letters["e"]
        found.append(CheckFigures(check, exercise, *counts))
    return found
