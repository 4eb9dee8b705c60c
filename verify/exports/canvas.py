"""Canvas's gradebook import: the instructor's own export filled in, or made of the roster's ids."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from pipeline.terminal.display import listed, named, visible
from verify.exports.base import UnusableExport
from verify.exports.files import csv_file
from verify.exports.scores import latest, scaled, shown
from verify.exports.text import cell
from verify.exports.worksheets import (
    Filling,
    Identity,
    Rows,
    column_name,
    read_table,
    told_unlisted,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from verify.exports.base import Settings
    from verify.gradebook.reading import Cohort
    from verify.gradebook.records import Learner, Standing

COLUMNS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
_POINTS = "    Points Possible"  # as Canvas itself writes it
_ID = re.compile(r"\(([0-9]+)\)\s*\Z")
_NUMBER = re.compile(r"([0-9]+|[0-9]{1,3}(?:[.,][0-9]{3})+(?=[.,]))(?:[.,]([0-9]{1,2}))?")
_IDS = ("ID", "SIS User ID", "SIS Login ID")


def write(cohort: Cohort, target: str, settings: Settings) -> list[str]:
    """Write the import; a score that is not known is left as Canvas has it.

    With the instructor's export, scores are scaled to the points of Canvas's assignments.
    """
    if settings.canvas_from:
        _fill(cohort, target, settings)
    else:
        _make(cohort, target, settings)
    return [target]


def _make(cohort: Cohort, target: str, settings: Settings) -> None:
    unlisted = overridden = 0
    titles = [settings.titles.get(e.name, f"{e.name} {e.title}") for e in cohort.exercises]
    with csv_file(target) as writer:
        writer.writerow([*COLUMNS, *map(cell, titles)])
        # Canvas takes these for the assignment's: they are told of new assignments only
        known = [exercise.name in settings.titles for exercise in cohort.exercises]
        points = [
            "" if there else str(exercise.points)
            for exercise, there in zip(cohort.exercises, known, strict=True)
        ]
        writer.writerow([_POINTS, *([""] * (len(COLUMNS) - 1)), *points])
        for standing in latest(cohort.standings()):
            if cohort.has_roster and not standing.learner.rostered:
                unlisted += 1
                continue
            writer.writerow([*_identity(standing.learner), *_scores(standing)])
            overridden += _overrides(standing)
    for title, exercise, there in zip(titles, cohort.exercises, known, strict=True):
        step = ", not scaled to the assignment: add --canvas-from" if there else ""
        if there or len(titles) > 1:
            _tell_column(exercise.name, title, f"{exercise.points} points{step}", settings)
    told_unlisted(unlisted, "--canvas", settings.note)
    _told_overrides(overridden, settings)


def _tell_column(exercise: str, title: str, points: str, settings: Settings) -> None:
    settings.note(f"--canvas: {exercise} is in the column {named(title)}, out of {points}")


def _identity(learner: Learner) -> list[str]:
    own = {column_name(name): value for name, value in learner.ids.items()}
    known = [own.get(column_name(name), "") for name in COLUMNS[1:4]]
    if not (known[0].isascii() and known[0].isdecimal()):
        known[0] = ""  # Canvas's own are numbers: another system's id is none of Canvas's
    if not any(known):
        known[-1] = learner.key
    return [cell(text) for text in (learner.name or learner.key, *known, own.get("section", ""))]


def _scores(standing: Standing) -> list[str]:
    return [shown(mark.score) for mark in standing.marks]


def _overrides(standing: Standing) -> int:
    return sum(mark.override is not None for mark in standing.marks)


def _told_overrides(number: int, settings: Settings) -> None:
    if number:
        settings.note(
            f"--canvas: {number} score{'s' * (number != 1)} set by hand; the file has no column for"
            " who and why: see --csv"
        )


def _fill(cohort: Cohort, target: str, settings: Settings) -> None:
    sheet = read_sheet(settings.canvas_from)
    columns = sheet.columns_of([exercise.name for exercise in cohort.exercises], settings.titles)
    possible = {name: sheet.points_of(position) for name, position in columns.items()}
    filling = Filling(sheet.rows, sheet.found)
    unlisted = overridden = blank = 0
    for standing in latest(cohort.standings()):
        if cohort.has_roster and not standing.learner.rostered:
            unlisted += 1
        elif filling.fill(standing.learner, _cells(standing, columns, possible)):
            overridden += _overrides(standing)
            blank += any(mark.score is None for mark in standing.marks)
    kept = [*range(sheet.students), *columns.values()]
    with csv_file(target, sheet.delimiter, marked=sheet.marked) as writer:
        for row in (sheet.header, *sheet.rows):
            writer.writerow([row[position] if position < len(row) else "" for position in kept])
    for exercise in cohort.exercises if len(columns) > 1 else ():
        name, points = exercise.name, possible[exercise.name] or exercise.points
        _tell_column(name, sheet.header[columns[name]], f"{shown(points)} points", settings)
    told_unlisted(unlisted, "--canvas", settings.note)
    filling.tell("--canvas-from", settings.note)
    if blank:
        settings.note(f"--canvas-from: {blank} without a score: their cells are as Canvas had them")
    _told_overrides(overridden, settings)


def _cells(
    standing: Standing, columns: Mapping[str, int], possible: Mapping[str, float | None]
) -> dict[int, str]:
    cells = {}
    for mark in standing.marks:
        name, points = mark.exercise.name, mark.exercise.points
        if mark.score is not None:
            largest = possible[name] or points
            cells[columns[name]] = shown(scaled(mark.score, points, largest))
    return cells


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
            UnusableExport: an exercise has none, or more than one; its points are unknown.
        """
        columns = {name: self._column(name, titles.get(name, "")) for name in exercises}
        for position in columns.values():
            self.points_of(position)
        return columns

    def points_of(self, position: int) -> float | None:
        """Return what the assignment of a column is worth; None where no row says so.

        Raises:
            UnusableExport: it is not a number above 0.
        """
        row = next((row for row in self.rows if row and row[0].strip() == _POINTS.strip()), None)
        if row is None:
            return None
        text = row[position].strip() if position < len(row) else ""
        found = _NUMBER.fullmatch(text)
        points = float(re.sub("[.,]", "", found[1]) + f".{found[2] or 0}") if found else 0
        if not points:
            raise UnusableExport(
                f"--canvas-from has {visible(text) or 'nothing'} as the Points Possible of"
                f" {visible(self.header[position])}: give the assignment points, then export again"
            )
        return points

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
