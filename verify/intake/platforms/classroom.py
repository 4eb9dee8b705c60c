"""GitHub Classroom: `gh classroom clone student-repos`.

Source: github/gh-classroom, cmd/gh-classroom/clone/student-repos/student-repos.go: the clones are
in a folder `ASSIGNMENT-submissions`, each in a folder of its repository's name, which GitHub
Classroom makes of the assignment and the login: `ASSIGNMENT-login`. Logins have at most 39 letters,
digits and hyphens.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from verify.intake.platforms.base import GITHUB, Name, ParsedName, Platform, RosterExport

if TYPE_CHECKING:
    from verify.intake.platforms.base import Surroundings

_MOST_WORDS = 20  # of a login, separated by hyphens


class Classroom(Platform):
    """Reads `exercise-4-ada`: the login behind the user's prefix or the collection's name."""

    name = "classroom"
    title = "GitHub Classroom"
    has_prefix = True
    roster = RosterExport(
        "`classroom_roster.csv`",
        "`identifier`, `github_username`",
        "`github_username`",
        lambda columns: {"identifier", "github username"} <= {*columns},
        logins=GITHUB,
        logins_anywhere=True,
    )

    def __init__(self, surroundings: Surroundings) -> None:
        slug = surroundings.title.removesuffix("-submissions")
        is_clones = slug not in ("", surroundings.title)
        self._prefix = surroundings.prefix or (f"{slug}-" if is_clones else "")
        self._has_login = surroundings.has_login

    def read(self, name: Name) -> ParsedName | None:
        """Return the login; this platform never has loose files."""
        stem = "" if name.is_loose else name.stem
        if self._prefix:
            login = stem.removeprefix(self._prefix) if stem.startswith(self._prefix) else ""
            return ParsedName(self.name, login, login=login) if login else None
        words = stem.split("-")  # without a prefix: the one end that the roster has is a guess
        ends = ("-".join(words[at:]) for at in range(max(1, len(words) - _MOST_WORDS), len(words)))
        known = list(filter(self._has_login, ends))
        return (
            ParsedName(self.name, stem, login=known[0], is_guess=True) if len(known) == 1 else None
        )
