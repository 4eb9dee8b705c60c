"""What a folder and an archive answer alike: the interface of files, their paths, their faults."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Protocol

from pipeline.files import (
    MAX_BYTES,
    MAX_FOLDER_ENTRIES,
    MAX_FOLDER_LEVELS,
    MISSING,
    NOT_REGULAR,
    Unreadable,
)

SUBMIT = "Submit the folder of the project, or one .zip or .tar.gz of it."
_SUFFIX = re.compile(
    r"\.(?:zip|tar|tar\.(?:gz|xz|bz2|zst)|tgz|txz|tbz2?|tzst|7z|rar)\Z", re.IGNORECASE
)
_CACHED_PATH = 200  # characters: longer paths are not worth keeping
_NO_STEP = frozenset({"", ".", ".."})
_DEBRIS = frozenset({"__MACOSX", ".DS_Store", "Thumbs.db"})


class NoSubmission(Exception):
    """The path that the user named is missing or cannot be opened; the message is one line."""


class Unresolved(Exception):
    """A person has to look: `reason` is what was found, `step` what to submit instead."""

    def __init__(self, reason: str, step: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.step = step

    def __reduce__(self) -> tuple[type[Unresolved], tuple[str, str]]:
        """Return how to make it again: it crosses from the process that found it."""
        return Unresolved, (self.reason, self.step)


class Files(Protocol):
    """The files of a folder or an archive by their POSIX paths, before its root is known."""

    root: str

    def read(self, path: str, limit: int = MAX_BYTES) -> bytes:
        """Return a regular file's bytes, at most `limit`; raises `Unreadable`."""

    def is_file(self, path: str) -> bool:
        """Return whether there is a regular file at the path, reached without a link."""

    def names(self, path: str, most: int = MAX_FOLDER_ENTRIES) -> list[str]:
        """Return a folder's sorted entry names, at most so many; raises `Unreadable`."""

    def close(self) -> None:
        """Release what is open."""


def is_debris(name: str) -> bool:
    """Return whether a name is what systems leave beside files, and the work of no learner."""
    return name.startswith("._") or name in _DEBRIS


def archive_suffix(name: str) -> str:
    """Return an archive's suffix as the name has it, empty for any other name.

    Archives of kinds that cannot be read count too: they are one submission all the same.
    """
    found = _SUFFIX.search(name[-8:]) if "." in name else None
    return found[0] if found and len(found[0]) < len(name) else ""


def checked_parts(path: str) -> tuple[str, str]:
    """Return a path's folder and last name, where every step is a name.

    Raises:
        Unreadable: a step is empty, `.` or `..`, or the file is too many folders deep.
    """
    return _checked_short(path) if len(path) <= _CACHED_PATH else _checked_parts(path)


def _checked_parts(path: str) -> tuple[str, str]:
    steps = path.split("/")
    if not _NO_STEP.isdisjoint(steps) or "\\" in path:
        raise Unreadable(MISSING, "is not a path within the submission")
    if len(steps) > MAX_FOLDER_LEVELS + 1:
        raise Unreadable(MISSING, f"is more than {MAX_FOLDER_LEVELS} folders deep")
    return path.rpartition("/")[0], steps[-1]


_checked_short = lru_cache(maxsize=4096)(_checked_parts)  # all of a cohort have the same paths


def reached_by_link() -> Unreadable:
    """Return what is said of a file behind a link."""
    return Unreadable(NOT_REGULAR, "is reached through a link, which is not followed")
