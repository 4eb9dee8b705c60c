"""The only door to a submission's files: no links followed, nothing outside read, all bounded."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Protocol

from pipeline.limits import MAX_BYTES, MAX_FOLDER_ENTRIES
from verify.walking import (
    MAX_HELD,
    NoSubmission,
    PortableWalk,
    Walk,
    checked_parts,
)

if TYPE_CHECKING:
    from verify.history.history import History

__all__ = [
    "MAX_HELD",
    "Files",
    "Folder",
    "NoSubmission",
    "PortableFolder",
    "Submission",
    "Unresolved",
    "checked_parts",
    "open_folder",
]


class Unresolved(Exception):
    """A person has to look: the message is what was found, `step` what to submit instead."""

    def __init__(self, reason: str, step: str) -> None:
        super().__init__(reason)
        self.step = step


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
        """Release what is held open."""


class Submission(Protocol):
    """A submission's files by their POSIX paths relative to its root."""

    root: str

    def read(self, path: str) -> bytes:
        """Return a regular file's bytes; raises `Unreadable`."""

    def is_file(self, path: str) -> bool:
        """Tell whether a regular file stands at the path, reached without a link."""

    def names(self, path: str) -> list[str]:
        """Return a folder's sorted entry names, not too many; raises `Unreadable`."""

    def history(self) -> History | None:
        """Return the history of the work that came with it, None where none did.

        It is that of the folder `.git`, or of the git bundle at `.pipeline/history.bundle`. The
        door closes it.

        Raises:
            Unreadable: there is one that cannot be read; why, in one line.
        """

    def close(self) -> None:
        """Release what is held open."""


class Folder(Walk):
    """A submission in a folder.

    Raises:
        NoSubmission: the root cannot be opened as a folder.
    """

    _histories: dict[str, History | None] | None = None  # by the folder that they were looked for

    def history(self, root: str = "") -> History | None:
        """Return the history that came with the submission, which stands below `root`.

        Raises:
            Unreadable: as `Submission.history`.
        """
        if self._histories is None:
            self._histories = {}
        if root not in self._histories:
            from verify.history.opening import history_of  # of few exercises: a start is not slowed

            self._histories[root] = history_of(self, root)
        return self._histories[root]

    def close(self) -> None:
        """Close every folder that was opened, and the history."""
        for history in (self._histories or {}).values():
            if history is not None:
                history.close()
        self._histories = None
        super().close()


class PortableFolder(PortableWalk, Folder):
    """A submission in a folder where the system opens nothing relative to a descriptor."""


def open_folder(root: str) -> Folder:
    """Return the door to a submission in a folder; raises `NoSubmission`."""
    return Folder(root) if os.open in os.supports_dir_fd else PortableFolder(root)
