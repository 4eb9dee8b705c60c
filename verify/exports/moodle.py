"""Moodle's grading worksheet: the instructor's own, with the grades and comments filled in."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from pipeline.terminal.display import listed, visible
from verify.exports.base import Format
from verify.exports.worksheets import Sheet, at, put, scaled
from verify.gradebook.records import score_text
from verify.intake.table import Unusable, number_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verify.exports.base import Settings
    from verify.gradebook.reading import Cohort
    from verify.gradebook.records import Standing

_OURS = "Graded by verify: "  # only a comment that begins like this is replaced
_NAMES = ("username", "id number", "identifier")
_NEEDED = ("identifier", "grade", "last modified (grade)")


class Worksheet(Sheet):
    """A worksheet; `columns` are positions by the headers in lower case."""

    def __init__(self, path: str) -> None:
        super().__init__(path, "--moodle-from")
        self.columns = {name.strip().casefold(): at for at, name in enumerate(self.header)}
        absent = [name for name in _NEEDED if name not in self.columns]
        if absent:
            raise self.unusable(
                f"is not a Moodle grading worksheet: the columns do not include {listed(absent)}"
                " (set your language in Moodle to English before you download the worksheet)"
            )
        for line, row in enumerate(self.rows, 2):
            if any(row) and self.largest(row) == 0:
                raise Unusable(
                    f"--moodle-from {visible(path, 300)}: the maximum grade in row {line} is not a"
                    " number above 0: grade the assignment by points in Moodle, and download the"
                    " worksheet again"
                )
        self.identify_by(
            {name: self.columns[name] for name in _NAMES if name in self.columns},
            email=self.columns.get("email address"),
            name=self.columns.get("full name"),
            weak="identifier",  # each assignment numbers its participants anew
        )

    def cell(self, row: Sequence[str], column: str) -> str:
        """Return a cell of a row, empty if the worksheet does not have the column."""
        return at(row, self.columns.get(column))

    def largest(self, row: Sequence[str]) -> float | None:
        """Return the row's maximum grade, None without the column, 0 if it is not a number."""
        if "maximum grade" not in self.columns:
            return None
        return number_in(self.cell(row, "maximum grade").strip()) or 0

    def fill(self, row: list[str], standing: Standing, settings: Settings) -> None:
        """Write a learner's grade and comment into a row; what is unknown or not ours stays."""
        excused = bool(standing.marks) and not any(mark.counts for mark in standing.marks)
        if excused or standing.total is not None:
            score = scaled(standing.total or 0, standing.points, self.largest(row))
            grade = "" if excused else score_text(score)
            of = [mark.exercise.name for mark in standing.marks]
            if not self.put_grade(row, self.columns["grade"], grade, settings, of):
                return  # a comment about another grade
        ungraded = any(mark.outcome == "error" and mark.score is None for mark in standing.marks)
        if "feedback comments" in self.columns and not ungraded:
            there = self.cell(row, "feedback comments")
            if not there.strip() or there.startswith(_OURS):
                put(row, self.columns["feedback comments"], _comment(standing))


def write(cohort: Cohort, target: str, settings: Settings) -> None:
    """Write the worksheet; if a grade is unknown, Moodle's cell stays as it is."""
    sheet, locked = Worksheet(settings.source), 0
    for row, standing in sheet.to_fill(cohort, settings):
        if sheet.cell(row, "grade can be changed").strip().casefold() == "no":
            locked += 1
        else:
            sheet.fill(row, standing, settings)
    sheet.write(target)
    if locked:
        what = "1 row that is" if locked == 1 else f"{locked} rows that are"
        settings.note(f"--moodle does not change {what} locked in Moodle")


def _comment(standing: Standing) -> str:
    """Return the comment, which Moodle reads as HTML."""
    total = score_text(standing.total)
    parts = [f"{total} of {standing.points} points" if total else "no grade"]
    for mark in standing.marks:
        failed = [result for result in mark.results if result.outcome == "fail"]
        codes = [result.check.code for result in failed if not mark.is_note(result)]
        parts += [f"{mark.exercise.name}: failed {', '.join(codes)}"] if codes else []
        parts += [f"{mark.exercise.name}: {visible(note, 2_000)}" for note in mark.told]
    return _OURS + html.escape("; ".join(parts)) + "."


def _check(_target: str, settings: Settings, _exercises: Sequence[str]) -> None:
    if not settings.source:
        raise Unusable("--moodle needs --moodle-from: add --moodle-from WORKSHEET.csv")
    Worksheet(settings.source)


FORMAT = Format(
    "moodle",
    "FILE",
    "Moodle's grading worksheet, filled in; needs --moodle-from",
    write,
    _check,
    source=("WORKSHEET.csv", "the worksheet that --moodle fills in"),
    needs_source=True,
)
