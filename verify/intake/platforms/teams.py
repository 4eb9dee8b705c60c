"""Microsoft Teams: the folder *Submitted files* of a class, and file requests of OneDrive.

Their source is not public. In the library *Student Work* each learner has a folder of their name
in *Submitted files*, with a folder for each assignment, and in it `Version 1`, `Version 2`, of
which the newest counts (see `submission`). A file request puts the name before the file's own:
`Ada Lovelace_plan.zip`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from verify.intake.platforms.base import ParsedName, Platform

if TYPE_CHECKING:
    from verify.intake.platforms.base import Name, Surroundings

_MOST_WORDS = 8  # of a name, separated by `_`


class Teams(Platform):
    """Reads `Ada Lovelace_plan.zip`: a person on the roster, and a file.

    In the files of the class, open *Student Work*, *Submitted files*, and download it, or only the
    folders of the learners. Each folder has a learner's name. The newest version (`Version 2`)
    counts. If there are several assignments, keep only the folders of one. Files of a
    OneDrive request, such as `Ada Lovelace_plan.zip`, are matched by the name, too.
    """

    name = "teams"
    title = "Microsoft Teams and OneDrive"

    def __init__(self, surroundings: Surroundings) -> None:
        self._has_name = surroundings.has_name

    def read(self, name: Name) -> ParsedName | None:
        """Return the one person on the roster with whose name it begins."""
        words = name.stem.split("_", _MOST_WORDS)
        ends = range(1, len(words))
        found = [person for at in ends if self._has_name(person := "_".join(words[:at]))]
        if len(found) != 1:
            return None
        return ParsedName(self.name, found[0], person=found[0], learner=found[0])
