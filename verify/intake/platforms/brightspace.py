"""Brightspace (D2L): *Download* of all submissions of an assignment.

Its source is not public. Folders are named as the tools for its downloads read them:
`397063-2557369 - Mary-Ann Smith - Sep 24, 2024 926 PM`, with numbers that may be the same for all
learners, the full name, and the time in which the colon is left out. Each has one submission. In
some downloads the file's own name follows: `… - Sep 24, 2024 926 PM - work.zip`. German months are
read, too.
"""

from __future__ import annotations

import re

from verify.intake.platforms.base import Name, ParsedName, Platform, RosterExport, time_of

# what is between the first numbers and the last time is the name, whatever it looks like
_NAME = re.compile(
    r"([0-9]{1,20})-[0-9]{1,20} - (.+?) ?- ?([^-]+|[0-9-]{10} [0-9]{3,4})", re.DOTALL
)
_NUMBERS = re.compile("([0-9]{1,20})-[0-9]{1,20} - ")
_IN_FILE = re.compile(r" ?- ([^-]{8,30}|[0-9-]{10} [0-9]{3,4}) - ")


class Brightspace(Platform):
    """Reads `1234-5678 - Ada Lovelace - Jan 5, 2026 1136 AM`: a person, and the time of an attempt.

    On the assignment's page, select all submissions and choose *Download*. As the roster, export
    the grades with the user details. Brightspace names folders like
    `1234-5678 - Ada Lovelace - Jan 5, 2026 1136 AM`; the latest one of a learner counts.
    In a group assignment, the name is the group's: use `--groups`.
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
        """Return the person and the time; in a file's name there must be one time."""
        begins = _NUMBERS.match(name.stem)
        if begins is None:
            return None
        if name.is_folder:
            found = _NAME.fullmatch(name.stem)
            readings = [(found[2], found[3])] if found else []
        else:
            found_in = _IN_FILE.finditer(name.stem, begins.end())
            readings = [(name.stem[begins.end() : at.start()], at[1]) for at in found_in]
        people = [
            (who.strip(), at) for who, text in readings if (at := time_of(text)) and who.strip()
        ]
        if not people:
            return None
        person, at = people[0]
        account = f"{begins[1]} {person}"
        rivals = tuple(who for who, _ in people) if len(people) > 1 else ()
        return ParsedName(
            *(self.name, account),
            person=person,
            learner=person,
            attempt=at,
            submitted=at,
            rivals=rivals,
        )
