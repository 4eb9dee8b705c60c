"""Moodle's grading worksheet: the instructor's own, with the grades and comments filled in."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING, NamedTuple

from pipeline.terminal.display import listed, visible
from verify.exports.base import Format, UnusableExport
from verify.exports.files import csv_file
from verify.exports.worksheets import Filling, Identity, Table, at, on_roster, read_table, scaled
from verify.gradebook.records import score_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verify.exports.base import Settings
    from verify.gradebook.reading import Cohort
    from verify.gradebook.records import Standing

_OURS = "Graded by verify: "  # a comment that begins so is replaced, any other is kept
_NUMBER = re.compile("[0-9]{1,9}(?:[.][0-9]{1,9})?")
_NEEDED = ("identifier", "grade", "last modified (grade)")


class Worksheet(NamedTuple):
    """A worksheet as it was read; `columns` are positions by the headers in lower case."""

    table: Table
    columns: dict[str, int]

    def cell(self, row: Sequence[str], column: str) -> str:
        """Return a cell of a row, empty where the worksheet has no such column."""
        return at(row, self.columns.get(column))

    def largest(self, row: Sequence[str]) -> float | None:
        """Return the row's maximum grade, None without the column, 0 if it is not a number."""
        if "maximum grade" not in self.columns:
            return None
        text = self.cell(row, "maximum grade").strip().replace(",", ".")
        return float(text) if _NUMBER.fullmatch(text) else 0


def write(cohort: Cohort, target: str, settings: Settings) -> None:
    """Write the worksheet; where a grade is not known, Moodle's cell is unchanged."""
    sheet = read_worksheet(settings.source)
    table, columns = sheet.table, sheet.columns
    filling = Filling(table.rows, _identity(columns))
    locked = 0
    for standing in on_roster(cohort, "--moodle", settings.note):
        row = filling.row_of(standing.learner)
        if row and sheet.cell(row, "grade can be changed").strip().casefold() == "no":
            locked += 1
        else:
            filling.fill(standing.learner, _cells(standing, row or (), sheet))
    with csv_file(target, table.delimiter, marked=table.marked) as writer:
        writer.writerows((table.header, *table.rows))
    filling.note_rest("--moodle-from", settings.note)
    if locked:
        rows = "1 row is" if locked == 1 else f"{locked} rows are"
        settings.note(f"--moodle-from: {rows} locked in Moodle and unchanged")
    if "feedback comments" not in columns:
        settings.note(
            "--moodle-from has no column Feedback comments: see --csv for who set a score by hand"
            " and why"
        )


def read_worksheet(path: str) -> Worksheet:
    """Read a worksheet.

    Raises:
        UnusableExport: it cannot be read, is not a worksheet, or its grades are not numbers.
    """
    table = read_table(path, "--moodle-from")
    sheet = Worksheet(table, {name.strip().casefold(): at for at, name in enumerate(table.header)})
    absent = [name for name in _NEEDED if name not in sheet.columns]
    if absent:
        raise UnusableExport(
            f"--moodle-from {visible(path, 300)} is not a grading worksheet of Moodle: it does not"
            f" have {listed(absent)} (set your language to English before you download it)"
        )
    for line, row in enumerate(table.rows, 2):
        if any(row) and sheet.largest(row) == 0:
            raise UnusableExport(
                f"--moodle-from {visible(path, 300)}: the maximum grade in row {line} is not a"
                " number: set the assignment to be graded by points"
            )
    return sheet


def _identity(columns: dict[str, int]) -> Identity:
    names = ("username", "id number", "identifier")
    return Identity(
        {name: columns[name] for name in names if name in columns},
        email=columns.get("email address"),
        name=columns.get("full name"),
        weak="identifier",  # each assignment numbers its participants anew
    )


def _cells(standing: Standing, row: Sequence[str], sheet: Worksheet) -> dict[int, str]:
    cells = {}
    grade, points = standing.total, standing.points
    if grade is not None:
        largest = sheet.largest(row)
        cells[sheet.columns["grade"]] = score_text(
            scaled(grade, points, points if largest is None else largest)
        )
    ungraded = any(mark.outcome == "error" and mark.score is None for mark in standing.marks)
    if "feedback comments" in sheet.columns and not ungraded:
        there = sheet.cell(row, "feedback comments")
        if not there.strip() or there.startswith(_OURS):
            cells[sheet.columns["feedback comments"]] = _comment(standing)
    return cells


def _comment(standing: Standing) -> str:
    """Return the comment, which Moodle takes for HTML."""
    parts = [f"{score_text(standing.total) or 'no grade,'} of {standing.points} points"]
    for mark in standing.marks:
        failed = [each for each in mark.results if each.outcome == "fail"]
        codes = [each.check.code for each in failed if not mark.is_note(each)]
        parts += [f"{mark.exercise.name} did not pass {', '.join(codes)}"] if codes else []
        parts += [f"{mark.exercise.name}: {visible(note, 2_000)}" for note in mark.notes]
    return _OURS + html.escape("; ".join(parts)) + "."


def _check(_target: str, settings: Settings, _exercises: Sequence[str]) -> None:
    if not settings.source:
        raise UnusableExport("--moodle goes with --moodle-from: add --moodle-from WORKSHEET.csv")
    read_worksheet(settings.source)


FORMAT = Format(
    "moodle",
    "FILE",
    "Moodle's grading worksheet, filled in; needs --moodle-from",
    write,
    _check,
    source=("WORKSHEET.csv", "the worksheet that --moodle fills in"),
)
