"""Blackboard Learn: *Assignment File Download* of the Grade Centre.

Its source is not public. Names are those that tools for the downloads read: kwurst/bb-file-cleanup
(`ASSIGNMENT_user_attempt_TIME_file`, and a log of each attempt), vangef/BBGradebookOrganiser
(`gradebook_COURSE_ASSIGNMENT_user_attempt_…`). The time is the server's, `2023-10-12-10-20-30`.

Course, assignment and user may have `_`. Where the user begins is known by the collection's name,
`gradebook_COURSE_ASSIGNMENT_TIME.zip`, or where there are no more `_` than these need; else the one
login of the roster that is there, or what follows the last `_`, is a guess.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from verify.intake.platforms.base import (
    FIRST,
    LAST,
    USERNAMES,
    ParsedName,
    Platform,
    RosterExport,
    ends_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verify.intake.platforms.base import Name, Surroundings

_ATTEMPT = re.compile(r"_attempt_([0-9]{4}-[0-9]{2}-[0-9]{2})-([0-9]{2})-([0-9]{2})-([0-9]{2})")
_COLLECTION = re.compile(r"(gradebook_.{1,500}_)[0-9]{4}(?:-[0-9]{2}){5}", re.DOTALL)
_MOST_WORDS = 4  # of a login, separated by `_`


def _fits(columns: Sequence[str]) -> bool:
    matches = [
        name in known for name, known in zip(columns, (LAST, FIRST, USERNAMES), strict=False)
    ]
    return matches == [True] * 3


class Blackboard(Platform):
    """Reads `gradebook_C1_HW1_jdoe_attempt_2023-10-12-10-20-30_work.zip`: a time is an attempt.

    In the Grade Centre, choose *Assignment File Download*. As the roster, download the full Grade
    Centre. Blackboard names files like
    `gradebook_CS1_Plan_jdoe_attempt_2026-03-01-11-00-00_work.zip`. Files with the same time form
    one attempt, and the latest attempt counts. Do not rename the download
    (`gradebook_CS1_Plan_2026-03-03-09-00-00.zip`), because its name shows where the login begins.
    """

    name = "blackboard"
    title = "Blackboard"
    roster = RosterExport(
        "full Grade Centre, English or German",
        "begins with `Last Name`, `First Name`, `Username`",
        "`Username`",
        _fits,
        logins=USERNAMES,
        test_learners=".*_previewuser",
    )
    has_pattern = True
    has_campus_identities = True

    def __init__(self, surroundings: Surroundings) -> None:
        found = _COLLECTION.match(surroundings.title)
        self._prefix = found[1] if found else ""
        self._is_known = surroundings.is_known

    def read(self, name: Name) -> ParsedName | None:
        """Return the user and the time; the log of an attempt is a note."""
        found = _ATTEMPT.search(name.text) if "_attempt_" in name.text else None
        if found is None:
            return None
        rest, before = name.text[found.end() :], name.text[: found.start()]
        login, is_guess = self._login(before)
        if not login or not (rest.startswith("_") or rest in ("", ".txt")):
            return None
        day, *clock = found.groups()
        attempt, at = "-".join(found.groups()), f"{day}T{':'.join(clock)}"
        parsed = ParsedName(
            self.name, login, "", "", login, "", attempt, at, is_note=rest == ".txt"
        )
        return parsed._replace(account=before, learner=login, is_guess=True) if is_guess else parsed

    def _login(self, before: str) -> tuple[str, bool]:
        """Return the user, and whether it is a guess."""
        if self._prefix and before.startswith(self._prefix):
            return before[len(self._prefix) :], False
        ends = ends_of(before, "_", _MOST_WORDS)
        known = list(filter(self._is_known, ends))
        if len(known) > 1:
            return before, True  # it is unclear which of them it is
        is_short = before.count("_") <= (3 if before.startswith("gradebook_") else 1)
        return "".join(known or ends[-1:]), not is_short or known not in ([], ends[-1:])
