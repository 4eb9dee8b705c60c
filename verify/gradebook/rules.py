"""The exercises as they were graded: their rules by id, and which of them a run asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from verify.gradebook.stored import MOST_POINTS, NotOurs, checks_of
from verify.model import ExerciseInfo

if TYPE_CHECKING:
    import sqlite3

    from verify.model import CheckInfo, Result

_ASKED = "SELECT rules FROM asked WHERE run = ? ORDER BY position"
_REGRADED = (
    "SELECT a.rules FROM asked a JOIN rules r ON r.id = a.rules JOIN run ON run.id = a.run"
    " WHERE r.exercise = ? AND a.run > ? AND run.kind = 'regrade' ORDER BY a.run DESC LIMIT 1"
)


class RuleSet(NamedTuple):
    """One exercise as it was graded; `passing` has the result of each check that passes."""

    id: int
    digest: str
    exercise: ExerciseInfo
    passing: tuple[Result[CheckInfo], ...]
    all_pass: str


class Rules:
    """The rules of a gradebook, each read once."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._known: dict[int, RuleSet] = {}

    def __getitem__(self, number: int) -> RuleSet:
        """Return the rules of an id."""
        known = self._known.get(number)
        if known is None:
            known = self._known[number] = self._read(number)
        return known

    def _read(self, number: int) -> RuleSet:
        query = "SELECT exercise, digest, title, points, checks FROM rules WHERE id = ?"
        name, digest, title, points, text = self._connection.execute(query, (number,)).fetchone()
        checks = checks_of(text)
        if not 0 <= points <= MOST_POINTS:
            raise NotOurs(f"is not a number of points: {points}")
        exercise = ExerciseInfo(name, title, points, checks)
        return RuleSet(number, digest, exercise, exercise.results(), "p" * len(checks))

    def asked(self, run: int) -> tuple[RuleSet, ...]:
        """Return what a run asked for, in its order."""
        return tuple(self[number] for (number,) in self._connection.execute(_ASKED, (run,)))

    def newest(self, rules: RuleSet, run: int) -> RuleSet:
        """Return what a regrading after a run made of its rules; themselves where none did."""
        values = (rules.exercise.name, run)
        found = self._connection.execute(_REGRADED, values).fetchone()
        return rules if found is None else self[found[0]]
