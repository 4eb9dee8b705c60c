"""GitHub Classroom: `gh classroom clone student-repos`.

Source: github/gh-classroom, cmd/gh-classroom/clone/student-repos/student-repos.go: the clones are
in a folder `ASSIGNMENT-submissions`, each in a folder of its repository's name, which GitHub
Classroom makes of the assignment and the login: `ASSIGNMENT-login`. Logins have at most 39 letters,
digits and hyphens.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from verify.intake.platforms.base import GITHUB, Name, Platform, Reading, RosterExport

if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import Self

    from verify.intake.platforms.base import Surroundings

_SUBMISSIONS = "-submissions"
_MOST_WORDS = 20  # of a login, parted by hyphens


class Classroom(Platform):
    """Reads `exercise-4-ada`: the login of a clone.

    `prefix` is what is before each login, with its hyphen. Where it is empty, the login is the
    longest end of the name, behind a hyphen, of which `has_login` says that the roster has it.
    """

    name = "classroom"
    title = "GitHub Classroom"
    roster = RosterExport(
        "`classroom_roster.csv`",
        "`identifier`, `github_username`",
        "`github_username`",
        lambda columns: {"identifier", "github username"} <= {*columns},
        logins=GITHUB,
        logins_anywhere=True,
    )

    def __init__(self, prefix: str = "", has_login: Callable[[str], bool] | None = None) -> None:
        self._prefix = prefix
        self._has_login = has_login

    @classmethod
    def within(cls, surroundings: Surroundings) -> Self:
        """Return the platform for a collection, with the user's prefix or that of its name."""
        prefix = surroundings.prefix or prefix_of(surroundings.title)
        return cls(prefix, surroundings.has_login)

    def read(self, name: Name) -> Reading | None:
        """Return the login; this platform never has loose files."""
        login = "" if name.is_loose else self._login(name.stem)
        return Reading(self.name, login, login=login) if login else None

    def _login(self, stem: str) -> str:
        if self._prefix:
            return stem[len(self._prefix) :] if stem.startswith(self._prefix) else ""
        if not self._has_login or "-" not in stem:
            return ""
        words = stem.split("-")
        ends = ("-".join(words[at:]) for at in range(max(0, len(words) - _MOST_WORDS), len(words)))
        return next(filter(self._has_login, ends), "")


def prefix_of(collection: str) -> str:
    """Return what is before each login in a folder of this name, empty for any other folder."""
    slug = collection.removesuffix(_SUBMISSIONS)
    return f"{slug}-" if slug and slug != collection else ""
