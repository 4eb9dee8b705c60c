"""What a run writes into the gradebook: who was met, what is to be graded, what came of it."""

from __future__ import annotations

import json
from itertools import islice
from typing import TYPE_CHECKING, Any

from verify.gradebook import waiting
from verify.gradebook.copies import text_of
from verify.gradebook.recording import Recorder
from verify.gradebook.records import Enlisted, Pending, learner_row
from verify.gradebook.texts import whole_row
from verify.gradebook.transactions import transaction

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from verify.gradebook.copies import Compared
    from verify.gradebook.records import Learner, Mark
    from verify.model import ExerciseInfo

__all__ = ["Book", "Enlisted", "Pending"]

_CHUNK = 2_000


class Book:
    """One run's view of a gradebook that is open for writing.

    Every call that writes is one transaction, or part of the caller's: done, or not begun.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self.run = 0
        self._rules: tuple[tuple[str, int], ...] = ()  # exercise and the id of its rules
        self._new: frozenset[int] = frozenset()  # ids of rules that nothing was graded under
        self._recorder = Recorder(connection, 0, ())

    def begin(
        self,
        kind: str,
        *,
        started: str,
        by: str,
        sources: Sequence[tuple[str, str]],
        options: Mapping[str, Any],
        rules: Sequence[tuple[ExerciseInfo, str]],
    ) -> None:
        """Begin a run; `rules` are its exercises and the digest that each is graded under."""
        with transaction(self._connection):
            cursor = self._connection.execute(
                "INSERT INTO run (kind, started, sources, options, by) VALUES (?, ?, ?, ?, ?)",
                (kind, started, json.dumps(list(sources)), json.dumps(dict(options)), by),
            )
            self.run = cursor.lastrowid or 0
            (before,) = self._connection.execute("SELECT max(id) FROM rules").fetchone()
            self._rules = tuple((info.name, self._rules_id(info, d)) for info, d in rules)
            self._connection.executemany(
                "INSERT INTO asked (run, position, rules) VALUES (?, ?, ?)",
                [(self.run, at, number) for at, (_, number) in enumerate(self._rules)],
            )
        self._new = frozenset(number for _, number in self._rules if number > (before or 0))
        self._recorder = Recorder(self._connection, self.run, self._rules)

    def _rules_id(self, info: ExerciseInfo, digest: str) -> int:
        checks = json.dumps([check._asdict() for check in info.checks])
        self._connection.execute(
            "INSERT OR IGNORE INTO rules (exercise, digest, title, points, checks)"
            " VALUES (?, ?, ?, ?, ?)",
            (info.name, digest, info.title, info.points, checks),
        )
        query = "SELECT id FROM rules WHERE exercise = ? AND digest = ?"
        return int(self._connection.execute(query, (info.name, digest)).fetchone()[0])

    def compare(self, compared: Iterable[Compared]) -> None:
        """Note what is compared of each exercise of the run, in their order."""
        with transaction(self._connection):
            self._connection.executemany(
                "UPDATE asked SET compared = ? WHERE run = ? AND position = ?",
                [(text_of(each), self.run, at) for at, each in enumerate(compared)],
            )

    def enrol(self, learners: Iterable[Learner]) -> None:
        """Replace the roster; of two learners with one key the later is kept."""
        self.enrol_rows(map(learner_row, learners))

    def enrol_rows(self, rows: Iterable[tuple[str, str, str, str]]) -> None:
        """Replace the roster by rows of `learner_row`, as `enrol` does."""
        with transaction(self._connection):
            self._connection.execute("DELETE FROM learner")
            self._connection.executemany(
                "INSERT OR REPLACE INTO learner (key, name, email, ids) VALUES (?, ?, ?, ?)", rows
            )

    @property
    def has_roster(self) -> bool:
        """Tell whether a run was given a roster: submissions are then known by its keys."""
        query = "SELECT EXISTS (SELECT 1 FROM learner)"
        return bool(self._connection.execute(query).fetchone()[0])

    def enlist(self, rows: Iterable[Enlisted]) -> None:
        """Write submissions down as met by this run, one for each learner and attempt.

        What an earlier run met under the same label is met again, wherever it is now.
        """
        with transaction(self._connection):
            _enlist(self._connection, self.run, rows)

    def pending(self, *, latest: bool) -> Iterator[Pending]:
        """Yield the submissions of this run, as they were enlisted; `latest`: the last attempts.

        Results may be recorded meanwhile. What is `known` was graded under the same rules, and
        ended in no error.
        """
        rules = [None if pair[1] in self._new else pair for pair in self._rules]
        return waiting.pending(self._connection, self.run, rules, latest=latest)

    def expected(self, *, latest: bool) -> int:
        """Return how many submissions `pending` yields."""
        return waiting.expected(self._connection, self.run, latest=latest)

    def record(self, graded: Iterable[tuple[int, Sequence[Mark | None]]]) -> None:
        """Keep a batch of results, one transaction; an earlier result is kept as superseded.

        There is one mark an exercise, None where the earlier result stays.
        """
        try:
            with transaction(self._connection):
                self._recorder.record(graded)
        except BaseException:
            self._recorder.forget()
            raise

    def finish(self, finished: str) -> None:
        """Note that the run graded everything that it met."""
        with transaction(self._connection):
            self._connection.execute(
                "UPDATE run SET finished = ? WHERE id = ?", (finished, self.run)
            )


def _enlist(connection: sqlite3.Connection, run: int, rows: Iterable[Enlisted]) -> None:
    # the number of the run is not bound: rows go in as they come
    meet = (
        f"INSERT INTO submission VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, {run:d})"  # noqa: S608  # a number
        " ON CONFLICT (learner, attempt) DO UPDATE SET kind = excluded.kind,"
        " container = excluded.container, inner = excluded.inner, submitted = excluded.submitted,"
        " late = excluded.late, conflict = excluded.conflict, seen = excluded.seen"
    )
    source = iter(rows)
    while chunk := list(islice(source, _CHUNK)):
        _meet(connection, meet, chunk)


def _meet(connection: sqlite3.Connection, meet: str, rows: Sequence[Enlisted]) -> None:
    try:
        connection.executemany(meet, rows)
    except UnicodeEncodeError:  # half a character, as a file name that is no UTF-8 has them
        connection.executemany(meet, map(whole_row, rows))
