"""Blackboard's grade centre: the instructor's own download, with the grades filled in.

The download is UTF-16 with tabs, or UTF-8 with commas. A column is `TITLE [Total Pts: 10] |ID`,
a user is known by `Username`, and what needs grading has words such as `Needs Grading`.
"""

from __future__ import annotations

import re
from typing import ClassVar

from verify.exports.worksheets import GradeSheet, format_of
from verify.intake.platforms.base import USERNAMES


class GradeCentre(GradeSheet):
    """A download of the grade centre."""

    option = "--blackboard-from"
    what = "a download of Blackboard's grade centre (expected a column Username)"
    grades = re.compile(
        r"(?P<item>.*?) *\[(?:[^\[\]]*?(?P<points>[0-9][0-9.,]*))?[^\[\]]*\] *\|[^|]*"
    )
    needed = (USERNAMES,)
    identities = (*USERNAMES, "student id", "matrikelnummer")
    no_grade = re.compile(
        r"(?:needs grading|in progress|benötigt bewertung|in bearbeitung)(?: *\(.*\))?",
        re.IGNORECASE,
    )
    made: ClassVar = {"Username": USERNAMES}


FORMAT = format_of(
    "blackboard",
    GradeCentre,
    "a file for the upload to Blackboard's grade centre",
    ("DOWNLOAD", "the download of the grade centre that --blackboard fills in"),
)
