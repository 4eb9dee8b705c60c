"""Google Drive: the folder of an assignment in Google Classroom, or of a form's uploads.

Their source is not public. A form puts the name of who uploads behind the file's own,
`plan - Ada Lovelace.zip`; Classroom puts it before the title of a copy that it made,
`Ada Lovelace - Plan`. A file that a learner uploads to Classroom keeps its name. Drive packs a
large folder into several zips, `Plan-20260301T110000Z-001.zip`, each with a folder of one name.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from verify.intake.platforms.base import ParsedName, Platform

if TYPE_CHECKING:
    from verify.intake.platforms.base import Name, Surroundings

_BETWEEN = " - "
_COPY = re.compile(r"(?:copy|kopie)\b.*", re.IGNORECASE)  # of a system, beside a name


class GoogleDrive(Platform):
    """Reads `plan - Ada Lovelace.zip` and `Ada Lovelace - plan.zip`: a person on the roster.

    In Drive, open the folder of the assignment or of the form's uploads, and choose *Download*. If
    Drive makes several zips, pass all of them. Forms name files like `plan - Ada Lovelace.zip`, and
    Classroom names its copies like `Ada Lovelace - plan.zip`. Classroom does not rename other
    files: ask learners to put their name into the file's.
    """

    name = "google-drive"
    title = "Google Drive and Classroom"

    def __init__(self, surroundings: Surroundings) -> None:
        self._has_name = surroundings.has_name

    def read(self, name: Name) -> ParsedName | None:
        """Return the one person on the roster with whose name it begins or ends."""
        parts = name.title.split(_BETWEEN)
        if len(parts) == 1 or _COPY.match(parts[-1]):
            return None
        found = [person for person in {parts[0], parts[-1]} if self._has_name(person)]
        if len(found) != 1:
            return None
        return ParsedName(self.name, found[0], person=found[0], learner=found[0])
