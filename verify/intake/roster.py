"""The roster: who is in the class, and which learner a hint means."""

from __future__ import annotations

import re
import sqlite3
import unicodedata
import weakref
from itertools import islice
from typing import TYPE_CHECKING

from pipeline.terminal.display import listed, named
from verify.gradebook.records import Learner, learner_row
from verify.gradebook.texts import whole
from verify.gradebook.transactions import scratch
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
_AT_ONCE = 1_000  # learners that are kept together
_PARTICIPANT = re.compile(
    r"(?:Participante?|Teilnehmer(?:/in(?:nen)?)?|Deelnemer) ?([0-9]{1,20})", re.IGNORECASE
)
_ACCENTS = re.compile("[\u0300-\u036f]+")
_TABLES = """
CREATE TABLE learner (key TEXT, name TEXT, email TEXT, ids TEXT);
CREATE TABLE identity (folded TEXT, text TEXT, place TEXT, key TEXT, line INTEGER);
CREATE TABLE hint (text TEXT, kind TEXT, key TEXT);
"""
_REPEATED = """
SELECT line, place, text, before FROM (
  SELECT *, lag(line) OVER (PARTITION BY text, place ORDER BY line) AS before FROM identity
) WHERE before IS NOT NULL ORDER BY line LIMIT 1
"""
_NOBODY = frozenset({"points possible", "student, test", "test student"})  # in Canvas's


class UnusableRoster(Exception):
    """A roster that cannot be used; the message is one line with file and line."""


class Roster:
    """Who is in the class, in a temporary database that vanishes with the last reference.

    `learners` have the line of each; `names` are the columns of their table. `platform` is the
    platform whose export it is, empty for any other table. Each question is answered by the key
    of the only learner who is meant; None for none, and for several.

    `repeated` is the first line that has an identity for the second time, its column, the text
    and the line before; None where each learner has their own.
    """

    def __init__(self, learners: Iterable[tuple[int, Learner]], names: Iterable[str]) -> None:
        columns = columns_of(names)
        self.platform = columns.platform
        self._database = scratch(_TABLES)
        weakref.finalize(self, self._database.close)
        source = iter(learners)
        while some := list(islice(source, _AT_ONCE)):
            self._add(some, columns)
        self._database.execute("CREATE INDEX by_hint ON hint (text, kind, key)")
        self.repeated: tuple[int, str, str, int] | None = None
        try:
            self._database.execute("CREATE UNIQUE INDEX own ON identity (folded, text, place)")
        except sqlite3.IntegrityError:
            self.repeated = self._database.execute(_REPEATED).fetchone()
        self._kinds = {kind for (kind,) in self._database.execute("SELECT DISTINCT kind FROM hint")}

    def _add(self, learners: list[tuple[int, Learner]], columns: Columns) -> None:
        identities = (
            (whole(text).casefold(), whole(text), place, one.key, line)
            for line, one in learners
            for place, text in _identities(one, columns)
        )
        hints = (
            (whole(text), kind, one.key)
            for _, one in learners
            for kind, text in _hints(one, columns)
            if text
        )
        rows = [learner_row(one) for _, one in learners]
        self._database.executemany("INSERT INTO learner VALUES (?, ?, ?, ?)", rows)
        self._database.executemany("INSERT INTO identity VALUES (?, ?, ?, ?, ?)", identities)
        self._database.executemany("INSERT INTO hint VALUES (?, ?, ?)", hints)

    def __len__(self) -> int:
        """Return how many learners there are."""
        return int(self._database.execute("SELECT count(*) FROM learner").fetchone()[0])

    def rows(self) -> Iterator[tuple[str, str, str, str]]:
        """Yield each learner as a row of the gradebook, in the order of the file."""
        return self._database.execute("SELECT * FROM learner ORDER BY rowid")

    def by_key(self, text: str) -> str | None:
        """Return whose key it is, or whose other identity (an id, a login, an address).

        Both as written, then in other letter case. A text that is one learner's key and another
        one's identity is nobody's.
        """
        text = whole(text)
        query = "SELECT text, key FROM identity WHERE folded = ?"
        found = self._database.execute(query, (text.casefold(),)).fetchall() if text else []
        keys = {key for own, key in found if own == text} or {key for _, key in found}
        return keys.pop() if len(keys) == 1 else None

    def by_number(self, platform: str, number: str, person: str = "") -> str | None:
        """Return whose number it is, if the roster is of this platform.

        In Moodle's names the number may be that of a team: where `person` is given, the learner
        must be called so, or so behind a team's name and a hyphen.
        """
        key = self._only("number", number) if platform == self.platform else None
        if key is None or platform != "moodle" or not person:
            return key
        words = person[:_MAX_NAME].split("-")[-_MAX_WORDS:]
        names = [person, *("-".join(words[at:]) for at in range(1, len(words)))]
        return key if any(self._is_called(key, name) for name in names) else None

    def by_login(self, platform: str, login: str) -> str | None:
        """Return whose login at a platform it is, by a column that has that platform's logins.

        Gradescope's logins are addresses: any roster with addresses knows them.
        """
        return self._only(platform, login.casefold())

    def by_person(self, text: str) -> str | None:
        """Return whose full name it is: case, accents, blanks and punctuation make no difference.

        Nor does whether the last name is first.
        """
        return self._only("person", bare(text)) if len(text) <= _MAX_NAME else None

    @property
    def has_logins(self) -> bool:
        """Return whether it has a column of logins at GitHub or Blackboard."""
        return not self._kinds.isdisjoint(("classroom", "blackboard"))

    def has_login(self, text: str) -> bool:
        """Return whether a learner has this login at GitHub or Blackboard."""
        text = text.casefold()
        return bool(self._meant("classroom", text) or self._meant("blackboard", text))

    def _is_called(self, key: str, name: str) -> bool:
        query = "SELECT 1 FROM hint WHERE text = ? AND kind = 'person' AND key = ?"
        return self._database.execute(query, (whole(bare(name)), key)).fetchone() is not None

    def _only(self, kind: str, text: str) -> str | None:
        keys = self._meant(kind, text)
        return keys[0] if len(keys) == 1 else None

    def _meant(self, kind: str, text: str) -> list[str]:
        """Return the keys of learners whom a text of this kind may mean, two at most."""
        if not text or kind not in self._kinds:
            return []
        query = "SELECT DISTINCT key FROM hint WHERE text = ? AND kind = ? LIMIT 2"
        return [key for (key,) in self._database.execute(query, (whole(text), kind))]


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
    if roster.repeated:
        line, column, text, before = roster.repeated
        what = f"{named(column)} is {named(text)}, as on line {before}"
        raise table.wrong(line, f"{what}: each learner needs one of their own")
    return roster


def bare(text: str) -> str:
    """Return the letters and digits of a name, in lower case and without accents.

    Marks of other scripts stay: there they are vowels.
    """
    text = text.lower()
    if text.isascii():
        return text if text.isalnum() else "".join(filter(str.isalnum, text))
    apart = _ACCENTS.sub("", unicodedata.normalize("NFKD", text))
    return "".join(one for one in apart if one.isalnum() or unicodedata.category(one)[0] == "M")


def _enrolled(table: Table, columns: Columns) -> Iterator[tuple[int, Learner]]:
    who = {*columns.identities, columns.name, columns.first, columns.last, columns.email}
    for row in table.rows():
        cells = row.cells
        key = next((cells[name] for name in columns.keys if name in cells), "")
        if columns.platform == "canvas" and _is_nobody(row, columns, key):
            continue
        if not key:
            what = f"has nothing in {named(columns.keys[0])}, which identifies learners"
            raise table.wrong(row.line, what)
        if sum(map(len, cells.values())) > MAX_ROW:
            raise table.wrong(row.line, f"has more than {MAX_ROW:,} characters")
        for name in who:
            table.identity(row, name)
        name = cells.get(columns.name) or " ".join(
            (cells.get(columns.first, ""), cells.get(columns.last, ""))
        )
        ids = {column: cell[:MAX_CELL] for column, cell in cells.items()}
        email = cells.get(columns.email, "")
        yield row.line, Learner(key, " ".join(name.split()), email, ids, rostered=True)


def _is_nobody(row: Row, columns: Columns, key: str) -> bool:
    """Return whether a row of Canvas's is not about a learner, but of points, posting or tests."""
    name = row.cells.get(columns.name) or row.cells.get(columns.last, "")
    return name.lower() in _NOBODY or not (name or key)


def _identities(learner: Learner, columns: Columns) -> Iterable[tuple[str, str]]:
    """Return the texts that are a learner's own, each with its column."""
    own = {name: learner.ids[name] for name in columns.identities if name in learner.ids}
    own[columns.keys[0] if columns.keys else ""] = learner.key
    return own.items()


def _hints(learner: Learner, columns: Columns) -> Iterator[tuple[str, str]]:
    """Yield further texts that may mean a learner, each with its kind."""
    number = learner.ids.get(columns.number, "")
    if columns.platform == "moodle":
        digits = _PARTICIPANT.fullmatch(number)
        number = digits[1] if digits else ""
    yield "number", number
    yield "blackboard", learner.ids.get(columns.login, "").casefold()
    yield "classroom", learner.ids.get(columns.github, "").casefold()
    yield "gradescope", learner.email.casefold()
    for text in _orders(learner.name):
        yield "person", text


def _orders(name: str) -> set[str]:
    """Return a name in the orders in which first and last names may be."""
    words = [bare(word) for word in name.replace(",", " ").split()]
    if len(words) > _MAX_WORDS:
        return {"".join(words)}
    return {"".join(words[at:] + words[:at]) for at in range(len(words))}
