"""Brightspace (D2L): *Download* of all submissions of an assignment.

Its source is not public. Folders are named as the tools for its downloads read them:
`397063-2557369 - Mary-Ann Smith - Sep 24, 2024 926 PM`, with numbers that may be the same for all
learners, the full name, and the time in which the colon is left out. Each has one submission.
"""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import datetime
from itertools import product

from verify.intake.platforms.base import Name, ParsedName, Platform, RosterExport

# what is between the first numbers and the last time is the name, whatever it looks like
_NAME = re.compile(r"([0-9]{1,20})-[0-9]{1,20} - (.+) - ([^-]+|[0-9-]{10} [0-9]{3,4})", re.DOTALL)
_DAYS = ("%b %d %Y", "%B %d %Y", "%d %b %Y", "%d %B %Y", "%Y-%m-%d")
_TIMES = tuple(map(" ".join, product(_DAYS, ("%I%M %p", "%H%M"))))


class Brightspace(Platform):
    """Reads `1234-5678 - Ada Lovelace - Jan 5, 2026 1136 AM`: a person, and the time of an attempt.

    On the assignment's page, select all submissions and choose *Download*. As the roster, export
    the grades with the user details. Brightspace names folders like
    `1234-5678 - Ada Lovelace - Jan 5, 2026 1136 AM`; the latest one of a learner counts.
    """

    name = "brightspace"
    title = "Brightspace"
    roster = RosterExport(
        "exported grades or classlist (a `#` before a value is left out)",
        "`OrgDefinedId` with `Username`",
        "none: names identify the learners",
        lambda columns: {"orgdefinedid", "username"} <= {*columns},
        mark="#",
    )
    has_pattern = True

    def read(self, name: Name) -> ParsedName | None:
        """Return the person and the time; this platform never has loose files."""
        found = None if name.is_loose else _NAME.fullmatch(name.stem)
        at = _time(found[3]) if found else ""
        if found is None or not at:
            return None
        number, person = found[1], found[2].strip()
        account = f"{number} {person}"
        return ParsedName(
            self.name, account, person=person, learner=person, attempt=at, submitted=at
        )


def _time(text: str) -> str:
    """Return the time that a text is, in ISO 8601, empty for none."""
    for form in _TIMES:
        with suppress(ValueError):
            return datetime.strptime(re.sub("[,.:]", "", text), form).isoformat()  # noqa: DTZ007  # the server's
    return ""
