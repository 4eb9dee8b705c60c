"""The roster: who is in the class, and which learner a hint means."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from pipeline.display import listed, named
from verify.gradebook.values import Learner
from verify.intake.roster_columns import found
from verify.intake.roster_index import Enrolled, Index
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
_NOBODY = frozenset({"points possible", "student, test", "test student"})  # in Canvas's


class UnusableRoster(Exception):
    """A roster that cannot be used; the message is one line with file and line."""


class Roster:
    """Who is in the class: `learners`, in the order of the file.

    `platform` is the platform whose export it is, empty for any other table. Each question is
    answered by the key of the only learner who is meant; None for none, and for several.
    """

    def __init__(self, learners: Index, platform: str) -> None:
        self.learners = learners
        self.platform = platform
        self._logins = [kind for kind in ("classroom", "blackboard") if learners.has_kind(kind)]

    def by_key(self, text: str) -> str | None:
        """Return whose key it is; else whose other identity (an id, a login, an address).

        Both as written, then an identity in other letter case.
        """
        exact, every = (_KEY, _EXACT), (_KEY, _EXACT, _FOLDED)
        for wanted, kinds in ((text, (_KEY,)), (text, exact), (text.casefold(), every)):
            keys = self.learners.keys(wanted, *kinds) if text else []
            if keys:
                return keys[0] if len(keys) == 1 else None
        return None

    def by_number(self, platform: str, number: str, person: str = "") -> str | None:
        """Return whose number it is, if the roster is of this platform.

        In Moodle's names the number may be that of a team: where `person` is given, the learner
        must be called so, or so behind a team's name and a hyphen.
        """
        key = self._only(_NUMBER, number) if platform == self.platform and number else None
        if key is None or platform != "moodle" or not person:
            return key
        words = person[:_MAX_NAME].split("-")[-_MAX_WORDS:]
        names = [person, *("-".join(words[at:]) for at in range(1, len(words)))]
        return key if any(self.learners.has(_PERSON, bare(name), key) for name in names) else None

    def by_login(self, platform: str, login: str) -> str | None:
        """Return whose login at a platform it is, by a column that has that platform's logins.

        Gradescope's logins are addresses: any roster with addresses knows them.
        """
        return self._only(platform, login.casefold()) if login else None

    def by_person(self, text: str) -> str | None:
        """Return whose full name it is: case, accents, blanks and punctuation make no difference.

        Nor does whether the last name is first.
        """
        return self._only(_PERSON, bare(text)) if len(text) <= _MAX_NAME else None

    def has_login(self, text: str) -> bool:
        """Tell whether a learner has this login at GitHub or Blackboard."""
        return any(self.by_login(platform, text) is not None for platform in self._logins)

    def _only(self, kind: str, text: str) -> str | None:
        keys = self.learners.keys(text, kind) if text else []
        return keys[0] if len(keys) == 1 else None


def read_roster(path: str) -> Roster:
    """Return the roster in a CSV file.

    Raises:
        UnusableRoster: it cannot be read, has no learner, or one twice.
    """
    table = Table(path, UnusableRoster)
    columns = found(table.columns)
    if not columns.keys:
        what = f"no column identifies a learner: found {listed(table.columns, 20)}"
        what = f"{what}; expected one such as id, student id, matrikelnummer, username, email"
        raise table.wrong(1, what)
    learners = Index(_enrolled(table, columns))
    if not learners:
        raise UnusableRoster(str(table.wrong(2, "expected the first learner, found none")))
    twice = learners.repeated()
    if twice is not None:
        what = f"{named(table.columns[twice.place])} is {named(twice.cell)}, as on line"
        what = f"{what} {twice.before}: each learner needs one of their own"
        raise table.wrong(twice.line, what)
    return Roster(learners, columns.platform)


def kept_roster(learners: Iterable[Learner]) -> Roster:
    """Return the roster that a gradebook keeps: it answers as the file did that it came from."""
    names: dict[str, None] = {}

    def noted() -> Iterator[Enrolled]:
        for learner in learners:
            names.update(dict.fromkeys(learner.ids))
            yield Enrolled(learner, ())

    stored = Index(noted())
    columns = found(list(names))
    again = (Enrolled(learner, tuple(_hints(learner, list(names), columns))) for learner in stored)
    return Roster(Index(again), columns.platform)


def bare(text: str) -> str:
    """Return the letters and digits of a name, in lower case and without accents.

    Marks of other scripts stay: there they are vowels.
    """
    if text.isascii():
        return "".join(filter(str.isalnum, text.lower()))
    apart = _ACCENTS.sub("", unicodedata.normalize("NFKD", text.lower()))
    return "".join(one for one in apart if one.isalnum() or unicodedata.category(one)[0] == "M")


def _enrolled(table: Table, columns: Columns) -> Iterator[Enrolled]:
    for row in table.rows():
        if _is_nobody(row, columns):
            continue
        _refuse_wrong(table, row, columns)
        learner = _learner(row, columns, table.columns)
        own = {(row.cells[at], at, row.line) for at in columns.identities if row.cells[at]}
        own.add((learner.key, columns.keys[0], row.line))
        yield Enrolled(learner, tuple(_hints(learner, table.columns, columns)), tuple(own))


def _hints(learner: Learner, names: list[str], columns: Columns) -> Iterator[tuple[str, str]]:
    """Yield the texts that may mean a learner, each with its kind."""

    def cell(at: int) -> str:
        return learner.ids.get(names[at], "") if at >= 0 else ""

    yield _KEY, learner.key
    for text in {learner.key, learner.email, *map(cell, columns.identities)}:
        if text != learner.key:
            yield _EXACT, text
        if text.casefold() != text:
            yield _FOLDED, text.casefold()
    number = cell(columns.number)
    if columns.platform == "moodle":
        digits = _PARTICIPANT.fullmatch(number)
        number = digits[1] if digits else ""
    yield _NUMBER, number
    yield "blackboard", cell(columns.login).casefold()
    yield "classroom", cell(columns.github).casefold()
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
    """Tell whether a row is not about a learner: in Canvas's, of points, posting or tests."""
    if columns.platform != "canvas":
        return False
    at = max(columns.name, columns.last)
    name = row.cells[at] if at >= 0 else ""
    return name.lower() in _NOBODY or not (name or _key(row, columns))


def _refuse_wrong(table: Table, row: Row, columns: Columns) -> None:
    if not _key(row, columns):
        what = f"has nothing in {named(table.columns[columns.keys[0]])}, which identifies learners"
        raise table.wrong(row.line, what)
    if sum(map(len, row.cells)) > MAX_ROW:
        raise table.wrong(row.line, f"has more than {MAX_ROW:,} characters")
    for at in {*columns.identities, columns.name, columns.first, columns.last, columns.email} - {
        -1
    }:
        table.identity(row, at)


def _key(row: Row, columns: Columns) -> str:
    return next((row.cells[at] for at in columns.keys if row.cells[at]), "")


def _learner(row: Row, columns: Columns, names: list[str]) -> Learner:
    cells = row.cells
    name = cells[columns.name] if columns.name >= 0 else ""
    if not name:
        name = " ".join(cells[at] for at in (columns.first, columns.last) if at >= 0)
    email = cells[columns.email] if columns.email >= 0 else ""
    ids: dict[str, str] = {}
    for column, cell in zip(names, cells, strict=True):
        if column and cell:
            ids.setdefault(column, cell[:MAX_CELL])
    return Learner(_key(row, columns), " ".join(name.split()), email, ids, rostered=True)
