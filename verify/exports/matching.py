"""Finds the row of a learner in a table of the instructor's: by ids, e-mail, key, name."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from verify.gradebook.values import Learner


class Identity(NamedTuple):
    """Columns that tell who a row is about, by their positions; None for one that is not there.

    `ids` are known by a roster's column of one of the names; `keys` are those of them that may also
    be the learner's key, in the order in which they are tried. The id `weak` is another one in
    another table: what it alone tells must not contradict the name.
    """

    ids: Mapping[str, int]
    keys: Sequence[str]
    email: int | None = None
    name: int | None = None
    weak: str = ""


class Rows:
    """The rows of a table, found by who they are about; what two rows have finds neither.

    `contradicted` has the rows that were found for a learner and say that they are another's, by
    the learner's key.
    """

    def __init__(self, identity: Identity, rows: Sequence[Sequence[str]]) -> None:
        self.contradicted: dict[str, int] = {}
        self._identity = identity
        self._rows = rows
        self._found: dict[tuple[str, str], int | None] = {}
        columns = dict(identity.ids)
        columns |= {} if identity.email is None else {_EMAIL: identity.email}
        columns |= {} if identity.name is None else {_NAME: identity.name}
        for number, row in enumerate(rows):
            for field, position in columns.items():
                value = row[position] if position < len(row) else ""
                for known in _spellings(field, value):
                    known_row = self._found.setdefault((field, known), number)
                    if known_row != number:
                        self._found[field, known] = None

    def row_of(self, learner: Learner) -> int | None:
        """Return the number of the learner's row, None where no row is the learner's for sure."""
        for claims in self._claims(learner):
            found = [(field, row) for field, value in claims for row in self._rows_of(field, value)]
            rows = {row for _, row in found}
            if len(rows) > 1:
                return None
            for row in rows:
                weakly = all(field == self._identity.weak for field, _ in found)
                if weakly and self._contradicts(row, learner):
                    self.contradicted[learner.key] = row
                    return None
                return row
        return None

    def _contradicts(self, row: int, learner: Learner) -> bool:
        """Tell whether a row is another's by its name, where both are known."""
        cells, at = self._rows[row], self._identity.name
        name = cells[at] if at is not None and at < len(cells) else ""
        known = bool(name.strip() and learner.name.strip())
        return known and not _is_one_person(name, learner.name)

    def _rows_of(self, field: str, value: str) -> Iterator[int]:
        for known in _spellings(field, value):
            row = self._found.get((field, known))
            if row is not None:
                yield row

    def _claims(self, learner: Learner) -> Iterator[list[tuple[str, str]]]:
        """Yield what tells who the learner is, the surest first; what is as sure must agree."""
        own = {column_name(name): value for name, value in learner.ids.items()}
        ids = [(field, own.get(field, "")) for field in self._identity.ids]
        yield [*ids, (_EMAIL, learner.email)]
        yield [(_EMAIL, learner.key), *((field, learner.key) for field in self._identity.keys)]
        yield [(_NAME, learner.name)]


_EMAIL, _NAME = "e-mail", "name"
_WORDS = re.compile(r"[^\w]+|_+")
_NUMBER = re.compile(r"participant 0*([0-9]+)")


def column_name(text: str) -> str:
    """Return a column's name for comparing: `SIS_User-ID` and `sis user id` are one."""
    return _WORDS.sub(" ", text).strip().casefold()


def _is_one_person(name: str, other: str) -> bool:
    """Tell whether two names may be one person's: a middle name, an accent or the order differs."""
    first, second = _letters(name), _letters(other)
    if "".join(sorted("".join(first))) == "".join(sorted("".join(second))):
        return True
    return set(first) <= set(second) or set(second) <= set(first)


def _letters(name: str) -> list[str]:
    """Return the words of a name, in lower case and without accents."""
    apart = unicodedata.normalize("NFKD", name.casefold())
    plain = "".join(each for each in apart if not unicodedata.combining(each))
    return _WORDS.sub(" ", plain).split()


def _spellings(field: str, value: str) -> list[str]:
    """Return a value for comparing; a name also with its parts in the other order."""
    plain = " ".join(value.split()).casefold()
    if not plain:
        return []
    if field == "identifier":
        number = _NUMBER.fullmatch(plain)
        return [number[1]] if number else [plain]
    last, comma, first = plain.partition(",")
    if field == _NAME and comma:
        return [plain, f"{first.strip()} {last.strip()}"]
    return [plain]
