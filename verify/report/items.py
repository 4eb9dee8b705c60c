"""Item figures: how each check divides the learners, from one pass over them."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verify.grading.model import ExerciseInfo

_ANSWERS = {"p": 1, "f": 0, "n": 0, "s": 0}  # by a check's letter; the others say nothing of it
_LEAST = 1e-12  # a variance below this is the rounding of equal numbers


class ItemFigures(NamedTuple):
    """The figures of one check; None where they cannot be computed."""

    graded: int  #: learners of whom the check has an answer in the attempt that counts
    rate: float | None  #: the share of them that pass
    first_rate: float | None  #: the same of everybody's first attempt
    discrimination: float | None  #: correlation with the rest of the exercise

    @property
    def is_same_for_all(self) -> bool:
        """Return whether all that are graded have the same outcome, and there are several."""
        return self.graded > 1 and self.rate in (0.0, 1.0)


class _Sums:
    """The running sums of one check: x is whether it passes, r the rest of the exercise."""

    __slots__ = ("first", "first_passed", "graded", "pairs", "passed", "r", "rr", "x", "xr")

    def __init__(self) -> None:
        self.graded = self.passed = self.first = self.first_passed = 0
        self.pairs = self.x = 0
        self.r = self.rr = self.xr = 0.0

    def figures(self) -> ItemFigures:
        """Return what the sums amount to."""
        rate = self.passed / self.graded if self.graded else None
        first = self.first_passed / self.first if self.first else None
        return ItemFigures(self.graded, rate, first, self._correlation())

    def _correlation(self) -> float | None:
        """Return Pearson's correlation, which is the point-biserial one where x is 0 or 1."""
        if self.pairs < 2:  # noqa: PLR2004  # of one there is none
            return None
        x, r = self.x / self.pairs, self.r / self.pairs
        spread = self.rr / self.pairs - r * r
        if x in (0, 1) or spread < _LEAST:
            return None
        return (self.xr / self.pairs - x * r) / sqrt((x - x * x) * spread)


class ItemTally:
    """The figures of all checks; each learner is added once."""

    def __init__(self, exercises: Sequence[ExerciseInfo]) -> None:
        self._points = [[check.points for check in exercise.checks] for exercise in exercises]
        self._sums = [[_Sums() for _ in points] for points in self._points]

    def add(self, attempts: Sequence[Sequence[str]]) -> None:
        """Add a learner: of each attempt, the last one last, the letters of each exercise.

        They are empty where the exercise does not count.
        """
        for position, sums in enumerate(self._sums):
            last = attempts[-1][position]
            first = next((a[position] for a in attempts if _is_graded(a[position])), "")
            for check, letter in zip(sums, first, strict=False):
                if letter in _ANSWERS:
                    check.first += 1
                    check.first_passed += _ANSWERS[letter]
            if last:
                _add_last(sums, self._points[position], last)

    def figures(self) -> list[list[ItemFigures]]:
        """Return the figures of each exercise's checks, in order."""
        return [[check.figures() for check in sums] for sums in self._sums]


def _is_graded(letters: str) -> bool:
    return any(letter in _ANSWERS for letter in letters)


def _add_last(sums: Sequence[_Sums], points: Sequence[int], letters: str) -> None:
    """Add what the attempt that counts has; the rest is the share of the other checks' points."""
    answers = [_ANSWERS.get(letter) for letter in letters]
    possible = sum(n for n, passed in zip(points, answers, strict=True) if passed is not None)
    earned = sum(n for n, passed in zip(points, answers, strict=True) if passed)
    for check, worth, passed in zip(sums, points, answers, strict=True):
        if passed is None:
            continue
        check.graded += 1
        check.passed += passed
        if possible > worth:
            rest = (earned - worth * passed) / (possible - worth)
            check.pairs += 1
            check.x += passed
            check.r += rest
            check.rr += rest * rest
            check.xr += rest * passed
