"""The interface of platforms: what the name of one entry says, read on its own."""

from __future__ import annotations

from typing import NamedTuple, Protocol


class Reading(NamedTuple):
    """What a platform reads in the name of an entry.

    `account` is the submitter as the platform calls them: entries of one account are parts or
    attempts of one person's work. `key`, `number`, `login` and `person` are the hints that a
    roster is asked for, each empty where the name has none: the whole name as it is; the number
    and the login that the platform itself uses; a full name. Without a roster the learner is
    called `learner`.

    `attempt` labels sort as text, the latest last; empty where the platform has one attempt.
    `part` is the own name of a file that is one of several, empty for a folder or an archive that
    is the whole submission. `submitted` is an ISO 8601 time as text, empty where the name has
    none. `is_note` is true of what a platform adds (an online text, a log): no work.
    """

    platform: str
    account: str
    learner: str
    key: str = ""
    number: str = ""
    login: str = ""
    person: str = ""
    attempt: str = ""
    part: str = ""
    submitted: str = ""
    late: bool = False
    is_note: bool = False


class Platform(Protocol):
    """One platform."""

    name: str

    def read(self, entry: str, *, is_folder: bool) -> Reading | None:
        """Return what the name of an entry says, None where it is not one of this platform's."""
