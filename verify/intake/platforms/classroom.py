"""Classroom 50: `gh teacher download`, and clones of single repositories.

Source: foundation50/classroom50, cli/gh-teacher/internal/download/download.go and the wiki page
gh-teacher: the clones are in a folder `CLASSROOM-ASSIGNMENT_submissions_TIME`, each in a folder of
its repository's name, `CLASSROOM-ASSIGNMENT-login`. Logins are GitHub's: at most 39 letters, digits
and hyphens.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from verify.intake.platforms.base import (
    GITHUB,
    Name,
    ParsedName,
    Platform,
    RosterExport,
    ends_of,
)

if TYPE_CHECKING:
    from verify.intake.platforms.base import Surroundings

_MOST_WORDS = 20  # of a login, separated by hyphens
_TITLE = re.compile(r"(.+)(?:_submissions_[\d_T]+|-submissions)")  # of a folder with clones


class Classroom(Platform):
    """Reads `cs1-exercise-4-ada`: the login behind the user's prefix or the collection's name.

    Run `gh teacher download ORGANISATION CLASSROOM ASSIGNMENT`. As the roster, use the classroom's
    `roster.csv`. The clones are named like `cs1-hw1-ada`; the folder's name, such as
    `cs1-hw1_submissions_2026_03_01_T_11_00_00`, shows where the login begins, so keep it.
    """

    name = "classroom"
    title = "Classroom 50"
    has_prefix = True
    roster = RosterExport(
        "`roster.csv`",
        "`username`, `section`, `github_id`",
        "`username`; on other rosters `github_username`",
        lambda columns: {"username", "section", "github id"} <= {*columns},
        logins=(*GITHUB, "username"),
        logins_anywhere=GITHUB,
    )

    def __init__(self, surroundings: Surroundings) -> None:
        title = _TITLE.fullmatch(surroundings.title)
        self._prefix = surroundings.prefix or (f"{title[1]}-" if title else "")
        self._has_login = surroundings.has_login

    def read(self, name: Name) -> ParsedName | None:
        """Return the login; this platform never has loose files."""
        stem = "" if name.is_loose else name.stem
        if self._prefix:
            at = len(self._prefix)
            login = stem[at:] if stem[:at].lower() == self._prefix.lower() else ""
            return ParsedName(self.name, login, login=login) if login else None
        known = list(filter(self._has_login, ends_of(stem, "-", _MOST_WORDS)))
        if len(known) != 1:
            return None
        return ParsedName(self.name, stem, login=known[0], is_guess=True)
