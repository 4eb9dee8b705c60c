"""Any table with a column that identifies learners: grades are filled in where it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.terminal.display import listed
from verify.exports.base import Format
from verify.exports.worksheets import GradeSheet
from verify.intake.platforms.base import COLUMNS, EMAILS
from verify.intake.table import Unusable, headings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verify.exports.base import Settings
    from verify.gradebook.reading import Cohort

_IDS = (*COLUMNS["key"], *COLUMNS["other id"])


class AnyTable(GradeSheet):
    """A table; `columns` are those that are filled in."""

    def __init__(self, path: str, settings: Settings) -> None:
        super().__init__(path, "--fill")
        found = headings(self.header)
        ids = {name: self.header.index(found[name]) for name in _IDS if name in found}
        if not ids:
            raise self.unusable(
                f"has no column that identifies a learner ({listed(self.header, 20)})"
            )
        name = next((found[name] for name in COLUMNS["name"] if name in found), "")
        email = next((ids[name] for name in EMAILS if name in ids), None)
        self.identify_by(ids, email, self.header.index(name) if name else None)
        self.columns = self.columns_of(settings.columns, settings)
        for column in {*ids.values(), self.header.index(name) if name else -1}:
            if column in self.columns.values():
                raise self.unusable(f"has the learners in {listed([self.header[column]])}")

    def item(self, header: str) -> str:
        """Return the name of a column."""
        return header.strip()


def write(cohort: Cohort, target: str, settings: Settings) -> None:
    """Fill in the grades; everything else in the file stays as it is."""
    sheet = AnyTable(target, settings)
    _refuse_unknown(settings, [exercise.name for exercise in cohort.exercises])
    sheet.fill(cohort, settings)
    sheet.write_changed(target)


def _check(target: str, settings: Settings, exercises: Sequence[str]) -> None:
    if not settings.columns:
        raise Unusable("--fill needs --column: add --column NAME")
    if exercises:
        _refuse_unknown(settings, exercises)
    AnyTable(target, settings)


def _refuse_unknown(settings: Settings, exercises: Sequence[str]) -> None:
    for name in settings.columns.keys() - {"", *exercises}:
        raise Unusable(f"--column names {name}, which is not one of the graded exercises")


FORMAT = Format(
    "fill",
    "FILE.csv",
    "a table of yours, in which --column is filled in",
    write,
    _check,
    in_place=True,
)
