"""The roster: who is in the class, and which learner a hint means."""

from __future__ import annotations

import json
import re
import sqlite3
import unicodedata
import weakref
from contextlib import closing
from typing import TYPE_CHECKING

from pipeline.display import listed, named
from verify.gradebook.texts import whole
from verify.gradebook.values import Learner
from verify.intake.roster_columns import columns_of
from verify.intake.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from verify.intake.roster_columns import Columns
    from verify.intake.table import Row

MAX_CELL = 1_000  # characters of any other cell: what is longer is cut
MAX_ROW = 100_000  # characters of all cells of a learner
_MAX_WORDS = 8  # of a name that is known in other orders
_MAX_NAME = 300  # characters: no learner has a longer name
_KEY, _EXACT, _FOLDED, _PERSON, _NUMBER = "key", "exact", "folded", "person", "number"
_PARTICIPANT = re.compile(
    r"(?:Participante?|Teilnehmer(?:/in(?:nen)?)?|Deelnemer) ?([0-9]{1,20})", re.IGNORECASE
)
_ACCENTS = re.compile("[\u0300-\u036f]+")
_TABLES = """
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
CREATE TABLE learner (at INTEGER PRIMARY KEY, key TEXT, name TEXT, email TEXT, ids TEXT);
CREATE TABLE hint (kind TEXT, text TEXT, at INTEGER);
"""
_SEEN = """
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
CREATE TABLE own (place TEXT, cell TEXT, line INTEGER, PRIMARY KEY (place, cell)) WITHOUT ROWID;
BEGIN;
"""
_NOBODY = frozenset({"points possible", "student, test", "test student"})  # in Canvas's


class UnusableRoster(Exception):
    """A roster that cannot be used; the message is one line with file and line."""


class Roster:
    """Who is in the class: iterates over the learners in the order of the file.

    `platform` is the platform whose export it is, empty for any other table. Each question is
    answered by the key of the only learner who is meant; None for none, and for several.

    The learners are in a temporary file of SQLite's, which vanishes with the last reference.
    `names` are the columns of the table, as far as they are not among the learners' `ids`.
    """

    def __init__(self, learners: Iterable[Learner], names: Iterable[str] = ()) -> None:
        # the last reference may go in any thread
        self._database = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        weakref.finalize(self, self._database.close)
        self._database.executescript(_TABLES)
        self._database.execute("BEGIN")
        known = dict.fromkeys(names)
        for one in learners:
            known.update(dict.fromkeys(one.ids))
            row = (one.key, one.name, one.email, json.dumps(dict(one.ids)))
            self._database.execute("INSERT INTO learner VALUES (NULL, ?, ?, ?, ?)", row)
        columns = columns_of(known)
        self.platform = columns.platform
        hints = (
            (kind, whole(text), at)
            for at, one in enumerate(self, 1)
            for kind, text in _hints(one, columns)
            if text
        )
        self._database.executemany("INSERT INTO hint VALUES (?, ?, ?)", hints)
        self._database.execute("CREATE INDEX hint_text ON hint (text)")
        self._kinds = {kind for (kind,) in self._database.execute("SELECT DISTINCT kind FROM hint")}
        self._database.execute("COMMIT")

    def __len__(self) -> int:
        """Return how many learners there are."""
        return int(self._database.execute("SELECT count(*) FROM learner").fetchone()[0])

    def __iter__(self) -> Iterator[Learner]:
        """Yield the learners in their order."""
        query = "SELECT key, name, email, ids FROM learner ORDER BY at"
        for key, name, email, ids in self._database.execute(query):
            yield Learner(key, name, email, json.loads(ids), rostered=True)

    def by_key(self, text: str) -> str | None:
        """Return whose key it is; else whose other identity (an id, a login, an address).

        Both as written, then in other letter case. A text that is one learner's key and another
        one's identity is nobody's.
        """
        exact, every = (_KEY, _EXACT), (_KEY, _EXACT, _FOLDED)
        for wanted, kinds in ((text, exact), (text.casefold(), every)):
            keys = self._keys(wanted, *kinds)
            if keys:
                return keys[0] if len(keys) == 1 else None
        return None

    def by_number(self, platform: str, number: str, person: str = "") -> str | None:
        """Return whose number it is, if the roster is of this platform.

        In Moodle's names the number may be that of a team: where `person` is given, the learner
        must be called so, or so behind a team's name and a hyphen.
        """
        key = self._only(_NUMBER, number) if platform == self.platform else None
        if key is None or platform != "moodle" or not person:
            return key
        words = person[:_MAX_NAME].split("-")[-_MAX_WORDS:]
        names = [person, *("-".join(words[at:]) for at in range(1, len(words)))]
        return key if any(self._keys(bare(name), _PERSON, key=key) for name in names) else None

    def by_login(self, platform: str, login: str) -> str | None:
        """Return whose login at a platform it is, by a column that has that platform's logins.

        Gradescope's logins are addresses: any roster with addresses knows them.
        """
        return self._only(platform, login.casefold())

    def by_person(self, text: str) -> str | None:
        """Return whose full name it is: case, accents, blanks and punctuation make no difference.

        Nor does whether the last name is first.
        """
        return self._only(_PERSON, bare(text)) if len(text) <= _MAX_NAME else None

    def has_login(self, text: str) -> bool:
        """Return whether a learner has this login at GitHub or Blackboard."""
        return bool(self._keys(text.casefold(), "classroom", "blackboard"))

    def _only(self, kind: str, text: str) -> str | None:
        keys = self._keys(text, kind)
        return keys[0] if len(keys) == 1 else None

    def _keys(self, text: str, *kinds: str, key: str | None = None) -> list[str]:
        """Return the keys of learners whom a text of these kinds may mean, two at most.

        With `key`, that learner's only.
        """
        if not text or self._kinds.isdisjoint(kinds):
            return []
        marks = ", ".join("?" * len(kinds))
        query = (
            "SELECT DISTINCT key FROM hint JOIN learner USING (at)"  # noqa: S608  # marks only
            f" WHERE text = ? AND kind IN ({marks}) AND key = ifnull(?, key) LIMIT 2"
        )
        return [key for (key,) in self._database.execute(query, (whole(text), *kinds, key))]


def read_roster(path: str) -> Roster:
    """Return the roster in a CSV file.

    Raises:
        UnusableRoster: it cannot be read, has no learner, or one twice.
    """
    table = Table(path, UnusableRoster)
    columns = columns_of(table.columns)
    if not columns.keys:
        what = f"no column identifies a learner: found {listed(table.columns, 20)}"
        what = f"{what}; expected one such as id, student id, matrikelnummer, username, email"
        raise table.wrong(1, what)
    roster = Roster(_enrolled(table, columns), table.columns)
    if not len(roster):
        raise table.wrong(2, "expected the first learner, found none")
    return roster


def bare(text: str) -> str:
    """Return the letters and digits of a name, in lower case and without accents.

    Marks of other scripts stay: there they are vowels.
    """
    if text.isascii():
        return "".join(filter(str.isalnum, text.lower()))
    apart = _ACCENTS.sub("", unicodedata.normalize("NFKD", text.lower()))
    return "".join(one for one in apart if one.isalnum() or unicodedata.category(one)[0] == "M")


def _enrolled(table: Table, columns: Columns) -> Iterator[Learner]:
    with closing(
        sqlite3.connect("", isolation_level=None)
    ) as seen:  # a large class takes no memory
        seen.executescript(_SEEN)
        for row in table.rows():
            if _is_nobody(row, columns):
                continue
            _refuse_wrong(table, row, columns)
            learner = _learner(row, columns)
            own = {each: row.cells.get(each, "") for each in columns.identities}
            for column, cell in (own | {columns.keys[0]: learner.key}).items():
                if cell:
                    _refuse_repeated(table, seen, (column, whole(cell), row.line))
            yield learner


def _refuse_repeated(table: Table, seen: sqlite3.Connection, own: tuple[str, str, int]) -> None:
    try:
        seen.execute("INSERT INTO own VALUES (?, ?, ?)", own)
    except sqlite3.IntegrityError:
        column, cell, line = own
        query = "SELECT line FROM own WHERE place = ? AND cell = ?"
        before = seen.execute(query, (column, cell)).fetchone()[0]
        what = f"{named(column)} is {named(cell)}, as on line {before}"
        raise table.wrong(line, f"{what}: each learner needs one of their own") from None


def _hints(learner: Learner, columns: Columns) -> Iterator[tuple[str, str]]:
    """Yield the texts that may mean a learner, each with its kind."""
    yield _KEY, learner.key
    identities = (learner.ids.get(column, "") for column in columns.identities)
    for text in {learner.key, learner.email, *identities}:
        if text != learner.key:
            yield _EXACT, text
        if text.casefold() != text:
            yield _FOLDED, text.casefold()
    number = learner.ids.get(columns.number, "")
    if columns.platform == "moodle":
        digits = _PARTICIPANT.fullmatch(number)
        number = digits[1] if digits else ""
    yield _NUMBER, number
    yield "blackboard", learner.ids.get(columns.login, "").casefold()
    yield "classroom", learner.ids.get(columns.github, "").casefold()
    yield "gradescope", learner.email.casefold()
    for text in _orders(learner.name):
        yield _PERSON, text


def _orders(name: str) -> set[str]:
    """Return a name in the orders in which first and last names may be."""
    words = [bare(word) for word in re.split(r"[\s,]+", name)]
    if len(words) > _MAX_WORDS:
        return {"".join(words)}
    return {"".join(words[at:] + words[:at]) for at in range(len(words))}


def _is_nobody(row: Row, columns: Columns) -> bool:
    """Return whether a row is not about a learner: in Canvas's, of points, posting or tests."""
    if columns.platform != "canvas":
        return False
    name = row.cells.get(columns.name) or row.cells.get(columns.last, "")
    return name.lower() in _NOBODY or not (name or _key(row, columns))


def _refuse_wrong(table: Table, row: Row, columns: Columns) -> None:
    if not _key(row, columns):
        what = f"has nothing in {named(columns.keys[0])}, which identifies learners"
        raise table.wrong(row.line, what)
    if sum(map(len, row.cells.values())) > MAX_ROW:
        raise table.wrong(row.line, f"has more than {MAX_ROW:,} characters")
    for name in (*columns.identities, columns.name, columns.first, columns.last, columns.email):
        table.identity(row, name)


def _key(row: Row, columns: Columns) -> str:
    return next((row.cells[name] for name in columns.keys if name in row.cells), "")


def _learner(row: Row, columns: Columns) -> Learner:
    cells = row.cells
    parts = (cells.get(columns.first, ""), cells.get(columns.last, ""))
    name = cells.get(columns.name) or " ".join(parts)
    ids = {column: cell[:MAX_CELL] for column, cell in cells.items()}
    email = cells.get(columns.email, "")
    return Learner(_key(row, columns), " ".join(name.split()), email, ids, rostered=True)
