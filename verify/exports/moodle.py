"""Moodle's grading worksheet: the instructor's own, with the grades and comments filled in."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING, NamedTuple

from pipeline.terminal.display import listed, visible
from verify.exports.base import UnusableExport
from verify.exports.files import csv_file
from verify.exports.scores import (
    is_note,
    is_ungraded,
    latest,
    override_told,
    scaled,
    shown,
    total,
    why_blank,
    worth,
)
from verify.exports.worksheets import Filling, Identity, Rows, Table, read_table, told_unlisted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verify.exports.base import Settings
    from verify.gradebook.reading import Cohort
    from verify.gradebook.records import Standing

OURS = "Graded by verify: "  # a comment that begins so is replaced, any other is kept
_NUMBER = re.compile("[0-9]{1,9}(?:[.][0-9]{1,9})?")
_NEEDED = ("identifier", "grade", "last modified (grade)")


class Worksheet(NamedTuple):
    """A worksheet as it was read; `columns` are positions by the headers in lower case."""

    table: Table
    columns: dict[str, int]
    found: Rows


def write(cohort: Cohort, target: str, settings: Settings) -> list[str]:
    """Write the worksheet; a grade that is not known is left as Moodle has it."""
    sheet = read_worksheet(settings.moodle_from)
    filling = Filling(sheet.table.rows, sheet.found)
    locked = unlisted = 0
    for standing in latest(cohort.standings()):
        if cohort.has_roster and not standing.learner.rostered:
            unlisted += 1
            continue
        row = filling.row_of(standing.learner)
        if row is not None and _is_locked(row, sheet):
            locked += 1
        else:
            filling.fill(standing.learner, _cells(standing, row or (), sheet))
    with csv_file(target, sheet.table.delimiter, marked=sheet.table.marked) as writer:
        writer.writerows((sheet.table.header, *sheet.table.rows))
    told_unlisted(unlisted, "--moodle", settings.note)
    _tell(filling, locked, sheet, settings)
    return [target]


def read_worksheet(path: str) -> Worksheet:
    """Read a worksheet.

    Raises:
        UnusableExport: it cannot be read, is no worksheet, or has no numbers for grades.
    """
    table = read_table(path, "--moodle-from")
    columns = {name.strip().casefold(): at for at, name in enumerate(table.header)}
    absent = [name for name in _NEEDED if name not in columns]
    if absent:
        raise UnusableExport(
            f"--moodle-from {visible(path, 300)} is no grading worksheet of Moodle: it lacks"
            f" {listed(absent)} (set your language to English before you download it)"
        )
    ids: dict[str, int] = {
        name: columns[name] for name in ("identifier", "id number", "username") if name in columns
    }
    identity = Identity(
        ids,
        [name for name in ("username", "id number", "identifier") if name in ids],
        email=columns.get("email address"),
        name=columns.get("full name"),
        weak="identifier",  # each assignment numbers its participants anew
    )
    sheet = Worksheet(table, columns, Rows(identity, table.rows))
    for line, row in enumerate(table.rows, 2):
        if any(row) and _largest(row, sheet) == 0:
            raise UnusableExport(
                f"--moodle-from {visible(path, 300)}: row {line} has no number as its maximum"
                " grade: let the assignment be graded by points"
            )
    return sheet


def _cells(standing: Standing, row: Sequence[str], sheet: Worksheet) -> dict[int, str]:
    cells = {}
    grade = total(standing)
    if grade is not None:
        points, largest = worth(standing), _largest(row, sheet)
        cells[sheet.columns["grade"]] = shown(
            scaled(grade, points, points if largest is None else largest)
        )
    comments = sheet.columns.get("feedback comments")
    if comments is not None and not is_ungraded(standing):
        there = _at(row, comments)
        if not there.strip() or there.startswith(OURS):
            cells[comments] = _comment(standing)
    return cells


def _largest(row: Sequence[str], sheet: Worksheet) -> float | None:
    """Return the row's maximum grade, None where the sheet has none, 0 where it is no number."""
    position = sheet.columns.get("maximum grade")
    if position is None:
        return None
    text = _at(row, position).strip().replace(",", ".")
    return float(text) if _NUMBER.fullmatch(text) else 0


def _comment(standing: Standing) -> str:
    """Return the comment, which Moodle takes for HTML."""
    told = [f"{shown(total(standing)) or 'no grade,'} of {worth(standing)} points"]
    for mark in standing.marks:
        failed = [c for c in mark.results if c.outcome == "fail" and not is_note(c, mark)]
        codes = [check.check.code for check in failed]
        told += [f"{mark.exercise.name} did not pass {', '.join(codes)}"] if codes else []
        notes = (why_blank(mark), override_told(mark))
        told += [f"{mark.exercise.name}: {visible(note, 2_000)}" for note in notes if note]
    return OURS + html.escape("; ".join(told)) + "."


def _is_locked(row: Sequence[str], sheet: Worksheet) -> bool:
    position = sheet.columns.get("grade can be changed")
    return position is not None and _at(row, position).strip().casefold() == "no"


def _at(row: Sequence[str], position: int) -> str:
    return row[position] if position < len(row) else ""


def _tell(filling: Filling, locked: int, sheet: Worksheet, settings: Settings) -> None:
    filling.tell("--moodle-from", settings.note)
    if locked:
        rows = "1 row is" if locked == 1 else f"{locked} rows are"
        settings.note(f"--moodle-from: {rows} locked in Moodle and left as before")
    if "feedback comments" not in sheet.columns:
        settings.note(
            "--moodle-from has no column Feedback comments: who set a score by hand and why stands"
            " in --csv"
        )
