"""The roster: who should have handed in, and whose a submission is."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from pipeline.display import named
from verify.gradebook.values import Learner
from verify.sources.csv_table import Table
from verify.sources.roster_columns import KEYS, found

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from verify.sources.base import Entry
    from verify.sources.csv_table import Row
    from verify.sources.roster_columns import Columns

MAX_CELL = 1_000  # characters of any other cell: what is longer is cut
_POINTS = "points possible"  # Canvas's second row
_NUMBERED = re.compile(r"_[0-9]+\Z")  # Canvas and Moodle put a number behind a name


class UnusableRoster(Exception):
    """A roster that cannot be used; the message is one line with file and line."""


class Roster:
    """Who should have handed in, in the order of the file.

    `ambiguous` has what was met that may be several learners', with their keys.
    """

    def __init__(
        self, learners: Iterable[Learner], identities: Iterable[Iterable[str]] | None = None
    ) -> None:
        self.learners = tuple(learners)
        self.ambiguous: dict[str, tuple[str, ...]] = {}
        ids = identities if identities is not None else ((),) * len(self.learners)
        self._keys = {learner.key: at for at, learner in enumerate(self.learners)}
        self._exact, self._folded, self._persons = _Index(), _Index(), _Index()
        for at, (learner, own) in enumerate(zip(self.learners, ids, strict=True)):
            for text in (learner.key, learner.email, *own):
                self._exact.note(text, at)
                if text.casefold() != text:
                    self._folded.note(text.casefold(), at)
            self._exact.note(learner.name, at)
            for text in _person_forms(learner.name):
                self._persons.note(text, at)

    def key_of(self, entry: Entry) -> str | None:
        """Return the key of the learner whose submission it is, None for nobody's or several'.

        A key counts first, then what is written in exactly the same way (an address, an id, a
        name), then in other letter case, then a name without its blanks and accents.
        """
        texts = (entry.learner, *entry.aliases)
        for matches in self._levels(texts):
            if len(matches) == 1:
                return self.learners[matches.pop()].key
            if matches:
                keys = tuple(self.learners[at].key for at in sorted(matches))
                self.ambiguous[entry.learner] = keys
                return None
        return None

    def _levels(self, texts: tuple[str, ...]) -> Iterator[set[int]]:
        """Yield whom the texts stand for, the surest way of matching first."""
        yield {self._keys[text] for text in texts if text in self._keys}
        yield self._exact.of(texts)
        folded = [text.casefold() for text in texts]
        yield self._exact.of(folded) | self._folded.of(folded)
        yield self._persons.of(_bare(_NUMBERED.sub("", text)) for text in texts)


class _Index:
    """Which learners a text may stand for: nearly always one."""

    def __init__(self) -> None:
        self._one: dict[str, int] = {}
        self._several: dict[str, set[int]] = {}

    def note(self, text: str, at: int) -> None:
        if text and self._one.setdefault(text, at) != at:
            self._several.setdefault(text, {self._one[text]}).add(at)

    def of(self, texts: Iterable[str]) -> set[int]:
        found: set[int] = set()
        for text in texts:
            if text in self._one:
                found |= self._several.get(text) or {self._one[text]}
        return found


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
    seen: dict[tuple[int, str], int] = {}
    learners, identities = [], []
    for row in table.rows():
        if _is_nobody(row, columns):
            continue
        _refuse_wrong(table, row, columns, seen)
        learners.append(_learner(row, columns, table.columns))
        identities.append([row.cells[at] for at in columns.identities if row.cells[at]])
    if not learners:
        raise UnusableRoster(str(table.wrong(2, "expected the first learner, found none")))
    return Roster(learners, identities)


def _is_nobody(row: Row, columns: Columns) -> bool:
    """Tell whether a row is about no learner: in Canvas's, of points or of posting."""
    if not columns.is_canvas:
        return False
    name = row.cells[columns.name]
    return name.lower() == _POINTS or not (name or row.cells[columns.key])


def _refuse_wrong(
    table: Table, row: Row, columns: Columns, seen: dict[tuple[int, str], int]
) -> None:
    if not row.cells[columns.key]:
        told = f"has nothing in {named(table.columns[columns.key])}, which tells learners apart"
        raise table.wrong(row.line, told)
    for at in {*columns.identities, columns.name, columns.first, columns.last, columns.email} - {
        -1
    }:
        cell = table.identity(row, at)
        if at in columns.identities and cell:
            before = seen.setdefault((at, cell), row.line)
            if before != row.line:
                told = f"{named(table.columns[at])} is {named(cell)}, as on line {before}"
                raise table.wrong(row.line, f"{told}: each learner needs one of their own")


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
