"""Reads the tables that an instructor hands over: CSV of any usual kind, each row with its line."""

from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING, NamedTuple

from pipeline.display import named, visible
from pipeline.reading import Unreadable, read_file

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_TABLE = 64 << 20  # bytes of a table: a million rows of 60
MAX_ROWS = 2_000_000
MAX_COLUMNS = 1_000
_MAX_LINE = 1 << 20  # characters: the widest table that is read has shorter ones
MAX_IDENTITY = 300  # characters of what tells a learner: a key, a name, an address
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_DELIMITERS = ",;\t"


class Row(NamedTuple):
    """One row: the line where it begins, and one cell a column, without blanks around."""

    line: int
    cells: list[str]


class Table:
    """A table with its columns' names; its rows are read once, one after the other.

    Args:
        path: of the file: UTF-8, with or without a byte order mark, its cells separated by commas,
            semicolons or tabs.
        fault: what is raised of a wrong table; its message is one line that names file and line.

    Raises:
        Exception: `fault`: unreadable, too large, not UTF-8, or without a header.
    """

    def __init__(self, path: str, fault: type[Exception]) -> None:
        self._path = path
        self._fault = fault
        self._number = 0  # of rows so far
        self._data = self._checked()
        header = next((line for line in self._lines() if line.strip()), "")
        delimiter = max(_DELIMITERS, key=header.count)
        self._reader = csv.reader(self._lines(), delimiter=delimiter, strict=True)
        first = next(self.rows(), None)
        if first is None:
            raise fault(f"{visible(path, 300)} is empty: its first line must name the columns")
        self._columns = first.cells
        if len(first.cells) > MAX_COLUMNS:
            raise self.wrong(first.line, f"has more than {MAX_COLUMNS} columns")
        if any(len(name) > MAX_IDENTITY for name in first.cells):
            raise self.wrong(first.line, f"a column's name has over {MAX_IDENTITY} characters")

    @property
    def columns(self) -> list[str]:
        """Return the names of the columns, as they are written."""
        return self._columns

    def rows(self) -> Iterator[Row]:
        """Yield the rows after the header, blank ones left out.

        Raises:
            Exception: the table's `fault`, for a row that is no CSV, or longer than the header.
        """
        while True:
            line = self._reader.line_num + 1
            try:
                cells = [cell.strip() for cell in next(self._reader)]
            except StopIteration:
                return
            except csv.Error as error:
                raise self.wrong(line, f"is no row of a table: {error}") from None
            if any(cells):
                self._number += 1
                if self._number > MAX_ROWS + 1:  # the header is one
                    raise self.wrong(line, f"there are more than {MAX_ROWS:,} rows")
                yield Row(line, self._fitted(line, cells))

    def identity(self, row: Row, at: int) -> str:
        """Return a cell that tells who somebody is.

        Raises:
            Exception: the table's `fault`, for one that is too long, or drives a terminal.
        """
        cell, column = row.cells[at], self._columns[at]
        if len(cell) > MAX_IDENTITY:
            raise self.wrong(row.line, f"{named(column)} has more than {MAX_IDENTITY} characters")
        if _CONTROL.search(cell):
            told = f"{named(column)} has a character that controls a terminal"
            raise self.wrong(row.line, told)
        return cell

    def wrong(self, line: int, told: str) -> Exception:
        """Return what to raise of a line."""
        return self._fault(f"{visible(self._path, 300)}, line {line}: {told}")

    def _fitted(self, line: int, cells: list[str]) -> list[str]:
        """Return as many cells as there are columns: spreadsheets leave empty ones out."""
        wanted = len(getattr(self, "_columns", cells))
        if any(cells[wanted:]):
            raise self.wrong(line, f"has {len(cells)} cells, but there are {wanted} columns")
        return cells[:wanted] + [""] * (wanted - len(cells))

    def _lines(self) -> Iterator[str]:
        """Yield the lines, one at a time: a line of commas alone would take 60 times its size."""
        text = io.TextIOWrapper(io.BytesIO(self._data), "utf-8-sig", newline="")
        for number, line in enumerate(text, 1):
            if len(line) > _MAX_LINE:
                told = f"is longer than {_MAX_LINE >> 10} KiB: save the table as CSV again"
                raise self.wrong(number, told)
            yield line

    def _checked(self) -> bytes:
        try:
            data = read_file(self._path, MAX_TABLE)
        except Unreadable as error:
            raise self._fault(f"{visible(self._path, 300)} {error}") from None
        number = 0
        try:
            for number, line in enumerate(io.BytesIO(data), 1):  # noqa: B007  # the fault needs it
                line.decode("utf-8")  # a line at a time: a text takes up to four times its bytes
        except UnicodeDecodeError:
            raise self.wrong(number, "is not UTF-8: save the table as CSV in UTF-8") from None
        if b"\0" in data:
            number = data.count(b"\n", 0, data.index(b"\0")) + 1
            raise self.wrong(number, "has a NUL character: save the table as CSV in UTF-8")
        return data
