"""Reads the results that count with the place of their submission, to grade it again."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from verify.gradebook.records import Known
from verify.gradebook.waiting import LAST

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Sequence

    from verify.gradebook.rules import Rules, RuleSet

_PIECE = 2_000  # submissions read at a time: no reader stays open while results are written
_COLUMNS = "s.id, s.learner, s.attempt, s.kind, s.container, s.inner, s.conflict"
_FIRST = 7  # columns of the submission
_WIDTH = 6  # columns of one result


class Held(NamedTuple):
    """A result that counts, and what grading asked and was answered."""

    rules: RuleSet
    outcome: str
    score: int | None
    letters: str
    known: Known


class Current(NamedTuple):
    """A submission with its results, one an exercise, None where it was not graded."""

    id: int
    learner: str
    attempt: str
    kind: str
    container: str
    inner: str
    results: tuple[Held | None, ...]
    conflict: str = ""


class Results:
    """The results that count of the submissions that a run met; `latest`: of the last attempts."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        rules: Rules,
        run: int,
        exercises: Sequence[str],
        *,
        latest: bool,
    ) -> None:
        self._connection = connection
        self._rules = rules
        self._run = run
        self._exercises = tuple(exercises)
        self._kept = LAST if latest else ""

    def __len__(self) -> int:
        """Return how many submissions there are."""
        query = f"SELECT count(*) FROM submission s WHERE s.seen = ?{self._kept}"  # noqa: S608  # our own words
        return int(self._connection.execute(query, (self._run,)).fetchone()[0])

    def __iter__(self) -> Iterator[Current]:
        """Yield the submissions by their ids; results may be written meanwhile."""
        query = self._query()
        after = -1
        values = (*self._exercises, self._run)
        while piece := self._connection.execute(query, (*values, after, _PIECE)).fetchall():
            after = piece[-1][0]
            for row in piece:
                *place, conflict = row[:_FIRST]
                found = row[_FIRST:]
                results = tuple(
                    self._held(*found[at : at + _WIDTH]) for at in range(0, len(found), _WIDTH)
                )
                yield Current._make((*place, results, conflict))

    def _held(
        self,
        rules: int | None,
        outcome: str,
        score: int | None,
        letters: str,
        *known: str | bytes | None,
    ) -> Held | None:
        if rules is None:
            return None
        return Held(self._rules[rules], outcome, score, letters, Known._make(known))

    def _query(self) -> str:
        numbers = range(len(self._exercises))
        columns = "".join(
            f", r{n}.rules, r{n}.outcome, r{n}.score, r{n}.outcomes, q{n}.text, r{n}.answers"
            for n in numbers
        )
        joins = "".join(
            f" LEFT JOIN result r{n} ON r{n}.submission = s.id AND r{n}.exercise = ?"
            f" AND r{n}.superseded IS NULL LEFT JOIN questions q{n} ON q{n}.id = r{n}.questions"
            for n in numbers
        )
        return (
            f"SELECT {_COLUMNS}{columns} FROM submission s{joins}"  # noqa: S608  # our own words
            f" WHERE s.seen = ? AND s.id > ?{self._kept} ORDER BY s.id LIMIT ?"
        )
