"""Canvas: *Download Submissions* of an assignment.

Source: instructure/canvas-lms, lib/content_zipper.rb, `get_filename`, `add_upload_submission`,
`add_text_or_url`, `sanitize_user_name`. A file is `NAME[_LATE]_USER_FILE_original name`: the
sortable name in lower case with letters, digits and `_` only, the user's number, the file's
number. An anonymous assignment has `[LATE_]anon_CODE` in place of name and user. Texts and
addresses are `…_text.html` and `…_link.html`, without a file's number. In a group assignment the
name is the group's, the number that of one member. Only the latest attempt is there.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from verify.intake.platforms.base import MAX_NAME, Reading, called

if TYPE_CHECKING:
    from collections.abc import Callable

_NAME = re.compile(
    r"(?:(?P<name>[^\x00-/:-@\[-^`{-\x7f]{1,255}?)_)??(?P<late>LATE_)?"
    r"(?:anon_(?P<code>[A-Za-z0-9]{1,20})|(?P<user>[0-9]{1,20}))"
    r"_(?:[0-9]{1,20}_.+|(?P<text>(?:text|link)\.html))",
    re.DOTALL,
)
_NUMBERS = re.compile("(?=(?:^|_)([0-9]{1,20})_[0-9]{1,20}_)")


class Canvas:
    """Reads `doejane_LATE_1234_56789_work.zip`: all entries of a user are one submission.

    `has_number` is asked whether the roster has a number. A learner chooses the name of a file, and
    perhaps their own: where two learners' numbers are in an entry, neither is a hint.
    """

    name = "canvas"

    def __init__(self, has_number: Callable[[str], bool] = lambda _: False) -> None:
        self._has_number = has_number

    def read(self, entry: str, *, is_folder: bool) -> Reading | None:  # noqa: ARG002  # the interface's
        """Return the user's number and name; an anonymous code is no hint for a roster."""
        found = _NAME.fullmatch(entry) if "_" in entry and len(entry) <= MAX_NAME else None
        if found is None:
            return None
        person, number = found["name"] or "", found["user"] or ""
        if found["code"]:
            account = f"anon_{found['code']}"
        else:
            account = f"{person}_{number}" if person else number
        if len(set(filter(self._has_number, _NUMBERS.findall(entry)))) > 1:
            person = number = ""
        return Reading(
            *(self.name, account, called(account)),
            number=number,
            person="" if found["code"] else person,
            late=found["late"] is not None,
            is_note=found["text"] is not None,
        )
