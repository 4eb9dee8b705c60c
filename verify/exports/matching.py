"""Finds the row of a learner in a table of the instructor's: by ids, e-mail, key, name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from verify.gradebook.values import Learner


class Identity(NamedTuple):
    """Columns that tell who a row is about, by their positions; None for one that is not there.

    `ids` are known by a roster's column of one of the names; `keys` are those of them that may also
    be the learner's key, in the order in which they are tried.
    """

    ids: Mapping[str, int]
    keys: Sequence[str]
    email: int | None = None
    name: int | None = None


class Rows:
    """The rows of a table, found by who they are about; what two rows have finds neither."""

    def __init__(self, identity: Identity, rows: Sequence[Sequence[str]]) -> None:
        self._identity = identity
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
            rows = {row for claim in claims for row in self._rows_of(*claim)}
            if rows:
                return rows.pop() if len(rows) == 1 else None
        return None

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
