"""Brightspace's grade import: the instructor's export, filled in, or a new file from the roster.

An import has `OrgDefinedId`, `Username` or both, a column `ITEM Points Grade` for each grade item,
which in an export goes on with `<Numeric MaxPoints:10 …>`, and `End-of-Line Indicator` with `#`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from verify.exports.base import Format, cell, csv_file
from verify.exports.worksheets import GradeSheet, number_of, on_roster
from verify.gradebook.records import score_text
from verify.intake.platforms.base import USERNAMES
from verify.intake.table import headings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verify.exports.base import Settings
    from verify.gradebook.reading import Cohort

_COLUMN = re.compile(r"(.*?) +Points Grade(?: *<(?P<about>.*)>)?", re.DOTALL)
_POINTS = re.compile(r"\bMaxPoints: *([0-9.,]+)")
_IDS = ("orgdefinedid", "username")
_END, _SIGN = "End-of-Line Indicator", "#"


class GradeExport(GradeSheet):
    """An export of the grades; `columns` are those of the exercises."""

    mark = _SIGN

    def __init__(self, path: str, exercises: Sequence[str], settings: Settings) -> None:
        super().__init__(path, "--brightspace-from")
        names = {name: self.header.index(found) for name, found in headings(self.header).items()}
        self.ids = {name: names[name] for name in _IDS if name in names}
        if not self.ids or _END not in self.header:
            raise self.unusable(
                "is not an export of Brightspace's grades"
                f" (expected OrgDefinedId or Username, and a column {_END})"
            )
        self.identify_by(self.ids)
        self.columns = self.columns_of(exercises, settings)

    def item(self, header: str) -> str:
        """Return the grade item of a column, empty for one that has no points."""
        found = _COLUMN.fullmatch(header.strip())
        return found[1] if found else ""

    def largest(self, position: int) -> float | None:
        """Return the points of a column, None if it does not say."""
        found = _POINTS.search(self.header[position])
        return number_of(found[1]) or None if found else None


def write(cohort: Cohort, target: str, settings: Settings) -> None:
    """Write the import; if a score is unknown, the cell stays as it is."""
    if settings.source:
        names = [exercise.name for exercise in cohort.exercises]
        sheet = GradeExport(settings.source, names, settings)
        sheet.fill(cohort, settings)
        end = sheet.header.index(_END)
        sheet.write(target, [*sheet.ids.values(), *sheet.columns.values(), end])
        return
    with csv_file(target) as writer:
        items = [cell(f"{e.name} {e.title} Points Grade") for e in cohort.exercises]
        writer.writerow(["OrgDefinedId", "Username", *items, _END])
        for standing in on_roster(cohort, "--brightspace", settings.note):
            learner, scores = standing.learner, [score_text(mark.score) for mark in standing.marks]
            cells = {form: learner.ids[name] for form, name in headings(learner.ids).items()}
            known = cells.get("orgdefinedid") or cells.get("org defined id", "")
            login = next((cells[name] for name in USERNAMES if name in cells), "")
            ids = [cell(text) for text in (known, login or ("" if known else learner.key))]
            writer.writerow([*ids, *scores, _SIGN])


def _check(_target: str, settings: Settings, exercises: Sequence[str]) -> None:
    if settings.source:
        GradeExport(settings.source, exercises, settings)


FORMAT = Format(
    "brightspace",
    "FILE",
    "a file for Brightspace's grade import",
    write,
    _check,
    source=("EXPORT.csv", "the export of Brightspace's grades that --brightspace fills in"),
)
