"""Canvas's gradebook import: the instructor's export, filled in, or a new file from the roster."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pipeline.terminal.display import listed, visible
from verify.exports.base import Format, cell, csv_file
from verify.exports.worksheets import EXCUSED, Sheet, at, on_roster, scaled
from verify.gradebook.records import score_text
from verify.grading.model import Outcome
from verify.intake.table import Unusable, by_heading

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from verify.exports.base import Settings
    from verify.gradebook.reading import Cohort
    from verify.gradebook.records import Learner, Mark

_COLUMNS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
_IDS = ("SIS Login ID", "SIS User ID", "ID")  # in the order in which a key is compared
_POINTS = "    Points Possible"  # as Canvas itself writes it
_ID = re.compile(r"\(([0-9]+)\)\s*\Z")
_NUMBER = re.compile(r"([0-9]+|[0-9]{1,3}(?:[.,][0-9]{3})+(?=[.,]))(?:[.,]([0-9]{1,2}))?")


def write(cohort: Cohort, target: str, settings: Settings) -> None:
    """Write the import; if a score is unknown, Canvas's cell stays as it is."""
    if settings.source:
        _fill(cohort, target, settings)
        return
    with csv_file(target) as writer:
        writer.writerow([*_COLUMNS, *(cell(f"{e.name} {e.title}") for e in cohort.exercises)])
        blank = [""] * (len(_COLUMNS) - 1)
        writer.writerow([_POINTS, *blank, *(exercise.points for exercise in cohort.exercises)])
        for standing in on_roster(cohort, "--canvas", settings.note):
            scores = [_grade(mark, None) for mark in standing.marks]
            writer.writerow([*_identity(standing.learner), *scores])


def _identity(learner: Learner) -> list[str]:
    cells = by_heading(learner.ids)
    known = [cells.get(name.lower(), "") for name in _COLUMNS[1:4]]
    if not (known[0].isascii() and known[0].isdecimal()):
        known[0] = ""  # Canvas's ids are numbers: this one is another system's
    if not any(known):
        known[-1] = learner.key
    return [cell(text) for text in (learner.name or learner.key, *known, cells.get("section", ""))]


def _fill(cohort: Cohort, target: str, settings: Settings) -> None:
    sheet = CanvasSheet(settings.source)
    columns = sheet.columns_of([exercise.name for exercise in cohort.exercises], settings.titles)
    points = {name: sheet.points_of(column) for name, column in columns.items()}
    for row, standing in sheet.to_fill(cohort, settings):
        for mark in standing.marks:
            name = mark.exercise.name
            if grade := _grade(mark, points[name]):
                sheet.put_grade(row, columns[name], grade, settings, [name])
    sheet.write(target, [*range(sheet.students), *columns.values()])


def _grade(mark: Mark, largest: float | None) -> str:
    """Return what Canvas reads as the grade, empty for none."""
    if mark.outcome is Outcome.EXCUSED:
        return EXCUSED
    return (
        "" if mark.score is None else score_text(scaled(mark.score, mark.exercise.points, largest))
    )


class CanvasSheet(Sheet):
    """An export of the gradebook; `students` is how many columns are about the student."""

    def __init__(self, path: str) -> None:
        super().__init__(path, "--canvas-from")
        header = self.header
        self.students = header.index("Section") + 1 if "Section" in header else 0
        begins = len(header) > 1 and "Student" in header[0] and "ID" in header[1]
        if not begins or not self.students:
            raise self.unusable(
                "is not an export of Canvas's gradebook"
                " (expected the columns Student and ID first, and a column Section)"
            )
        names = [name for name in _IDS if name in header[: self.students]]
        self.identify_by({name.casefold(): header.index(name) for name in names}, name=0)

    def columns_of(self, exercises: Sequence[str], titles: Mapping[str, str]) -> dict[str, int]:
        """Return the position of each exercise's column; each has one, and points."""
        columns = {name: self._column(name, titles.get(name, "")) for name in exercises}
        for position in columns.values():
            self.points_of(position)
        return columns

    def points_of(self, position: int) -> float | None:
        """Return how many points the assignment of a column has; None if no row says so."""
        rows = (row for row in self.rows if at(row, 0).strip() == _POINTS.strip())
        row = next(rows, None)
        if row is None:
            return None
        text = at(row, position).strip()
        found = _NUMBER.fullmatch(text)
        points = float(re.sub("[.,]", "", found[1]) + f".{found[2] or 0}") if found else 0
        if not points:
            raise Unusable(
                f"--canvas-from has {visible(text) or 'nothing'} as the Points Possible of"
                f" {visible(self.header[position])}: give the assignment points in Canvas, and"
                " export the gradebook again"
            )
        return points

    def _column(self, exercise: str, title: str) -> int:
        assignments = list(enumerate(self.header))[self.students :]
        found = [at for at, header in assignments if _is_column(header, exercise, title)]
        if len(found) == 1:
            return found[0]
        which = f"the title {visible(title)}" if title else f"a title that begins with {exercise}"
        titles = [header for _, header in assignments if _ID.search(header)]
        known = listed(titles) or "none"
        raise Unusable(
            f"--canvas-from has {len(found) or 'no'} columns with {which} (expected one): choose a"
            f" column with --canvas-column '{exercise}=TITLE (ID)' (assignments: {known})"
        )


def _is_column(header: str, exercise: str, title: str) -> bool:
    if not title:
        return header == exercise or header.startswith(f"{exercise} ")
    title_id, header_id = _ID.search(title), _ID.search(header)
    return header == title or bool(title_id and header_id and title_id[1] == header_id[1])


def _check(_target: str, settings: Settings, exercises: Sequence[str]) -> None:
    unknown = [name for name in settings.titles if exercises and name not in exercises]
    if unknown:
        what = f"names {visible(unknown[0])}, which is not graded (expected {listed(exercises)})"
        raise Unusable(f"--canvas-column {what}")
    if settings.source:
        CanvasSheet(settings.source).columns_of(exercises, settings.titles)


FORMAT = Format(
    "canvas",
    "FILE",
    "a file for Canvas's gradebook import",
    write,
    _check,
    source=("EXPORT.csv", "the export of Canvas's gradebook that --canvas fills in"),
)
