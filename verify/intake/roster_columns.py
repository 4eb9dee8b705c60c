"""Which column of a roster is which: the usual names, and those of learning platforms' exports.

Sources: Canvas, lib/gradebook_exporter.rb; Moodle, mod/assign/gradingtable.php (`recordid`,
`fullname`, `email`, `status`, `gradenoun`; lang/de/assign.php has `ID` for `recordid`);
GitHub Classroom's classroom_roster.csv; Gradescope's and Blackboard's help pages on rosters.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_GITHUB = ("github username", "github", "github login")
_USERNAMES = ("username", "user name", "benutzername", "nutzername", "anmeldename")
_EMAILS = ("email", "email address", "e mail", "e mail adresse", "email adresse", "mail")
KEYS = (  # a learner's key is the first of these that has a cell
    *("id", "learner", "learner id", "student id", "student number", "matriculation number"),
    *("matrikelnummer", "matrikel nr", "matr nr", "studierenden id", "user id", "sid"),
    *(*_USERNAMES, "login", "login id", "kennung"),
    *("identifier", "id number", "id nummer", "roster identifier"),
    *(*_GITHUB, "sis user id", "sis login id", *_EMAILS),
)
IDENTITIES = frozenset({*KEYS, "github id", "gitlab", "gitlab username", "integration id"})
_NAMES = (
    *("name", "full name", "student", "student name", "display name"),
    *("vollständiger name", "teilnehmer/in", "studierende/r"),
)
_FIRST = ("first name", "firstname", "given name", "forename", "vorname")
_NUMBERS = {"canvas": ("id",), "moodle": ("identifier", "id"), "gradescope": ("sid",)}
_GRADING = re.compile("(?:grade|maximum grade|last modified|bewertung|bestwertung|zuletzt) ?")
_LAST = ("last name", "lastname", "surname", "family name", "nachname", "familienname")


class Columns(NamedTuple):
    """The columns of a roster by their names, empty where there is none.

    `identities` identify one learner each; `keys` may be the key, the first choice first.
    `platform` is the platform whose export it is, `number` has the numbers that it uses in the
    names of submissions, `login` its logins. `github` has logins of GitHub, on any roster.
    """

    keys: tuple[str, ...]
    identities: tuple[str, ...]
    name: str
    first: str
    last: str
    email: str
    platform: str
    number: str
    login: str
    github: str


def columns_of(names: Iterable[str]) -> Columns:
    """Return which column is which; `keys` is empty where none identifies a learner."""
    usual: dict[str, str] = {}
    for name in names:
        usual.setdefault(_usual(name), name)
    platform = _platform(list(usual))

    def first(wanted: Iterable[str]) -> str:
        return next((usual[name] for name in wanted if name in usual), "")

    return Columns(
        keys=tuple(usual[name] for name in KEYS if name in usual),
        identities=tuple(name for each, name in usual.items() if each in IDENTITIES),
        name=first(_NAMES),
        first=first(_FIRST),
        last=first(_LAST),
        email=first(_EMAILS),
        platform=platform,
        number=first(_NUMBERS.get(platform, ())),
        login=first(_USERNAMES if platform == "blackboard" else ()),
        github=first(_GITHUB),
    )


def _platform(usual: Sequence[str]) -> str:
    """Return the platform that exports a table with these columns, empty for none."""
    names = set(usual)
    if "id" in names and names & {"student", "sis user id", "sis login id"}:
        return "canvas"
    if names & {"identifier", "id"} and "status" in names and any(map(_GRADING.match, names)):
        return "moodle"
    if {"identifier", "github username"} <= names:
        return "classroom"
    if "sid" in names:
        return "gradescope"
    begins = zip(usual, (_LAST, _FIRST, _USERNAMES), strict=False)
    return "blackboard" if len(usual) > 2 and all(n in known for n, known in begins) else ""  # noqa: PLR2004  # those three


def _usual(name: str) -> str:
    """Return a column's name as it is compared: lower case, words apart."""
    return re.sub(r"[\s_.-]+", " ", unicodedata.normalize("NFC", name)).strip().lower()
