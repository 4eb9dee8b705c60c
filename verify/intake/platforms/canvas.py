"""Canvas: *Download Submissions* of an assignment.

Source: instructure/canvas-lms, lib/content_zipper.rb, `get_filename`, `add_upload_submission`,
`add_text_or_url`, `sanitize_user_name`. A file is `NAME[_LATE]_USER_FILE_original name`: the
sortable name in lower case with letters, digits and `_` only, or nothing, the user's number, the
file's number. An anonymous assignment has `[LATE_]anon_CODE` in place of name and user. Texts and
addresses are `…_text.html` and `…_link.html`, without a file's number. In a group assignment the
name is the group's, the number that of one member. Only the latest attempt is there.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from verify.intake.platforms.base import Name, ParsedName, Platform, RosterExport

if TYPE_CHECKING:
    from collections.abc import Sequence

_SIGNS = r"\x00-/:-@\[-^`{-\x7f"  # not in what Canvas writes
_NAME = re.compile(
    rf"(?:(?P<name>[^{_SIGNS}]{{0,255}}?)_)??(?P<late>LATE_)?"
    r"(?:anon_(?P<code>[A-Za-z0-9]{1,20})|(?P<user>[0-9]{1,20}))"
    r"_(?:[0-9]{1,20}_.+|(?P<text>(?:text|link)\.html))",
    re.DOTALL,
)
# A learner chooses the name of a file, and perhaps their own: any number in an entry that may be a
# user's is a rival of the first one.
_NUMBERS = re.compile("(?=(?:^|_)([0-9]{1,20})_[0-9]{1,20}_)")
_SIGN = re.compile(f"[{_SIGNS}]")


def _fits(columns: Sequence[str]) -> bool:
    return "id" in columns and not {"student", "sis user id", "sis login id"}.isdisjoint(columns)


class Canvas(Platform):
    """Reads `doejane_LATE_1234_56789_work.zip`: all entries of a user are one submission.

    On the assignment's page, choose *Download Submissions*. As the roster, use the exported
    gradebook. Canvas names files like `doejane_LATE_1234_56789_work.zip`: the learner's name,
    `LATE` if it is late, the learner's number, the file's number, and the name of the file.

    * All files of a learner form one submission. Ask learners for a single archive, because Canvas
      does not keep the folders of single files.
    * Text entered in Canvas (`…_text.html`, `…_link.html`) does not count as work.
    * In an anonymous assignment, names contain only a code (`anon_…`), so use `--decisions`. In a
      group assignment, pass the CSV of *People*, *Groups*, *Download Course Roster CSV* with
      `--groups`.
    """

    name = "canvas"
    title = "Canvas"
    roster = RosterExport(
        "exported gradebook (the rows for points, posting and the test student are ignored)",
        "`ID` with `Student` or an `SIS …` column",
        "`ID`",
        _fits,
        numbers=("id",),
        numbers_in_groups=("canvas user id",),
        # the row of the points, and one about posting grades, which has neither name nor key
        no_learner=lambda name, key: name.lower() == "points possible" or not (name or key),
        test_learners="student, test|test student",
    )
    has_pattern = True

    def read(self, name: Name) -> ParsedName | None:
        """Return the user's number and name; an anonymous code says nothing about the learner."""
        found = _NAME.fullmatch(name.text) if "_" in name.text else None
        if found is None:
            return None
        person, number = found["name"] or "", found["user"] or ""
        rivals = tuple(sorted(set(_NUMBERS.findall(_SIGN.split(name.text, 1)[0])) - {number}))
        late, is_note = found["late"] is not None, found["text"] is not None
        if not number:
            return ParsedName(self.name, f"anon_{found['code']}", late=late, is_note=is_note)
        account = f"{person}_{number}" if person else number
        parsed = ParsedName(self.name, account, "", number, "", person, rivals=rivals)
        return parsed._replace(late=late, is_note=is_note)
