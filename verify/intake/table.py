"""Reads an instructor's tables: any common kind of CSV, each row with its line number."""

from __future__ import annotations

import codecs
import csv
import io
import re
import unicodedata
from contextlib import suppress
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, TypeAlias

from pipeline.files import MISSING, Unreadable, read_file
from pipeline.terminal.display import named, visible
from pipeline.terminal.fault import Fault

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

MAX_TABLE = 64 << 20  # bytes of a table: a million rows of 60
MAX_ROWS = 2_000_000
MAX_COLUMNS = 1_000
MAX_IDENTITY = 300  # characters of a key, a name, an address
_MAX_LINE = 1 << 20  # characters: the widest table that is accepted has shorter lines
_MARKS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
_BAD = re.compile(r"[\x00-\x1f\x7f-\x9f\ufffd]")  # the last one also replaces damaged bytes
# what spreadsheets make of numbers, and write in place of a value
_DAMAGED = re.compile(
    r"[0-9]+(?:[.,][0-9]+E\+?|E\+)[0-9]{1,3}|[0-9]{4,}[.,]0|#[\w/]+[!?]|#N/?[AV]|#{3,}",
    re.IGNORECASE,
)
# what a spreadsheet takes for a formula, also behind what may separate cells, and within quotes
FORMULA = re.compile(
    r"(^|[,;|\t\uff0c\uff1b])(?=['\"\u2018-\u201f\s]*[=+\-@\uff1d\uff0b\uff0d\uff20\ufe62\ufe63\ufe66\ufe6b])"
)
_GUARDED = re.compile(f"{FORMULA.pattern}'")
_NUMBER = re.compile("[0-9]{1,9}(?:[.,][0-9]{1,9})?")
_SEPARATOR = re.compile('"?sep=(.)"?', re.IGNORECASE)
_DELIMITERS = ",;\t"
_AGAIN = "save the table as CSV in UTF-8"

csv.field_size_limit(MAX_TABLE)  # a comment may be longer than the usual limit

Row: TypeAlias = tuple[int, dict[str, str]]  # its line, and its cells that are not empty by column


class Unusable(Fault):
    """A table or collection that cannot be used, or an export that cannot be written: one line."""


class BadCharacter(Unusable):
    """A row of a table with a character that no name has; the message is one line."""


def headings(names: Iterable[str]) -> dict[str, str]:
    """Return the names of columns by the form that is compared: lower case, words apart."""
    found: dict[str, str] = {}
    for name in names:
        heading = re.sub(r"[\s_.-]+", " ", unicodedata.normalize("NFC", name)).strip().lower()
        found.setdefault(heading, name)
    return found


def by_heading(cells: Mapping[str, str]) -> dict[str, str]:
    """Return the cells of a row, which are by the names of columns, by their headings."""
    return {heading: cells[name] for heading, name in headings(cells).items()}


def number_in(text: str) -> float | None:
    """Return a number as English or German writes it, without thousands; None for other text."""
    return float(text.replace(",", ".")) if _NUMBER.fullmatch(text) else None


class CsvFile:
    """The rows of any common kind of CSV file, as they are written, each with its line.

    It is UTF-8, UTF-16 with a byte order mark, or else cp1252, which German and English
    spreadsheets write. Its separator is that of a first line `sep=;`, or else the comma, semicolon
    or tab, whichever the header has most. Damaged characters are replaced, unless it is `strict`:
    then they raise `UnicodeDecodeError`. Raises `Unusable` with the file and the line.
    """

    def __init__(self, path: str, *, strict: bool = False) -> None:
        self._errors = "strict" if strict else "replace"
        self.place = visible(path, 300)
        try:
            self._data = read_file(path, MAX_TABLE)
        except Unreadable as error:
            step = ": check its path" if error.reason == MISSING else ""
            raise Unusable(f"{self.place} {error}{step}") from None
        self.encoding = self._encoding_of(self._data)
        header = next(filter(str.strip, self._lines()), "")
        named_in = _SEPARATOR.fullmatch(header.rstrip("\r\n"))
        self.delimiter = named_in[1] if named_in else max(_DELIMITERS, key=header.count)
        self._before = header if named_in else None

    def cells(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the line and the cells of each row; a blank line has none."""
        lines = ("\n" if line == self._before else line for line in self._lines())
        reader = csv.reader(lines, delimiter=self.delimiter, strict=True)
        line = 1
        try:
            for row in reader:
                yield line, row
                line = reader.line_num + 1
        except csv.Error as error:
            raise self.wrong(line, f"cannot be read as CSV: {error}") from None

    def changed(self, rows: Iterable[Sequence[str]]) -> bytes:
        """Return the bytes of the file with other cells in its rows, the first blank ones left out.

        Raises `ValueError` if the cells are not where they seem to be.
        """
        mark = next((mark for mark in _MARKS if self._data.startswith(mark)), b"")
        codec = _MARKS.get(mark, self.encoding)
        places = _rows_of(self._data[len(mark) :].decode(codec), self.delimiter)
        there = [cells for _, cells in self.cells()]
        new, pieces = iter(rows), []
        is_blank = True
        for old, (cells, end) in zip(there, places, strict=True):
            is_blank = is_blank and not old
            if not is_blank and list(map(_cell_of, cells)) != (old or [""]):
                raise ValueError(cells)
            for at, cell in enumerate(() if is_blank else next(new)):
                if at >= len(cells) or cell != _cell_of(cells[at]):
                    cells[at : at + 1] = [
                        _quoted(cell, "".join(cells[at : at + 1]), self.delimiter)
                    ]
            text = self.delimiter.join(cells)
            is_lost = old and not is_blank and not text  # one empty cell reads as a blank line
            pieces += ['""' if is_lost else text, end]
        return mark + "".join(pieces).encode(codec)

    def wrong(self, line: int, what: str) -> Unusable:
        """Return the exception about a line."""
        return Unusable(f"{self.place}, line {line}: {what}")

    def _lines(self) -> Iterator[str]:
        """Yield the lines; parsing a longer one would take 60 times its size."""
        data = io.BytesIO(self._data)
        text = io.TextIOWrapper(data, encoding=self.encoding, errors=self._errors, newline="")
        for number, line in enumerate(iter(partial(text.readline, _MAX_LINE + 1), ""), 1):
            if len(line) > _MAX_LINE:
                what = f"has more than {_MAX_LINE:,} characters: save the table as CSV again"
                raise self.wrong(number, what)
            yield line.replace("\0", "\ufffd")

    def _encoding_of(self, data: bytes) -> str:
        """Return how the text is encoded: in cp1252 if most lines that differ are not UTF-8."""
        if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            return "utf-16"
        if b"\0" in data.lstrip().partition(b"\n")[0]:
            raise self.wrong(1, f"has a NUL character: {_AGAIN}")
        if data.startswith(codecs.BOM_UTF8):
            return "utf-8-sig"
        with suppress(UnicodeDecodeError):
            data.decode()
            return "utf-8"
        lines = [line for line in data.split(b"\n") if not line.isascii()]
        damaged = sum("\ufffd" in line.decode(errors="replace") for line in lines)
        return "cp1252" if 2 * damaged > len(lines) else "utf-8"


def _rows_of(text: str, delimiter: str) -> Iterator[tuple[list[str], str]]:
    """Yield the cells of each row as they are written, and what ends it."""
    sign = re.escape(delimiter)
    cell = re.compile(rf'("(?:[^"]|"")*"|[^{sign}"\r\n][^{sign}\r\n]*|)({sign}|\r\n|\r|\n|\Z)')
    cells: list[str] = []
    for found in cell.finditer(text):
        cells.append(found[1])
        if found[2] != delimiter and (found[2] or found.start() < len(text) or cells[1:]):
            yield cells, found[2]
        if found[2] != delimiter:
            cells = []


def _cell_of(text: str) -> str:
    cell = text[1:-1].replace('""', '"') if text.startswith('"') else text
    return cell.replace("\0", "\ufffd")


def _quoted(cell: str, before: str, delimiter: str) -> str:
    """Return a cell as text, quoted if the one before was, or if it must be."""
    if before.startswith('"') or any(sign in cell for sign in (delimiter, '"', "\r", "\n")):
        return '"{}"'.format(cell.replace('"', '""'))
    return cell


class Table(CsvFile):
    """A table, which is read once; `columns` has the names of its columns as they are written.

    `headings` has these names by the form that is compared. Some rows may be skipped.
    """

    def __init__(self, path: str, skipped: int = 0) -> None:
        super().__init__(path)
        self._rows = islice(self._filled(), skipped, None)
        line, self.columns = next(self._rows, (1, []))
        if not self.columns:
            raise Unusable(f"{self.place} is empty: its first line must name the columns")
        if len(self.columns) > MAX_COLUMNS:
            raise self.wrong(line, f"has more than {MAX_COLUMNS} columns")
        if any(len(name) > MAX_IDENTITY for name in self.columns):
            raise self.wrong(line, f"a column's name has more than {MAX_IDENTITY} characters")
        self.headings = headings(self.columns)

    def cells_of(self, row: Row, *wanted: str) -> list[str]:
        """Return the cells of a row in columns by their headings, empty for a missing column."""
        return [row[1].get(self.headings.get(heading, ""), "") for heading in wanted]

    def rows(self) -> Iterator[Row]:
        """Yield the rows that are not blank; of columns with one name the first cell counts."""
        width = len(self.columns)
        for number, (line, cells) in enumerate(self._rows, 1):
            if number > MAX_ROWS:
                raise self.wrong(line, f"there are more than {MAX_ROWS:,} rows")
            if any(cells[width:]):
                raise self.wrong(line, f"has {len(cells)} cells, but there are {width} columns")
            found: dict[str, str] = {}
            for name, cell in zip(self.columns, cells, strict=False):  # some may be missing
                if name and cell:
                    found.setdefault(name, cell)
            yield line, found

    def identity(self, row: Row, column: str) -> str:
        """Return a cell that identifies a person; raises `Unusable`, and `BadCharacter`."""
        line, cells = row
        cell = cells.get(column, "")
        if len(cell) > MAX_IDENTITY:
            raise self.wrong(line, f"the {named(column)} has more than {MAX_IDENTITY} characters")
        if _BAD.search(cell):
            where = f"{self.place}, line {line}: the {named(column)}"
            raise BadCharacter(f"{where} contains a control character or damaged text")
        if _DAMAGED.fullmatch(cell):
            what = f"the {named(column)} is {named(cell)}, as a spreadsheet damages it"
            raise self.wrong(line, f"{what}: format the column as text, and export the table again")
        return cell

    def _filled(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the rows that are not blank, without what surrounds a cell."""
        stripped = ((line, [_text(cell.strip()) for cell in row]) for line, row in self.cells())
        return ((line, cells) for line, cells in stripped if any(cells))


def _text(cell: str) -> str:
    """Return a cell's text without what keeps a spreadsheet from changing it.

    That is `="00123"`, or what exports do: an apostrophe before what would be a formula.
    """
    is_kept = cell.startswith('="') and cell.endswith('"') and len(cell) > len('="')
    return cell[2:-1].replace('""', '"').strip() if is_kept else _GUARDED.sub(r"\1", cell)
