"""Blackboard's grade centre: the instructor's own download, with the grades filled in.

The download is UTF-16 with tabs, or UTF-8 with commas. A column is `TITLE [Total Pts: 10] |ID`,
a user is known by `Username`, and what needs grading has words such as `Needs Grading`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from verify.exports.base import Format, cell, csv_file
from verify.exports.worksheets import GradeSheet, number_of, on_roster
from verify.gradebook.records import score_text
from verify.intake.platforms.base import FIRST, LAST, USERNAMES
from verify.intake.table import headings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verify.exports.base import Settings
    from verify.gradebook.reading import Cohort
    from verify.gradebook.records import Learner

_COLUMN = re.compile(r"(.*?) *\[([^\[\]]*)\] *\|[^|\[\]]*", re.DOTALL)
_POINTS = re.compile("[0-9][0-9.,]*")
_IDS = (*USERNAMES, "student id", "matrikelnummer")


class GradeCentre(GradeSheet):
    """A download of the grade centre; `columns` are those of the exercises."""

    no_grade = re.compile(
        r"(?:needs grading|in progress|benötigt bewertung|in bearbeitung)(?:\s*\(.*\))?",
        re.IGNORECASE,
    )

    def __init__(self, path: str, exercises: Sequence[str], settings: Settings) -> None:
        super().__init__(path, "--blackboard-from")
        columns = headings(self.header)
        positions = {heading: self.header.index(name) for heading, name in columns.items()}
        begins = [
            name in known for name, known in zip(positions, (LAST, FIRST, USERNAMES), strict=False)
        ]
        if begins != [True] * 3:
            raise self.unusable(
                "is not a download of Blackboard's grade centre"
                " (expected the columns Last Name, First Name and Username first)"
            )
        self.identify_by({name: positions[name] for name in _IDS if name in positions})
        self.columns = self.columns_of(exercises, settings)

    def item(self, header: str) -> str:
        """Return the title of a column, empty for one that has no grades."""
        found = _COLUMN.fullmatch(header.strip())
        return found[1] if found else ""

    def largest(self, position: int) -> float | None:
        """Return the points of a column, None if it has none."""
        found = _COLUMN.fullmatch(self.header[position].strip())
        numbers = _POINTS.findall(found[2]) if found else []
        return number_of(numbers[-1]) or None if numbers else None


def write(cohort: Cohort, target: str, settings: Settings) -> None:
    """Write the download, filled in, or a new file; if a score is unknown, the cell stays."""
    if settings.source:
        names = [exercise.name for exercise in cohort.exercises]
        sheet = GradeCentre(settings.source, names, settings)
        sheet.fill(cohort, settings)
        sheet.write_changed(target)
        return
    with csv_file(target, marked=True) as writer:
        writer.writerow(["Username", *(cell(f"{e.name} {e.title}") for e in cohort.exercises)])
        for standing in on_roster(cohort, "--blackboard", settings.note):
            scores = [score_text(mark.score) for mark in standing.marks]
            writer.writerow([cell(_username(standing.learner)), *scores])


def _username(learner: Learner) -> str:
    cells = {form: learner.ids[name] for form, name in headings(learner.ids).items()}
    return next((cells[name] for name in USERNAMES if name in cells), learner.key)


def _check(_target: str, settings: Settings, exercises: Sequence[str]) -> None:
    if settings.source:
        GradeCentre(settings.source, exercises, settings)


FORMAT = Format(
    "blackboard",
    "FILE",
    "a file for the upload to Blackboard's grade centre",
    write,
    _check,
    source=("DOWNLOAD", "the download of the grade centre that --blackboard fills in"),
)
