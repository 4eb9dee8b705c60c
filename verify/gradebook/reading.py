"""Reads a cohort out of a gradebook: how every learner stands, one after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from verify.gradebook.copies import compared_of, copies_in
from verify.gradebook.counting import LIGHT, Counts, Tally, tallied
from verify.gradebook.marking import PLACE, RESULT, Marker, missing
from verify.gradebook.overrides import holding
from verify.gradebook.records import Learner, Standing
from verify.gradebook.rules import Rules
from verify.gradebook.stored import ids_of, options_of

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Sequence

    from verify.gradebook.copies import Copies
    from verify.model import ExerciseInfo

_MET = "EXISTS (SELECT 1 FROM submission s WHERE s.learner = l.key AND s.seen = ?)"


class NothingGraded(Exception):
    """The gradebook holds no run to read; the message is one line."""


class Cohort(Protocol):
    """What exports and reports are made from."""

    @property
    def exercises(self) -> tuple[ExerciseInfo, ...]:
        """Return the exercises of the run, in the order in which they were asked for."""

    @property
    def has_roster(self) -> bool:
        """Tell whether there is a roster: else nobody can be missing."""

    def standings(self) -> Iterator[Standing]:
        """Yield how each learner stands, sorted by the learner's key, then by the attempt.

        It may be asked for again; nothing of a learner is held once the next one is asked for.
        """

    def copies(self) -> Iterator[Copies]:
        """Yield who submitted the same, an exercise after the other."""


class GradebookCohort:
    """The cohort of one run of grading, as the gradebook has it now.

    `run` is the id of a run that graded, the last one unless given; what a later run met again
    belongs to that one. Regradings after it count. It is `complete` unless it was interrupted:
    then what it did not come to is an error, not graded yet. With `attempts_all` there is one
    standing an attempt, else the last attempt stands for its learner.

    Raises:
        NothingGraded: there is no such run.
    """

    def __init__(
        self, connection: sqlite3.Connection, *, run: int | None = None, attempts_all: bool = False
    ) -> None:
        self._connection = connection
        self.run, finished, options = _run(connection, run)
        self.complete = finished is not None
        self.options: dict[str, Any] = options_of(options)
        self._all = attempts_all
        self._rules = Rules(connection)
        self._asked = self._rules.asked(self.run)
        self.exercises = tuple(self._rules.newest(one, self.run).exercise for one in self._asked)
        query = "SELECT EXISTS (SELECT 1 FROM learner)"
        self.has_roster = bool(connection.execute(query).fetchone()[0])

    def standings(self) -> Iterator[Standing]:
        """Yield how each learner stands, sorted by the learner's key, then by the attempt."""
        rows = self._rows(PLACE, RESULT)  # open to the end: every other question sees its moment
        roster = learners(self._connection)
        overrides = holding(self._connection)
        marker = Marker(self._connection, self._rules, self.run, self._asked)
        expected, learner = next(roster, None), None
        for row in rows:
            key = row[0]
            if learner is None or learner.key != key:
                while expected is not None and expected.key < key:
                    yield Standing(expected, missing(expected.key, self.exercises, overrides))
                    expected = next(roster, None)
                if expected is not None and expected.key == key:
                    learner, expected = expected, next(roster, None)
                else:
                    learner = Learner(key)
            yield marker.standing(learner, row, overrides)
        while expected is not None:
            yield Standing(expected, missing(expected.key, self.exercises, overrides))
            expected = next(roster, None)

    def copies(self) -> Iterator[Copies]:
        """Yield who submitted the same, an exercise after the other.

        Raises:
            NotOurs: somebody changed what the gradebook says is compared.
        """
        query = "SELECT compared FROM asked WHERE run = ? ORDER BY position"
        texts = self._connection.execute(query, (self.run,)).fetchall()
        for one, (text,) in zip(self._asked, texts, strict=True):
            if text:
                name, latest = one.exercise.name, not self._all
                compared = compared_of(text)
                yield from copies_in(self._connection, self.run, name, compared, latest=latest)

    def counts(self) -> Counts:
        """Return the sums of the cohort, for a summary."""
        overrides = holding(self._connection)
        tallies = [Tally(one, self.run, overrides) for one in self._asked]
        standings, late = tallied(tallies, self._rows("s.learner, s.late", LIGHT))
        if self.has_roster:
            query = f"SELECT l.key FROM learner l WHERE NOT {_MET} ORDER BY l.key"  # noqa: S608  # our own words
            for (key,) in self._connection.execute(query, (self.run,)):
                standings += 1
                for tally in tallies:
                    tally.add_missing(key)
        return Counts(tuple(tally.count() for tally in tallies), standings, late)

    def _rows(self, place: str, result: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        """Return the submissions by learner and attempt, with columns of each exercise's result.

        The learner stands first; where not all attempts are asked for there is one row a learner.
        """
        columns = "".join(f", r{n}.{name}" for n in range(len(self._asked)) for name in result)
        joins = "".join(
            f" LEFT JOIN result r{n} ON r{n}.submission = s.id AND r{n}.exercise = ?"
            f" AND r{n}.superseded IS NULL"
            for n in range(len(self._asked))
        )
        query = (
            f"SELECT {place}{columns} FROM submission s{joins} WHERE s.seen = ?"  # noqa: S608  # our own words
            " ORDER BY s.learner, s.attempt"
        )
        names = [one.exercise.name for one in self._asked]
        rows = self._connection.execute(query, (*names, self.run))
        return rows if self._all else _last(rows)


def learners(connection: sqlite3.Connection) -> Iterator[Learner]:
    """Yield the learners of the roster, sorted by their keys."""
    query = "SELECT key, name, email, ids FROM learner ORDER BY key"
    for key, name, email, ids in connection.execute(query):
        yield Learner(key, name, email, ids_of(ids), rostered=True)


def unresolved_places(connection: sqlite3.Connection, run: int) -> Iterator[tuple[str, str, str]]:
    """Yield the submissions of a run that are unresolved: learner, place, why and what to do."""
    return connection.execute(
        "SELECT DISTINCT s.learner, s.inner, f.message || '. ' || f.next_step"
        " FROM submission s JOIN result r ON r.submission = s.id AND r.superseded IS NULL"
        " AND r.outcome = 'unresolved'"
        " JOIN finding f ON f.result = r.id AND f.position = 0 AND f.ordinal = 0"
        " WHERE s.seen = ?",
        (run,),
    )


def is_sole(connection: sqlite3.Connection, run: int) -> bool:
    """Tell whether a run, with its roster, is about one learner."""
    query = "SELECT learner FROM submission WHERE seen = ? UNION SELECT key FROM learner LIMIT 2"
    return len(connection.execute(query, (run,)).fetchall()) == 1


def _run(connection: sqlite3.Connection, run: int | None) -> tuple[int, str | None, str]:
    found: tuple[int, str | None, str] | None = connection.execute(
        "SELECT id, finished, options FROM run WHERE kind = 'grade' AND id = coalesce(?1, id)"
        " ORDER BY id DESC LIMIT 1",
        (run,),
    ).fetchone()
    if found is None:
        which = "nothing" if run is None else f"no run {run}"
        raise NothingGraded(f"{which} was graded into this gradebook: run verify batch first")
    return found


def _last(rows: Iterator[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
    """Yield the last row of each learner."""
    held = next(rows, None)
    for row in rows:
        if held is not None and row[0] != held[0]:
            yield held
        held = row
    if held is not None:
        yield held
