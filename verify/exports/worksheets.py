"""The instructor's own tables, as an LMS exported them: read, a learner's row found, and filled."""

from __future__ import annotations

import csv
import io
import os
import re
import unicodedata
from typing import TYPE_CHECKING, NamedTuple

from pipeline.terminal.display import listed, named, visible
from verify.exports.base import UnusableExport

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from verify.gradebook.records import Learner

LARGEST = 100_000_000  # bytes
_NAMED = 100  # of those without a place, so many are kept to be named
_TOLD = 20  # rows that are told in a line each
_WHO = 3  # columns that tell who a row is about
_EMAIL, _FULL_NAME = "e-mail", "name"
_WORDS = re.compile(r"[^\w]+|_+")
_NUMBER = re.compile(r"participant 0*([0-9]+)")


class Table(NamedTuple):
    """A table as it was read; `marked` tells whether it began with a byte order mark."""

    header: list[str]
    rows: list[list[str]]
    delimiter: str
    marked: bool


def read_table(path: str, option: str) -> Table:
    """Return the table in a CSV file.

    Raises:
        UnusableExport: missing, too large, no UTF-8, no table.
    """
    text = _text(path, option)
    marked = text.startswith("\ufeff")
    text = text.removeprefix("\ufeff")
    first = text.partition("\n")[0]
    delimiter = ";" if first.count(";") > first.count(",") else ","
    limit = csv.field_size_limit(LARGEST)  # a comment may be longer than the usual limit
    try:
        header, *rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    except ValueError:
        raise _unusable(path, option, "is empty") from None
    except csv.Error as error:
        raise _unusable(path, option, f"is no CSV file: {error}") from None
    finally:
        csv.field_size_limit(limit)
    return Table(header, rows, delimiter, marked)


def _text(path: str, option: str) -> str:
    if os.path.exists(path) and not (os.path.isfile(path) or os.path.isdir(path)):
        raise _unusable(path, option, "is no regular file")  # a pipe is waited for without end
    try:
        with open(path, "rb") as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        reason = (error.strerror or "unknown reason").lower()
        raise _unusable(path, option, f"cannot be read: {reason}") from None
    if len(data) > LARGEST:
        raise _unusable(path, option, "is larger than 100 MB")
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise _unusable(path, option, "is no UTF-8: export it from the LMS again") from None


def _unusable(path: str, option: str, what: str) -> UnusableExport:
    return UnusableExport(f"{option} {visible(path, 300)} {what}")


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
        columns |= {} if identity.name is None else {_FULL_NAME: identity.name}
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
        yield [(_FULL_NAME, learner.name)]


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
    if field == _FULL_NAME and comma:
        return [plain, f"{first.strip()} {last.strip()}"]
    return [plain]


class Filling:
    """The rows while they are filled in; a row that two learners claim stays as it was."""

    def __init__(self, rows: list[list[str]], found: Rows) -> None:
        self._rows = rows
        self._found = found
        self._before: dict[int, list[str] | None] = {}  # as it was; None once two have claimed it
        self._without: list[str] = []
        self._more = 0
        self._doubted: list[str] = []

    def row_of(self, learner: Learner) -> list[str] | None:
        """Return the learner's row as it stands, None where there is none."""
        number = self._found.row_of(learner)
        return None if number is None else self._rows[number]

    def fill(self, learner: Learner, cells: Mapping[int, str]) -> bool:
        """Put a learner's cells, by their positions, into the learner's row; tell if it could."""
        number = self._found.row_of(learner)
        if number is None:
            if learner.key in self._found.contradicted:
                self._doubt(learner)
            else:
                self._leave(learner.key)
            return False
        if number in self._before:
            before = self._before[number]
            if before is not None:
                self._rows[number][:] = before
                self._before[number] = None
            self._leave(learner.key)
            return False
        row = self._rows[number]
        self._before[number] = list(row)
        row.extend([""] * (max(cells, default=0) + 1 - len(row)))
        for position, text in cells.items():
            row[position] = text
        return True

    def tell(self, option: str, note: Callable[[str], None]) -> None:
        """Tell of learners without a row of their own, and of rows without a learner."""
        for line in self._doubted:
            note(f"{option}: {line}")
        more = len(self._found.contradicted) - len(self._doubted)
        if more > 0:
            note(f"{option}: {more} more rows are another's by their names and left as before")
        number = len(self._without) + self._more
        if number:
            who = listed(self._without) if number <= _NAMED else f"{number} learners"
            note(f"{option} has no row that is surely theirs for {who}: see --csv-wide")
        shared = sum(before is None for before in self._before.values())
        if shared:
            rows = "row is" if shared == 1 else "rows are"
            note(f"{option}: {shared} {rows} claimed by several learners and left as before")

    def _doubt(self, learner: Learner) -> None:
        """Note that a row was found for a learner which is another's by what else it says."""
        if len(self._doubted) < _TOLD:
            number = self._found.contradicted[learner.key]
            there = ", ".join(cell for cell in self._rows[number][:_WHO] if cell.strip())
            line = f"row {number + 2} ({visible(there, 200)}) was found for {named(learner.key)}"
            name = f", {visible(learner.name, 100)}" if learner.name else ""
            self._doubted.append(f"{line}{name}, and is another's: left as before")

    def _leave(self, key: str) -> None:
        if len(self._without) < _NAMED:
            self._without.append(key)
        else:
            self._more += 1


def told_unlisted(number: int, option: str, note: Callable[[str], None]) -> None:
    """Tell that learners who are not on the roster were left out."""
    if number:
        who = "1 learner is" if number == 1 else f"{number} learners are"
        note(f"{option} leaves out who is not on the roster: {who}; see --csv-wide")
