"""The interface of platforms: what the name of one entry says, and what its roster is like."""

from __future__ import annotations

import json
import os
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


class Name(NamedTuple):
    """The name of an entry: whole, without an archive's suffix, and whether it is another file."""

    text: str
    stem: str
    is_loose: bool


class ParsedName(NamedTuple):
    """What a platform reads in the name of an entry; each hint is empty where the name has none.

    `account` is the submitter as the platform calls them: entries of one account are parts or
    attempts of one person's work. Hints that a roster is asked for are the `key` (the whole name),
    the platform's own `number` and `login`, and the `person` (a full name). `rivals` are other
    numbers in the name: which one the platform wrote is unclear. Without a roster the learner is
    called `learner`, else as the account.

    A login `is_guess` if it may begin elsewhere in the name: it has to be confirmed.

    `attempt` labels sort as text, the latest last. `submitted` is an ISO 8601 time. `is_note` is
    true of what a platform adds (an online text, a log): no work. `also` has a name for each
    further submitter of a group: the entry is theirs as well.
    """

    platform: str
    account: str
    key: str = ""
    number: str = ""
    login: str = ""
    person: str = ""
    attempt: str = ""
    submitted: str = ""
    late: bool = False
    is_note: bool = False
    learner: str = ""
    rivals: tuple[str, ...] = ()
    is_guess: bool = False
    also: tuple[ParsedName, ...] = ()


class RosterExport(NamedTuple):
    """The table of a class that a platform exports: what it is, how to recognize it, in words.

    `fits` gets the columns of a table in order. `numbers` and `logins` are the columns of what the
    platform uses in names, the first choice first. `logins_anywhere` count on any roster.
    """

    table: str
    known_by: str
    identities: str
    fits: Callable[[Sequence[str]], bool]
    numbers: tuple[str, ...] = ()
    logins: tuple[str, ...] = ()
    logins_anywhere: bool = False
    logins_are_addresses: bool = False
    mark: str = ""  #: before each value, so that no spreadsheet changes it


class Surroundings(NamedTuple):
    """What a platform may know beside names: the collection's title, and the user's prefix.

    `metadata` reads a file at the top of the collection, None if there is none. `has_login` asks
    the roster for a login, `is_known` for a login or a key.
    """

    title: str = ""
    prefix: str = ""
    metadata: Callable[[str], bytes | None] = lambda _: None
    has_login: Callable[[str], bool] = lambda _: False
    is_known: Callable[[str], bool] = lambda _: False


class Platform:
    """One platform; `about` says in Markdown what to download and what the names are like."""

    name: ClassVar[str]
    title: ClassVar[str] = ""
    about: ClassVar[str] = ""
    roster: ClassVar[RosterExport | None] = None
    has_pattern: ClassVar[bool] = False  # a name that fits two of these may be of either
    reads_whole_names: ClassVar[bool] = False
    has_campus_identities: ClassVar[bool] = False  # its logins and numbers are the institution's

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
        stem = (name.stem.rpartition(".")[0] or name.stem) if name.is_loose else name.stem
        return ParsedName(self.name, name.text, key=stem, person=stem, learner=stem)


def parsed_names(platforms: Iterable[Platform], text: str, *, is_folder: bool) -> list[ParsedName]:
    """Return what the platforms read in the name of an entry, in their order."""
    suffix = "" if is_folder else archive_suffix(text)
    name = Name(text, text.removesuffix(suffix), is_loose=not (is_folder or suffix))
    if len(text) > MAX_NAME:
        platforms = (platform for platform in platforms if platform.reads_whole_names)
    found = (platform.read(name) for platform in platforms)
    return [parsed for parsed in found if parsed is not None]
