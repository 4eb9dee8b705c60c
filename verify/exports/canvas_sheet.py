"""An export of Canvas's gradebook: which columns tell who a row is about, which are assignments."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from pipeline.display import listed, visible
from verify.exports.base import UnusableExport
from verify.exports.matching import Identity, Rows
from verify.exports.worksheets import read_table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_ID = re.compile(r"\(([0-9]+)\)\s*\Z")
_IDS = ("ID", "SIS User ID", "SIS Login ID")


class Sheet(NamedTuple):
    """An export; `students` is the number of columns about the student, the first ones."""

    header: list[str]
    rows: list[list[str]]
    delimiter: str
    marked: bool
    students: int
    found: Rows

    def columns_of(self, exercises: Sequence[str], titles: Mapping[str, str]) -> dict[str, int]:
        """Return the position of each exercise's column.

        Raises:
            UnusableExport: an exercise has none, or more than one.
        """
        return {name: self._column(name, titles.get(name, "")) for name in exercises}

    def _column(self, exercise: str, title: str) -> int:
        wanted = [
            position
            for position, header in enumerate(self.header)
            if position >= self.students and _is_column(header, exercise, title)
        ]
        if len(wanted) == 1:
            return wanted[0]
        which = visible(title) if title else f"a title that begins with {exercise}"
        assignments = [header for header in self.header[self.students :] if _ID.search(header)]
        raise UnusableExport(
            f"--canvas-from has {len(wanted) or 'no'} columns for {exercise} ({which}): name one by"
            f" --assignment '{exercise}=TITLE (ID)', of {listed(assignments) or 'none'}"
        )


def _is_column(header: str, exercise: str, title: str) -> bool:
    if not title:
        return header == exercise or header.startswith(f"{exercise} ")
    wanted, here = _ID.search(title), _ID.search(header)
    return header == title or bool(wanted and here and wanted[1] == here[1])


def read_sheet(path: str) -> Sheet:
    """Read an export of the gradebook.

    Raises:
        UnusableExport: it cannot be read, or is no such export.
    """
    table = read_table(path, "--canvas-from")
    header = table.header
    students = header.index("Section") + 1 if "Section" in header else 0
    begins = len(header) > 1 and "Student" in header[0] and "ID" in header[1]
    if not begins or not students:
        raise UnusableExport(
            f"--canvas-from {visible(path, 300)} is no export of Canvas's gradebook"
            " (expected the columns Student, ID, ..., Section first)"
        )
    ids = {name.casefold(): header.index(name) for name in _IDS if name in header[:students]}
    keys = [key for key in ("sis login id", "sis user id", "id") if key in ids]
    found = Rows(Identity(ids, keys, name=0), table.rows)
    return Sheet(header, table.rows, table.delimiter, table.marked, students, found)
