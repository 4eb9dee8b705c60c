"""Brightspace's grade import: the instructor's export, filled in, or a new file from the roster.

An import has `OrgDefinedId`, `Username` or both, a column `ITEM Points Grade` for each grade item,
which in an export goes on with `<Numeric MaxPoints:10 …>`, and `End-of-Line Indicator` with `#`.
"""

from __future__ import annotations

import re
from typing import ClassVar

from verify.exports.worksheets import GradeSheet, format_of
from verify.intake.platforms.base import USERNAMES

_IDS = ("orgdefinedid", "org defined id")
_END = "end of line indicator"


class GradeExport(GradeSheet):
    """An export of the grades."""

    option = "--brightspace-from"
    what = (
        "an export of Brightspace's grades"
        " (expected OrgDefinedId or Username, and a column End-of-Line Indicator)"
    )
    grades = re.compile(
        r"(?P<item>.*?) +Points Grade(?: *<(?:.*?\bMaxPoints: *(?P<points>[0-9][0-9.,]*))?.*>)?"
    )
    needed = ((*_IDS, *USERNAMES), (_END,))
    identities = (*_IDS, *USERNAMES)
    mark = "#"
    kept = (*_IDS, *USERNAMES, _END)
    made: ClassVar = {"OrgDefinedId": _IDS, "Username": USERNAMES}
    item_ends = " Points Grade"
    row_ends: ClassVar = {"End-of-Line Indicator": "#"}


FORMAT = format_of(
    "brightspace",
    GradeExport,
    "a file for Brightspace's grade import",
    ("EXPORT.csv", "the export of Brightspace's grades that --brightspace fills in"),
)
