"""Any table with a column that identifies learners: grades are filled in where it is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pipeline.terminal.display import listed
from verify.exports.base import Format
from verify.exports.worksheets import IDENTITIES, GradeSheet
from verify.intake.table import Unusable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verify.exports.base import Settings
    from verify.gradebook.reading import Cohort


class AnyTable(GradeSheet):
    """A table of an instructor's own."""

    option = "--fill"
    what = "a table of learners (expected a column such as id, username or email)"
    grades = re.compile("(?P<item>.*)(?P<points>(?!))?", re.DOTALL)
    needed = (IDENTITIES,)
    identities = IDENTITIES


def _table(target: str, settings: Settings, exercises: Sequence[str]) -> AnyTable:
    if not settings.columns:
        raise Unusable("--fill needs --column: add --column NAME")
    for name in settings.columns.keys() - {"", *exercises}:
        raise Unusable(f"--column names {name}, which is not graded (expected {listed(exercises)})")
    return AnyTable(target, [*settings.columns], settings)


def write(cohort: Cohort, target: str, settings: Settings) -> None:
    """Fill in the grades; everything else in the file stays as it is."""
    sheet = _table(target, settings, [exercise.name for exercise in cohort.exercises])
    sheet.fill(cohort, settings)
    sheet.write_changed(target)


def _check(target: str, settings: Settings, exercises: Sequence[str]) -> None:
    _table(target, settings, exercises or [*settings.columns])


FORMAT = Format(
    "fill",
    "FILE.csv",
    "a table of yours, in which --column is filled in",
    write,
    _check,
    in_place=True,
)
