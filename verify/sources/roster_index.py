"""The learners of a roster and what they are called, in a database that takes no memory."""

from __future__ import annotations

import json
import sqlite3
import weakref
from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple, overload

from verify.gradebook.texts import whole
from verify.gradebook.values import Learner

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

KEY, EXACT, FOLDED, PERSON = range(4)  # how sure a text tells a learner: the surest first
_CHUNK = 2_000
_TABLES = """
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
CREATE TABLE learner (at INTEGER PRIMARY KEY, key TEXT, name TEXT, email TEXT, ids TEXT);
CREATE TABLE called (text TEXT, sure INTEGER, at INTEGER);
CREATE TABLE own (cell TEXT, place INTEGER, line INTEGER);
"""
_COLUMNS = "SELECT key, name, email, ids FROM learner"


class Enrolled(NamedTuple):
    """A learner, by which texts it is known and how sure they are, and its own cells.

    `own` are cells that nobody else may have: each with the position of its column, and its line.
    """

    learner: Learner
    called: tuple[tuple[str, int], ...]
    own: tuple[tuple[str, int, int], ...] = ()


class Repeated(NamedTuple):
    """A cell that two lines have, the first such by the second line."""

    cell: str
    place: int
    line: int
    before: int


class Index(Sequence[Learner]):
    """Learners in the order in which they came, found by what they are called.

    They stand in a temporary file of SQLite's, which vanishes with the last reference to them.
    """

    def __init__(self, enrolled: Iterable[Enrolled]) -> None:
        self._database = sqlite3.connect("", isolation_level=None)
        weakref.finalize(self, self._database.close)
        self._database.executescript(_TABLES)
        self._database.execute("BEGIN")
        self._number = 0
        source = iter(enrolled)
        while chunk := list(islice(source, _CHUNK)):
            self._add(chunk)
        self._database.execute("CREATE INDEX called_text ON called (text, sure, at)")
        self._database.execute("COMMIT")

    def _add(self, chunk: list[Enrolled]) -> None:
        numbered = list(enumerate(chunk, self._number))
        self._number += len(chunk)
        self._database.executemany(
            "INSERT INTO learner VALUES (?, ?, ?, ?, ?)",
            [
                (at, one.key, one.name, one.email, json.dumps(dict(one.ids)))
                for at, (one, _, _) in numbered
            ],
        )
        self._database.executemany(
            "INSERT INTO called VALUES (?, ?, ?)",
            [(text, sure, at) for at, one in numbered for text, sure in one.called if text],
        )
        self._database.executemany(
            "INSERT INTO own VALUES (?, ?, ?)", [row for _, one in numbered for row in one.own]
        )

    def __len__(self) -> int:
        """Return how many learners there are."""
        return self._number

    def __iter__(self) -> Iterator[Learner]:
        """Yield the learners in their order."""
        for row in self._database.execute(f"{_COLUMNS} ORDER BY at"):
            yield _learner(*row)

    @overload
    def __getitem__(self, at: int) -> Learner: ...
    @overload
    def __getitem__(self, at: slice) -> list[Learner]: ...
    def __getitem__(self, at: int | slice) -> Learner | list[Learner]:
        """Return the learner at a place in the order."""
        if isinstance(at, slice):
            return [self[each] for each in range(*at.indices(self._number))]
        place = range(self._number)[at]
        return _learner(*self._database.execute(f"{_COLUMNS} WHERE at = ?", (place,)).fetchone())

    def key(self, at: int) -> str:
        """Return the key of the learner at a place."""
        query = "SELECT key FROM learner WHERE at = ?"
        return str(self._database.execute(query, (at,)).fetchone()[0])

    def called(self, texts: Iterable[str], sure: int, *, surer: bool = False) -> set[int]:
        """Return the places of those whom a text tells so surely; `surer`: or more surely."""
        wanted = [whole(text) for text in texts]
        marks = ", ".join("?" * len(wanted))
        compared = "<=" if surer else "="
        query = f"SELECT at FROM called WHERE text IN ({marks}) AND sure {compared} ?"  # noqa: S608  # marks only
        return {at for (at,) in self._database.execute(query, (*wanted, sure))}

    def repeated(self) -> Repeated | None:
        """Return a cell of their own that two learners have, None where there is none."""
        rows = self._database.execute(
            "SELECT cell, place, line, before FROM (SELECT cell, place, line,"
            " lag(line) OVER (PARTITION BY place, cell ORDER BY line) AS before FROM own)"
            " WHERE before IS NOT NULL ORDER BY line, place LIMIT 1"
        )
        found = rows.fetchone()
        self._database.execute("DROP TABLE own")
        return None if found is None else Repeated._make(found)


def _learner(key: str, name: str, email: str, ids: str) -> Learner:
    return Learner(key, name, email, json.loads(ids), rostered=True)
