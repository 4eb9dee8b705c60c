"""Sakai: *Download All* of an assignment's submissions.

Source: sakaiproject/sakai, AssignmentServiceImpl.java, `zipSubmissions`. In a folder of the
assignment's title each learner has a folder `Last, First(login)`, where marks on letters are left
out and a login with such marks is Sakai's own number. Without folders the name goes on
with `_Submission attachment(s)_FILE`. `grades.csv` lists id, time and lateness of each.
"""

from __future__ import annotations

import csv
import re
from typing import TYPE_CHECKING

from verify.intake.platforms.base import ParsedName, Platform, RosterExport

if TYPE_CHECKING:
    from verify.intake.platforms.base import Name, Surroundings

_NAME = re.compile(r"([^,]{0,300},(?:.*\S)?)\(([^()]{1,200})\)", re.DOTALL)
_LOOSE = re.compile(r"\(([^()]{1,200})\)_")
_PLURAL = "s"  # in the name of the attachments' folder
_COLUMNS = 7
_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{5,8}Z?")


class Sakai(Platform):
    """Reads `Lovelace, Ada(ada)`: a name and a login.

    On the assignment's page, choose *Download All* with the students' attachments and the grade
    file. As the roster, use `grades.csv` of the download. Sakai names folders like
    `Lovelace, Ada(ada)`; the login identifies the learner.
    """

    name = "sakai"
    title = "Sakai"
    roster = RosterExport(
        "`grades.csv` of a download; its first lines may be about the assignment",
        "`Display ID`, `ID`, `Last Name`, `First Name`",
        "`ID`, `Display ID`",
        lambda columns: {"display id", "id", "last name", "first name"} <= {*columns},
    )
    metadata = "grades.csv"
    has_pattern = True
    has_campus_identities = True

    def __init__(self, surroundings: Surroundings) -> None:
        self._details = _details(surroundings.metadata(self.metadata) or b"")

    def read(self, name: Name) -> ParsedName | None:
        """Return the login and the name; a file is of one whose name it begins with."""
        who = name.stem
        rivals: tuple[str, ...] = ()
        if not name.is_folder:
            found = [at for at in _LOOSE.finditer(name.stem) if at[1] != _PLURAL]
            if not found:
                return None
            who, rivals = who[: found[0].end() - 1], tuple(at[1] for at in found[1:])
        parts = _NAME.fullmatch(who)
        if parts is None:
            return None
        person, login = parts.groups()
        submitted, late = self._details.get(login, ("", False))
        return ParsedName(
            self.name,
            who,
            login=login,
            person=person.strip(" ,"),
            learner=login,
            submitted=submitted,
            late=late,
            rivals=(login, *rivals) if rivals else (),
        )


def _details(data: bytes) -> dict[str, tuple[str, bool]]:
    """Return the time and the lateness of each login, nothing for what is no such table."""
    lines = data.decode("utf-8-sig", "replace").replace("\0", "").splitlines()
    try:
        rows = [row[:_COLUMNS] for row in csv.reader(lines) if len(row) >= _COLUMNS]
    except csv.Error:
        return {}
    return {
        login: (at if _TIME.fullmatch(at) else "", late.strip().lower() == "late")
        for _, login, _, _, _, at, late in rows
    }
