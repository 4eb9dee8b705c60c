"""ILIAS: *Download All Submissions* of an exercise's assignment.

Source: ILIAS-eLearning/ILIAS, components/ILIAS/Exercise, `getDirectoryNameFromUserData`, and
`ilFileUtils::getASCIIFilename`. A learner's folder is `Last_First_login_NUMBER`, where `ü` is `u`
and each byte of any other letter outside ASCII is `_`: the login alone identifies the learner. Team
assignments have a folder `Team NUMBER` around them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from verify.intake.platforms.base import ParsedName, Platform

if TYPE_CHECKING:
    from verify.intake.platforms.base import Name, Surroundings

_NAME = re.compile(r"(.*_.*)_([0-9]{1,20})", re.DOTALL)
_BETWEEN = re.compile("(?<!_)_(?!_)")  # more than one `_` are a letter
_WORDS = len(("last name", "first name", "login"))


class Ilias(Platform):
    """Reads `Lovelace_Ada_ada_1234`: the login in front of ILIAS's number.

    In the exercise, open *Submissions and Grades*, and choose *Download All Submissions*. ILIAS
    names folders like `Lovelace_Ada_ada_1234`. The roster needs the logins of ILIAS, for example as
    `login` or `Benutzername`. If a login may begin at two places, because it has a `_`, the entry
    is to confirm. For the folders of teams (`Team 12`), use `--groups`. If the download has several
    folders around those of the learners, unpack it, and pass the innermost.
    """

    name = "ilias"
    title = "ILIAS"
    has_pattern = True
    has_campus_identities = True

    def __init__(self, surroundings: Surroundings) -> None:
        self._is_known = surroundings.is_known

    def read(self, name: Name) -> ParsedName | None:
        """Return the login; this platform has only folders."""
        found = _NAME.fullmatch(name.text) if name.is_folder else None
        if found is None or "_attempt_" in name.text:
            return None
        words = _BETWEEN.split(found[1])
        login = words[-1].rpartition("_")[2]
        is_short = len(words) < _WORDS and "__" not in found[1]
        if not login or is_short or any(map(str.isdecimal, words[:-1])):
            return None
        longer = ("_".join(words[at:]) for at in range(1, len(words) - 1))
        is_guess = len(words) > _WORDS or any(map(self._is_known, longer))
        return ParsedName(self.name, name.text, login=login, learner=login, is_guess=is_guess)
