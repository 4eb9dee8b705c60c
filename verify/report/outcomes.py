"""What outcomes are called in the report, and how a learner's outcomes add up to one."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from verify.gradebook.values import CheckMark, ExerciseInfo, Mark


class Sign(NamedTuple):
    """How an outcome looks: its letter in the data, its symbol, its word."""

    letter: str
    symbol: str
    word: str


PASS = Sign("p", "✓", "pass")
FAIL = Sign("f", "✗", "fail")
NOTE = Sign("n", "!", "note")  # an advisory check that did not pass: it costs nothing
SKIP = Sign("s", "·", "skip")
UNASKED = Sign("a", "∅", "unasked")  # nothing could answer it: it counts nowhere
ERROR = Sign("e", "?", "error")
UNRESOLVED = Sign("u", "¿", "unresolved")  # a person has to look
MISSING = Sign("m", "–", "missing")  # noqa: RUF001  # the dash is meant
SIGNS = {
    sign.letter: sign for sign in (PASS, FAIL, NOTE, SKIP, UNASKED, ERROR, UNRESOLVED, MISSING)
}

_OF_OUTCOME = {sign.word: sign for sign in (PASS, FAIL, SKIP, UNASKED, ERROR, UNRESOLVED, MISSING)}
_GRAVEST_FIRST = (ERROR, UNRESOLVED, FAIL, MISSING, PASS)


def sign_of_mark(mark: Mark) -> Sign:
    """Return the sign of an exercise's outcome."""
    return _OF_OUTCOME[mark.outcome]


def sign_of_check(result: CheckMark) -> Sign:
    """Return the sign of a check's outcome."""
    if result.outcome == "fail" and result.check.advisory:
        return NOTE
    return _OF_OUTCOME[result.outcome]


def letters_of(mark: Mark, exercise: ExerciseInfo) -> str:
    """Return a letter for each check of the exercise as it is now, in order.

    Where nothing was graded, each is the letter of the mark itself. A mark that a regrading did not
    come to has its checks as they were: one that it was graded without is not graded.
    """
    if not mark.checks:
        return sign_of_mark(mark).letter * len(exercise.checks)
    if mark.exercise is exercise:
        return "".join([sign_of_check(result).letter for result in mark.checks])
    found = {result.check.code: sign_of_check(result).letter for result in mark.checks}
    return "".join([found.get(check.code, ERROR.letter) for check in exercise.checks])


def gravest(marks: Iterable[Mark]) -> Sign:
    """Return one outcome for several exercises: error, unresolved, fail, missing, pass."""
    outcomes = {mark.outcome for mark in marks}
    return next((sign for sign in _GRAVEST_FIRST if sign.word in outcomes), MISSING)
