"""The learners of a roster and the texts that identify them, in a database that takes no memory."""

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

_CHUNK = 2_000
_TABLES = """
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
CREATE TABLE learner (at INTEGER PRIMARY KEY, key TEXT, name TEXT, email TEXT, ids TEXT);
CREATE TABLE hint (kind TEXT, text TEXT, at INTEGER);
CREATE TABLE own (cell TEXT, place INTEGER, line INTEGER);
"""
_COLUMNS = "SELECT key, name, email, ids FROM learner"


class Enrolled(NamedTuple):
    """A learner, and the texts that may mean this learner, each with its kind.

    `own` are cells that only one learner may have: each with the position of its column, and its
    line.
    """

    learner: Learner
    hints: tuple[tuple[str, str], ...]
    own: tuple[tuple[str, int, int], ...] = ()


class Repeated(NamedTuple):
    """A cell that two lines have, the first such by the second line."""

    cell: str
    place: int
    line: int
    before: int


class Index(Sequence[Learner]):
    """Learners in the order in which they came, found by their texts.

    They are in a temporary file of SQLite's, which vanishes with the last reference to them.
    """

    def __init__(self, enrolled: Iterable[Enrolled]) -> None:
        # the last reference may go in any thread
        self._database = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        weakref.finalize(self, self._database.close)
        self._database.executescript(_TABLES)
        self._database.execute("BEGIN")
        self._number = 0
        source = iter(enrolled)
        while chunk := list(islice(source, _CHUNK)):
            self._add(chunk)
        self._database.execute("CREATE INDEX hint_text ON hint (text)")
        self._database.execute("COMMIT")

    def _add(self, chunk: list[Enrolled]) -> None:
        numbered = list(enumerate(chunk, self._number))
        self._number += len(chunk)
        learners = ((at, one.learner) for at, one in numbered)
        for query, rows in (
            (
                "INSERT INTO learner VALUES (?, ?, ?, ?, ?)",
                ((at, o.key, o.name, o.email, json.dumps(dict(o.ids))) for at, o in learners),
            ),
            (
                "INSERT INTO hint VALUES (?, ?, ?)",
                ((kind, whole(text), at) for at, o in numbered for kind, text in o.hints if text),
            ),
            ("INSERT INTO own VALUES (?, ?, ?)", (row for _, one in numbered for row in one.own)),
        ):
            self._database.executemany(query, rows)

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

    def keys(self, text: str, *kinds: str) -> list[str]:
        """Return the keys of learners whom a text of these kinds may mean: two at most."""
        found = self._database.execute("SELECT kind, at FROM hint WHERE text = ?", (whole(text),))
        places = {at for kind, at in found if kind in kinds}
        return [self._key(at) for at in sorted(places)[:2]]

    def _key(self, at: int) -> str:
        query = "SELECT key FROM learner WHERE at = ?"
        return str(self._database.execute(query, (at,)).fetchone()[0])

    def has(self, kind: str, text: str, key: str) -> bool:
        """Tell whether a text of this kind may mean the learner with this key."""
        query = "SELECT 1 FROM hint JOIN learner USING (at) WHERE text = ? AND kind = ? AND key = ?"
        return bool(self._database.execute(query, (whole(text), kind, key)).fetchone())

    def has_kind(self, kind: str) -> bool:
        """Tell whether any learner has a text of this kind."""
        query = "SELECT 1 FROM hint WHERE kind = ? LIMIT 1"
        return bool(self._database.execute(query, (kind,)).fetchone())

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
