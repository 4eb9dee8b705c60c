"""Reads an instructor's tables: any common kind of CSV, each row with its line number."""

from __future__ import annotations

import codecs
import csv
import io
import re
import unicodedata
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from pipeline.files import Unreadable, read_file
from pipeline.terminal.display import named, visible
from pipeline.terminal.fault import Fault

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MAX_TABLE = 64 << 20  # bytes of a table: a million rows of 60
MAX_ROWS = 2_000_000
MAX_COLUMNS = 1_000
MAX_IDENTITY = 300  # characters of a key, a name, an address
_MAX_LINE = 1 << 20  # characters: the widest table that is accepted has shorter lines
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_DELIMITERS = ",;\t"
_AGAIN = "save the table as CSV in UTF-8"

Row: TypeAlias = tuple[int, dict[str, str]]  # its line, and its cells that are not empty by column


class Unusable(Fault):
    """An instructor's table or collection that cannot be used; the message is one line."""


def headings(names: Iterable[str]) -> dict[str, str]:
    """Return the names of columns by the form that is compared: lower case, words apart."""
    found: dict[str, str] = {}
    for name in names:
        heading = re.sub(r"[\s_.-]+", " ", unicodedata.normalize("NFC", name)).strip().lower()
        found.setdefault(heading, name)
    return found


class Table:
    """A table, which is read once; `columns` has the names of its columns as they are written.

    It is UTF-8, UTF-16 with a byte order mark, or else cp1252, which German and English
    spreadsheets write. Its separator is the comma, semicolon or tab, whichever the header has most.
    Raises `Unusable` with the file and the line.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        try:
            self._data = read_file(path, MAX_TABLE)
        except Unreadable as error:
            raise Unusable(f"{visible(path, 300)} {error}") from None
        self._encoding = self._encoding_of(self._data)
        header = next(filter(str.strip, self._lines()), "")
        delimiter = max(_DELIMITERS, key=header.count)
        self._reader = csv.reader(self._lines(), delimiter=delimiter, strict=True)
        line, self.columns = next(self._filled(), (1, []))
        if not self.columns:
            raise Unusable(f"{visible(path, 300)} is empty: its first line must name the columns")
        if len(self.columns) > MAX_COLUMNS:
            raise self.wrong(line, f"has more than {MAX_COLUMNS} columns")
        if any(len(name) > MAX_IDENTITY for name in self.columns):
            raise self.wrong(line, f"a column's name has more than {MAX_IDENTITY} characters")

    def rows(self) -> Iterator[Row]:
        """Yield the rows that are not blank; of columns with one name the first cell counts."""
        width = len(self.columns)
        for number, (line, cells) in enumerate(self._filled(), 1):
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
        """Return a cell that identifies a person; raises `Unusable` for an unusual one."""
        line, cells = row
        cell = cells.get(column, "")
        if len(cell) > MAX_IDENTITY:
            raise self.wrong(line, f"the {named(column)} has more than {MAX_IDENTITY} characters")
        if _CONTROL.search(cell):
            raise self.wrong(line, f"the {named(column)} contains a control character")
        return cell

    def wrong(self, line: int, what: str) -> Unusable:
        """Return the exception about a line."""
        return Unusable(f"{visible(self._path, 300)}, line {line}: {what}")

    def _filled(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the line and the cells of each row that is not blank."""
        line = self._reader.line_num + 1
        try:
            for row in self._reader:
                cells = [cell.strip() for cell in row]
                if any(cells):
                    yield line, cells
                line = self._reader.line_num + 1
        except csv.Error as error:
            raise self.wrong(line, f"cannot be read as CSV: {error}") from None

    def _lines(self) -> Iterator[str]:
        """Yield the lines; parsing a longer one would take 60 times its size."""
        text = io.TextIOWrapper(io.BytesIO(self._data), encoding=self._encoding, newline="")
        for number, line in enumerate(iter(partial(text.readline, _MAX_LINE + 1), ""), 1):
            if len(line) > _MAX_LINE:
                what = f"has more than {_MAX_LINE:,} characters: save the table as CSV again"
                raise self.wrong(number, what)
            yield line

    def _encoding_of(self, data: bytes) -> str:
        """Return how the text is encoded: in cp1252 only if it cannot be UTF-8."""
        encodings = ["utf-8-sig"] if data.startswith(codecs.BOM_UTF8) else ["utf-8", "cp1252"]
        if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            encodings = ["utf-16"]
        elif b"\0" in data:
            line = data.count(b"\n", 0, data.index(b"\0")) + 1
            raise self.wrong(line, f"has a NUL character: {_AGAIN}")
        for encoding in encodings[:-1]:
            with suppress(UnicodeDecodeError):
                data.decode(encoding)
                return encoding
        try:
            data.decode(encodings[-1])
        except UnicodeDecodeError as error:
            line = error.object.count(b"\n", 0, error.start) + 1
            what = "UTF-16" if encodings == ["utf-16"] else "UTF-8"
            raise self.wrong(line, f"is not {what}: {_AGAIN}") from None
        return encodings[-1]
