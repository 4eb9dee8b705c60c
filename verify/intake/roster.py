"""The roster: who is in the class, and which learner a hint means."""

from __future__ import annotations

import re
from contextlib import suppress
from itertools import chain, islice
from typing import TYPE_CHECKING

from pipeline.terminal.display import counted, listed, named
from verify.gradebook.reading import learners
from verify.gradebook.records import Learner
from verify.gradebook.store import scratch, utf8
from verify.intake.platforms import PLATFORMS
from verify.intake.platforms.base import COLUMNS, EMAILS, FIRST, LAST, RosterExport
from verify.intake.spelling import bare, folded, identity_form, orders, spelt_out, written
from verify.intake.table import BadCharacter, Table, Unusable, headings

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Mapping

MAX_CELL = 1_000  # characters of any other cell: longer ones are cut
MAX_ROW = 100_000  # characters of all cells of a learner
_MOST_BEFORE = 2  # rows before the header: some platforms begin with what the table is about
_AT_ONCE = 1_000  # learners that are written together
_MAX_NAME = 300  # characters: no learner has a longer name
_EXPECTED = "expected a column such as id, student id, matrikelnummer, username or email"
# what a system adds to the name of a second copy
_COPY = re.compile(
    r"(?:copy of|kopie von) +|(?:[-_ ]*\([0-9]{1,3}\)|[-_ ]+(?:copy|kopie)(?:[-_ ][0-9]{1,3})?)+\Z",
    re.IGNORECASE,
)
_STAFF = re.compile(
    r"teach|instruct|\bh?ta\b|taenrol|assist|tutor|grader|reader|manage|design|observ|admin|lectur"
    "|profess|staff|dozent|trainer|betreu|lehr|leiter|hilfskraft|builder|guest"
)
# kinds of hints
_KEY, _FOLDED, _NUMBER, _NAME, _PERSON, _LIKE = "key", "folded", "number", "name", "person", "like"
_TIME = "time"  # of a number: its place is the time
_NO_TIMES = ("", "-")
_TABLES = """
CREATE TABLE learner (key TEXT, name TEXT, email TEXT, ids TEXT);
CREATE TABLE hint (text TEXT, kind TEXT, key TEXT, place TEXT, line INTEGER);
"""
_OTHERS = (
    "SELECT learner FROM submission UNION SELECT learner FROM override"
    " UNION SELECT learner FROM decision EXCEPT SELECT key FROM learner"
)
_REPEATED = """
SELECT line, place, text, before FROM (
  SELECT *, lag(line) OVER (PARTITION BY text, place ORDER BY line) AS before
  FROM hint WHERE kind = 'key'
) WHERE before IS NOT NULL ORDER BY line LIMIT 1
"""

# a learner's key is the first of these headings that has a cell
_KEYS = COLUMNS["key"]
_IDENTITIES = frozenset({*_KEYS, *COLUMNS["other id"]})
_EXPORTS = {platform.name: platform.roster for platform in PLATFORMS if platform.roster}
_NO_EXPORT = RosterExport("", "", "", lambda _: False)
_TEST_LEARNERS = re.compile("|".join(export.test_learners for export in _EXPORTS.values()))
_LOGINS = [
    name for name, export in _EXPORTS.items() if export.logins and not export.logins_are_addresses
]


class Roster:
    """Who is in the class, in a temporary database that vanishes with the last reference.

    `learners` have the line of each. `platform` is the one whose `export` it is, if any. Each
    question is answered by the key of the only learner who is meant; None for none, and for
    several. `left_out` names rows with a character that no name has.
    """

    def __init__(self, learners: Iterable[tuple[int, Learner]], columns: RosterColumns) -> None:
        self.platform, self.left_out = columns.platform, columns.left_out
        self.export = columns.export
        self._database = scratch(_TABLES)
        enrolled = iter(learners)
        while some := list(islice(enrolled, _AT_ONCE)):
            hints = (
                (utf8(text), kind, learner.key, place, line)
                for line, learner in some
                for kind, text, place in columns.hints(learner)
                if text
            )
            rows = (learner.row for _, learner in some)
            self._database.executemany("INSERT INTO learner VALUES (?, ?, ?, ?)", rows)
            self._database.executemany("INSERT INTO hint VALUES (?, ?, ?, ?, ?)", hints)
        self._database.execute("CREATE INDEX by_hint ON hint (text, kind, key)")
        if columns.unread_times:
            self.left_out.append(columns.unread_times_line)
        self._kinds = {kind for (kind,) in self._database.execute("SELECT DISTINCT kind FROM hint")}

    def __len__(self) -> int:
        """Return how many learners there are."""
        return int(self._database.execute("SELECT count(*) FROM learner").fetchone()[0])

    def rows(self) -> Iterator[tuple[str, str, str, str]]:
        """Yield each learner as a row of the gradebook, in the order of the file."""
        return self._database.execute("SELECT * FROM learner ORDER BY rowid")

    def repeated(self) -> tuple[int, str, str, int] | None:
        """Return the first line that repeats an identity, its column, the text, the line before."""
        found: tuple[int, str, str, int] | None = self._database.execute(_REPEATED).fetchone()
        return found

    def by_key(self, text: str) -> str | None:
        """Return whose key it is, or whose other identity (an id, a login, an address).

        Both as written, then in other letter case. A text that is one learner's key and another
        one's identity is neither.
        """
        return _only(self.holders(text))

    def holders(self, text: str) -> list[str]:
        """Return the learners whose key or other identity it is, as written if any has it so."""
        keys = self._meant(_FOLDED, folded(text))
        return (self._meant(_KEY, identity_form(text)) or keys) if len(keys) > 1 else keys

    def by_own_key(self, text: str) -> str | None:
        """Return whose key it is as written, whatever else it is, or whom else it identifies."""
        return text if self.has(text) else self.by_key(text)

    def has(self, key: str) -> bool:
        """Return whether it is the key of a learner."""
        return key in self._meant(_KEY, identity_form(key))

    def called(self, text: str) -> list[str]:
        """Return the keys of the learners whom a person may mean by a text, the first that fits.

        A key as written, an identity (a login, a number, an address), or a full name.
        """
        if self.has(utf8(text)):
            return [utf8(text)]
        found = self.by_key(text) or self.by_number(self.platform, text)
        return (
            [found] if found else sorted(self._meant(_FOLDED, folded(text)) or self.namesakes(text))
        )

    @property
    def columns(self) -> set[str]:
        """Return the columns with identities, in the form of `headings`."""
        query = "SELECT DISTINCT place FROM hint WHERE kind = ?"
        return {*headings(place for (place,) in self._database.execute(query, (_KEY,)))} - {""}

    def identities(self) -> Iterator[tuple[str, str, str]]:
        """Yield what identifies learners: a key, the heading of the column, the text."""
        query = "SELECT kind, key, place, text FROM hint WHERE kind IN (?, ?) AND text <> ''"
        names: dict[str, str] = {}  # of columns
        for kind, key, place, text in self._database.execute(query, (_KEY, _NAME)):
            if place not in names:
                names[place] = next(iter(headings([place])), "")
            yield key, names[place] if kind == _KEY else _NAME, folded(text)

    def by_number(self, platform: str, number: str, person: str = "") -> str | None:
        """Return whose number it is, if the roster is of this platform.

        Where it may be a team's, and there is a `person`, the learner must be called so.
        """
        key = _only(self._meant(_NUMBER, number)) if platform == self.platform else None
        if key is None or not (self.export.numbers_need_names and person):
            return key
        return key if key in self._meant(_PERSON, bare(person[:_MAX_NAME])) else None

    def time_of(self, platform: str, number: str, person: str = "") -> str:
        """Return when the submission with a learner's number came, in ISO 8601, or empty."""
        if _TIME not in self._kinds or self.by_number(platform, number, person) is None:
            return ""
        query = "SELECT max(place) FROM hint WHERE text = ? AND kind = ?"
        return str(self._database.execute(query, (number, _TIME)).fetchone()[0] or "")

    def by_login(self, platform: str, login: str) -> str | None:
        """Return whose login at a platform it is."""
        return _only(self._meant(platform, folded(login)))

    def by_name(self, text: str) -> str | None:
        """Return whose full name it is as written, also with the last name first and a comma."""
        return _only(self.namesakes(text))

    def by_person(self, text: str) -> str | None:
        """Return whose name or key it may be, which is a guess.

        Accents, blanks, order and the mark of a second copy do not matter.
        """
        if len(text) > _MAX_NAME:
            return None
        name = _COPY.sub("", text)
        forms = {bare(form) for form in spelt_out(name)}
        found = self._meant(_PERSON, bare(name)) or list(
            {key for kind in (_PERSON, _LIKE) for form in forms for key in self._meant(kind, form)}
        )
        return _only(found) if found or name == text else self.by_key(name)

    def namesakes(self, text: str) -> list[str]:
        """Return the learners with a full name, as it is written."""
        return self._meant(_NAME, written(text)) if len(text) <= _MAX_NAME else []

    def has_login(self, text: str) -> bool:
        """Return whether a learner has this login at a platform; an address is not one."""
        login = folded(text)
        return any(self._meant(platform, login) for platform in _LOGINS)

    def _meant(self, kind: str, text: str) -> list[str]:
        """Return the keys of the learners whom a text of this kind may mean."""
        if not text or kind not in self._kinds:
            return []
        query = "SELECT DISTINCT key FROM hint WHERE text = ? AND kind = ?"
        return [key for (key,) in self._database.execute(query, (utf8(text), kind))]


def _only(keys: list[str]) -> str | None:
    return keys[0] if len(keys) == 1 else None


def roster_in(connection: sqlite3.Connection, *, everybody: bool = False) -> Roster:
    """Return the roster of a gradebook; `everybody` else whom it knows is on it, too."""
    names = dict.fromkeys(name for learner in learners(connection) for name in learner.ids)
    keys = connection.execute(_OTHERS) if everybody else ()
    known = chain(learners(connection), (Learner(key) for (key,) in keys))
    return Roster(enumerate(known), RosterColumns(names))


def read_roster(path: str, key: str = "") -> Roster:
    """Return the roster in a CSV file, `key` the name of the column with the keys.

    Raises `Unusable`, also for no learner or one twice.
    """
    table = _table_in(path, key)
    columns = RosterColumns(table.columns, key)
    if not columns.keys:
        what = f"none of the columns {listed(table.columns, 20)} identifies a learner"
        if key:
            what = f"there is no column {named(key)} among {listed(table.columns, 20)}"
        raise table.wrong(1, f"{what} ({_EXPECTED if not key else 'see --key'})")
    roster = Roster(_enrolled(table, columns), columns)
    if not len(roster):
        raise table.wrong(2, "has no learner (expected one learner in each row)")
    repeated = roster.repeated()
    if repeated:
        line, column, text, before = repeated
        what = f"{named(column)} is {named(text)}, as on line {before}"
        raise table.wrong(line, f"{what} (each learner needs a different value)")
    return roster


def _table_in(path: str, key: str) -> Table:
    """Return a table whose header is the first row, or the next one that has a key."""
    first = table = Table(path)
    with suppress(Unusable):  # there is no further row
        for skipped in range(1, _MOST_BEFORE + 1):
            if RosterColumns(table.columns, key).keys:
                return table
            table = Table(path, skipped)
    return table if RosterColumns(table.columns, key).keys else first


def _enrolled(table: Table, columns: RosterColumns) -> Iterator[tuple[int, Learner]]:
    who = {*columns.identities, *columns.names, columns.email, *columns.keys}
    for line, marked in table.rows():
        plain = (
            (column, cell.removeprefix(columns.export.mark)) for column, cell in marked.items()
        )
        cells = {column: cell for column, cell in plain if cell}
        key = next((cells[name] for name in columns.keys if name in cells), "")
        name = " ".join(columns.name_in(cells).split())
        if columns.is_no_learner(cells, key, name):
            continue
        if not key:
            what = f"has no value in {named(columns.keys[0])}, which identifies the learner"
            raise table.wrong(line, what)
        if sum(map(len, cells.values())) > MAX_ROW:
            raise table.wrong(line, f"has more than {MAX_ROW:,} characters")
        try:
            for column in who:
                table.identity((line, cells), column)
        except BadCharacter as fault:
            columns.left_out.append(f"{fault}: the row is left out")
            continue
        ids = {column: cell[:MAX_CELL] for column, cell in cells.items()}
        yield line, Learner(key, name, cells.get(columns.email, ""), ids, rostered=True)


class RosterColumns:
    """The columns of a roster by their names, empty where there is none.

    `identities` identify one learner each; `keys` may be the key, the first choice first.
    `names` have a whole, a first and a last name. `platform` is the one whose `export` it is.
    """

    def __init__(self, names: Iterable[str], key: str = "") -> None:
        found = headings(names)
        self.left_out: list[str] = []
        self.unread_times: list[str] = []

        def column(known: Iterable[str]) -> str:
            return next((found[heading] for heading in known if heading in found), "")

        exports = _EXPORTS.items()
        self.platform = next((name for name, export in exports if export.fits([*found])), "")
        self.export = _EXPORTS.get(self.platform, _NO_EXPORT)
        known = headings([key]) if key else _KEYS
        self.keys = [found[heading] for heading in known if heading in found]
        self.identities = [name for heading, name in found.items() if heading in _IDENTITIES]
        self.names = [column(known) for known in (COLUMNS["name"], FIRST, LAST)]
        self.email, self._role = column(EMAILS), column(COLUMNS["role"])
        self._number = column(self.export.numbers)
        self._time = column(self.export.times)
        self._logins = {
            name: column(export.logins if name == self.platform else export.logins_anywhere)
            for name, export in exports
            if export.logins_anywhere or name == self.platform
        }

    def name_in(self, cells: Mapping[str, str]) -> str:
        """Return the full name in a row."""
        whole, first, last = (cells.get(name, "") for name in self.names)
        return whole or f"{first} {last}".strip()

    def is_no_learner(self, cells: Mapping[str, str], key: str, name: str) -> bool:
        """Return whether a row is a member of the staff, a test student, or not of a person."""
        roles = re.split("[,;|]", cells.get(self._role, "").lower())
        is_test = _TEST_LEARNERS.fullmatch(name.lower()) or _TEST_LEARNERS.fullmatch(key)
        is_staff = all(map(_STAFF.search, roles))
        return bool(is_test or is_staff or self.export.no_learner(name, key))

    @property
    def unread_times_line(self) -> str:
        """What an instructor should know of the times that no form has."""
        times, example = counted(len(self.unread_times), "time"), named(self.unread_times[0])
        what = f"{times} in {named(self._time)} cannot be read"
        step = "set your language to English or German, and download the table again"
        return f"{what} (such as {example}): these submissions have no time ({step})"

    def hints(self, learner: Learner) -> Iterator[tuple[str, str, str]]:
        """Yield the texts that may mean a learner: kind, text, and the column of an identity."""
        identities = {(name, learner.ids[name]) for name in self.identities if name in learner.ids}
        for place, text in identities | {(self.keys[0] if self.keys else "", learner.key)}:
            yield _KEY, identity_form(text), place
            yield _FOLDED, folded(text), ""
        number = learner.ids.get(self._number, "")
        if pattern := self.export.number:
            found = pattern.fullmatch(number)
            number = found[1] if found else ""
        yield _NUMBER, number, ""
        cell = learner.ids.get(self._time, "")
        if at := self.export.time(cell):
            yield _TIME, number, at
        elif cell not in _NO_TIMES:
            self.unread_times.append(cell)
        for platform, column in self._logins.items():
            yield platform, folded(learner.ids.get(column, "")), ""
        yield _NAME, written(learner.name), ""
        names = orders(learner.name)
        for text in names:
            yield _PERSON, text, ""
        for text in set().union(*map(orders, spelt_out(learner.name))) - names:
            yield _LIKE, text, ""
