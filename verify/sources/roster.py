"""The roster: who should have handed in, and whose a submission is."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from pipeline.display import named
from verify.gradebook.values import Learner
from verify.sources.csv_table import Table
from verify.sources.roster_columns import KEYS, found, is_identity
from verify.sources.roster_index import EXACT, FOLDED, KEY, PERSON, Enrolled, Index

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from verify.sources.base import Entry
    from verify.sources.csv_table import Row
    from verify.sources.roster_columns import Columns

MAX_CELL = 1_000  # characters of any other cell: what is longer is cut
MAX_ROW = 100_000  # characters of all cells of a learner
_POINTS = "points possible"  # Canvas's second row
_NUMBERED = re.compile(r"_[0-9]+\Z")  # Canvas and Moodle put a number behind a name


class UnusableRoster(Exception):
    """A roster that cannot be used; the message is one line with file and line."""


class Roster:
    """Who should have handed in, in the order of the file: `learners`.

    `ambiguous` has what was met that may be several learners', with their keys.
    """

    def __init__(self, learners: Index) -> None:
        self.learners = learners
        self.ambiguous: dict[str, tuple[str, ...]] = {}

    def key_of(self, entry: Entry) -> str | None:
        """Return the key of the learner whose submission it is, None for nobody's or several'.

        A key counts first, then what is written in exactly the same way (an address, an id, a
        name), then in other letter case, then a name without its blanks and accents.
        """
        texts = (entry.learner, *entry.aliases)
        for matches in self._levels(texts):
            if len(matches) == 1:
                return self.learners.key(matches.pop())
            if matches:
                keys = tuple(self.learners.key(at) for at in sorted(matches))
                self.ambiguous[entry.learner] = keys
                return None
        return None

    def _levels(self, texts: tuple[str, ...]) -> Iterator[set[int]]:
        """Yield whom the texts stand for, the surest way of matching first."""
        called = self.learners.called
        yield called(texts, KEY)
        yield called(texts, EXACT, surer=True)
        yield called([text.casefold() for text in texts], FOLDED, surer=True)
        yield called([_bare(_NUMBERED.sub("", text)) for text in texts], PERSON)


def _called(learner: Learner, own: Iterable[str]) -> Iterator[tuple[str, int]]:
    """Yield what a learner is called, and how sure each text is."""
    yield learner.key, KEY
    exact = dict.fromkeys((learner.key, learner.email, *own))
    for text in exact:
        if text != learner.key:
            yield text, EXACT
        if text.casefold() != text:
            yield text.casefold(), FOLDED
    if learner.name not in exact:
        yield learner.name, EXACT
    for text in _person_forms(learner.name):
        yield text, PERSON


def read_roster(path: str) -> Roster:
    """Return the roster in a CSV file.

    Raises:
        UnusableRoster: it cannot be read, names no learner, or one twice.
    """
    table = Table(path, UnusableRoster)
    columns = found(table.columns)
    if columns.key < 0:
        told = f"no column tells learners apart: name one of them {', '.join(KEYS[:8])} or email"
        raise table.wrong(1, told)
    learners = Index(_enrolled(table, columns))
    if not learners:
        raise UnusableRoster(str(table.wrong(2, "expected the first learner, found none")))
    twice = learners.repeated()
    if twice is not None:
        told = f"{named(table.columns[twice.place])} is {named(twice.cell)}"
        told = f"{told}, as on line {twice.before}: each learner needs one of their own"
        raise table.wrong(twice.line, told)
    return Roster(learners)


def _enrolled(table: Table, columns: Columns) -> Iterator[Enrolled]:
    for row in table.rows():
        if _is_nobody(row, columns):
            continue
        _refuse_wrong(table, row, columns)
        learner = _learner(row, columns, table.columns)
        own = tuple((row.cells[at], at, row.line) for at in columns.identities if row.cells[at])
        yield Enrolled(learner, tuple(_called(learner, (cell for cell, _, _ in own))), own)


def kept_roster(learners: Iterable[Learner]) -> Roster:
    """Return the roster that a gradebook keeps: it matches as the file did that it came from."""
    return Roster(Index(map(_kept, learners)))


def _kept(learner: Learner) -> Enrolled:
    own = [cell for name, cell in learner.ids.items() if is_identity(name)]
    return Enrolled(learner, tuple(_called(learner, own)))


def _is_nobody(row: Row, columns: Columns) -> bool:
    """Tell whether a row is about no learner: in Canvas's, of points or of posting."""
    if not columns.is_canvas:
        return False
    name = row.cells[columns.name]
    return name.lower() == _POINTS or not (name or row.cells[columns.key])


def _refuse_wrong(table: Table, row: Row, columns: Columns) -> None:
    if not row.cells[columns.key]:
        told = f"has nothing in {named(table.columns[columns.key])}, which tells learners apart"
        raise table.wrong(row.line, told)
    if sum(map(len, row.cells)) > MAX_ROW:
        raise table.wrong(row.line, f"has more than {MAX_ROW:,} characters")
    telling = {*columns.identities, columns.name, columns.first, columns.last, columns.email}
    for at in telling - {-1}:
        table.identity(row, at)


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
    return Learner(cells[columns.key], " ".join(name.split()), email, ids, rostered=True)


def _person_forms(name: str) -> set[str]:
    """Return a name as file names have it: the last name may stand first, without a comma."""
    last, comma, first = name.partition(",")
    words = [first, last] if comma else name.split()
    whole, turned = _bare("".join(words)), _bare("".join([*words[-1:], *words[:-1]]))
    return {whole, turned} - {""}


def _bare(text: str) -> str:
    """Return the letters and digits of a text, in lower case and without accents."""
    if text.isascii() and text.isalnum():
        return text.lower()
    apart = unicodedata.normalize("NFKD", text.casefold())
    return "".join(character for character in apart if character.isalnum())
