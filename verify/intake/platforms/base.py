"""The interface of platforms: what the name of one entry says, and what its roster is like."""

from __future__ import annotations

import json
import os
import re
from contextlib import suppress
from datetime import datetime
from itertools import product
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from verify.submissions.files import archive_suffix

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

MAX_NAME = 1_000  # characters of an entry's name: platforms write no longer ones

# Names of columns, as `Roster` compares them: in lower case, words apart.
with open(os.path.join(os.path.dirname(__file__), "columns.json"), encoding="utf-8") as _file:
    COLUMNS: dict[str, list[str]] = json.load(_file)
GITHUB, USERNAMES, EMAILS, FIRST, LAST = (
    tuple(COLUMNS[kind]) for kind in ("github", "username", "email", "first", "last")
)
_WHEN = re.compile(  # without commas, colons and full stops
    r"([^\W\d_]{3,9} [0-9]{1,2} 20[0-9]{2}|[0-9]{1,2} [^\W\d_]{3,9} 20[0-9]{2}"
    r"|20[0-9]{2}-?[0-9]{2}-?[0-9]{2}|[0-9]{4}20[0-9]{2})"
    r"(?:[ T_-]?([0-9]{1,2}-?[0-9]{2}(?:-?[0-9]{2})?)( ?[AP]M)?)?"
)
_DAYS = ("%b %d %Y", "%B %d %Y", "%d %b %Y", "%d %B %Y", "%Y-%m-%d", "%Y%m%d", "%d%m%Y")
_GERMAN = str.maketrans({"ä": "a", "i": "y", "k": "c", "z": "c"})  # März, Mai, Okt, Dez


class Name(NamedTuple):
    """The name of an entry."""

    text: str  #: the whole
    stem: str  #: without an archive's suffix
    is_loose: bool  #: it is a file, but not an archive

    @property
    def is_folder(self) -> bool:
        """Return whether it is a folder's."""
        return self.stem == self.text and not self.is_loose

    @property
    def title(self) -> str:
        """Return the name without any suffix of a file."""
        return (self.stem.rpartition(".")[0] or self.stem) if self.is_loose else self.stem


class ParsedName(NamedTuple):
    """What a platform reads in the name of an entry; a text is empty where the name has none.

    Without a roster the learner is called `learner`, else as the account.
    """

    platform: str
    account: str  #: whom the platform names: entries of one account are parts of one person's work
    key: str = ""  #: the whole name, which may be a learner's key
    number: str = ""  #: the platform's own number of the learner
    login: str = ""
    person: str = ""  #: a full name
    attempt: str = ""  #: a label; as text, the latest is the last
    submitted: str = ""  #: an ISO 8601 time
    late: bool = False
    is_note: bool = False  #: the platform added it (an online text, a log): it is not work
    learner: str = ""
    keys: tuple[str, ...] = ()  #: more texts that may be a learner's key
    rivals: tuple[str, ...] = ()  #: other numbers in the name: it is unclear which is the learner's
    is_guess: bool = False  #: the login or the person may begin elsewhere: a person has to confirm
    also: tuple[ParsedName, ...] = ()  #: the further submitters of a group's entry


class RosterExport(NamedTuple):
    """The table of a class that a platform exports; columns are in the form of `headings`."""

    table: str  #: what it is, in words, as are the next two
    known_by: str
    identities: str
    fits: Callable[[Sequence[str]], bool]  #: whether a table with these columns, in order, is one
    numbers: tuple[
        str, ...
    ] = ()  #: columns of the number in an entry's name, the first choice first
    number: re.Pattern[str] | None = None  #: the number in a cell of these columns, None for all
    numbers_need_names: bool = False  #: a number may be a team's: the name beside it must agree
    numbers_in_groups: tuple[str, ...] = ()  #: the columns of these numbers in an export of groups
    logins: tuple[str, ...] = ()  #: columns of the login in an entry's name
    logins_anywhere: tuple[str, ...] = ()  #: the same on the rosters of other platforms
    logins_are_addresses: bool = False
    #: columns of when the submission with the number beside it came, the first choice first: a
    #: roster of another assignment has other numbers
    times: tuple[str, ...] = ()
    time: Callable[[str], str] = lambda _cell: ""  #: the time in these, in ISO 8601, or empty
    mark: str = ""  #: before each value, so that no spreadsheet changes it
    no_learner: Callable[[str, str], bool] = lambda _name, _key: (
        False
    )  #: whose row is not a person's
    test_learners: str = "(?!)"  #: a pattern of the names and keys of test accounts, on any roster


class Surroundings(NamedTuple):
    """What a platform may know beside the names of entries."""

    title: str = ""  #: of the collection
    prefix: str = ""  #: that the user gives with `--layout NAME:PREFIX`
    metadata: Callable[[str], bytes | None] = lambda _: None  #: reads a file beside the entries
    has_login: Callable[[str], bool] = lambda _: False  #: whether the roster has a login
    is_known: Callable[[str], bool] = lambda _: False  #: whether it has a login or a key
    has_name: Callable[[str], bool] = lambda _: False  #: whether one learner has this full name


class Platform:
    """One platform: what it calls entries, and what its tables and its own files are like.

    Behind its first line, the docstring of a platform says in Markdown what to download.
    """

    name: ClassVar[str]
    title: ClassVar[str] = ""
    roster: ClassVar[RosterExport | None] = None
    metadata: ClassVar[str] = ""  #: the name of the platform's own file beside the entries
    has_pattern: ClassVar[bool] = False  #: a name that fits two of these may be of either
    has_prefix: ClassVar[bool] = False  #: its logins are behind a prefix, which the user may give
    reads_whole_names: ClassVar[bool] = False
    has_campus_identities: ClassVar[bool] = False  #: its logins and numbers are the institution's

    def __init__(self, surroundings: Surroundings) -> None:
        """Take what names alone do not tell; raises `Unusable` for damaged metadata."""

    def read(self, name: Name) -> ParsedName | None:
        """Return what the name of an entry says, None where it is not one of this platform's."""
        raise NotImplementedError


class Plain(Platform):
    """Takes any name as an instructor chose it, a key or a full name; each is an account."""

    name = "plain"
    reads_whole_names = True

    def read(self, name: Name) -> ParsedName:
        """Return the whole name, for a loose file without its last suffix."""
        title = name.title
        return ParsedName(self.name, name.text, key=title, person=title, learner=title)


def parsed_names(platforms: Iterable[Platform], text: str, *, is_folder: bool) -> list[ParsedName]:
    """Return what the platforms read in the name of an entry, in their order."""
    suffix = "" if is_folder else archive_suffix(text)
    name = Name(text, text.removesuffix(suffix), is_loose=not (is_folder or suffix))
    if len(text) > MAX_NAME:
        platforms = (platform for platform in platforms if platform.reads_whole_names)
    found = (platform.read(name) for platform in platforms)
    return [parsed for parsed in found if parsed is not None]


def ends_of(text: str, sign: str, most: int) -> list[str]:
    """Return what follows each of the signs in a text, the longest first, of at most so many words.

    The whole text is none of them.
    """
    words = text.split(sign)
    return [sign.join(words[at:]) for at in range(max(1, len(words) - most), len(words))]


def time_of(text: str) -> str:
    """Return the time that a text is, in ISO 8601, empty for none; German months are read, too."""
    found = _WHEN.fullmatch(re.sub("[,.:]", "", text.strip()))
    if found is None:
        return ""
    clock, half = (found[2] or "0000").replace("-", ""), (found[3] or "").strip()
    clock = clock.zfill(len(clock) + len(clock) % 2)  # else the hour of 105 is 10
    form = (
        f"%{'I' if half else 'H'}%M{'%S' * (len(clock) > len('HHMM'))} {'%p' * bool(half)}".strip()
    )
    for day, day_form in product((found[1], _in_english(found[1])), _DAYS):
        with suppress(ValueError):
            moment = f"{day} {clock} {half}".strip()
            return datetime.strptime(moment, f"{day_form} {form}").isoformat()  # noqa: DTZ007  # the server's
    return ""


def _in_english(day: str) -> str:
    """Return a day with the name of its month, also a German one, as three letters of English."""
    return re.sub(r"([^\W\d_]{3})[^\W\d_]*", lambda month: month[1].translate(_GERMAN), day)
