"""The files of a folder, by descriptors: no link is followed, nothing outside is opened."""

from __future__ import annotations

import errno
import os
import stat
from itertools import islice
from typing import TYPE_CHECKING

from pipeline.files import (
    MAX_BYTES,
    MAX_FOLDER_ENTRIES,
    NO_FOLLOW_FLAGS,
    Unreadable,
    read_descriptor,
    unreadable,
)
from verify.files import NoSubmission, checked_parts, reached_by_link

if TYPE_CHECKING:
    from typing_extensions import Self

_FOLDER_FLAGS = NO_FOLLOW_FLAGS | getattr(os, "O_DIRECTORY", 0)


class Folder:
    """The files of a folder: each step is opened below the one before it.

    Raises:
        NoSubmission: the root cannot be opened as a folder.
    """

    def __init__(self, root: str) -> None:
        self.root = root
        self._opened: list[int] = []  # the root, and each folder on the way to the last one
        self._last: str | None = ""
        try:
            self._open_root()
        except (OSError, ValueError) as error:
            is_other = getattr(error, "errno", None) == errno.ENOTDIR
            raise NoSubmission("is not a folder" if is_other else str(unreadable(error))) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close every folder that is open."""
        while self._opened:
            os.close(self._opened.pop())

    def read(self, path: str, limit: int = MAX_BYTES) -> bytes:
        """Return the bytes of the regular file at a path.

        Raises:
            Unreadable: missing, a link or reached through one, not regular, denied, too large.
        """
        return read_descriptor(self.descriptor(path), limit)

    def descriptor(self, path: str) -> int:
        """Return a descriptor of what is at a path, whatever it is; raises `Unreadable`."""
        try:
            name, folder = self._place(path)
            return os.open(name, NO_FOLLOW_FLAGS, dir_fd=folder)
        except (OSError, ValueError) as error:
            raise unreadable(error) from None

    def is_file(self, path: str) -> bool:
        """Return whether there is a regular file at the path, reached without a link."""
        try:
            name, folder = self._place(path)
            status = os.stat(name, dir_fd=folder, follow_symlinks=False)
        except Unreadable:
            return False
        except (OSError, ValueError) as error:
            unreadable(error)  # raises what is our own fault
            return False
        return stat.S_ISREG(status.st_mode)

    def names(self, path: str, most: int = MAX_FOLDER_ENTRIES) -> list[str]:
        """Return the sorted names in a folder, at most so many; raises `Unreadable`."""
        try:
            if path:
                checked_parts(f"{path}/name")
            with os.scandir(self._folder(path)) as entries:
                return sorted(entry.name for entry in islice(entries, most))
        except (OSError, ValueError) as error:
            raise unreadable(error) from None

    def _open_root(self) -> None:
        # the person who grades names the root, and may name it by a link
        self._opened.append(os.open(self.root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))

    def _place(self, path: str) -> tuple[str, int | None]:
        """Return a path's last name, and a descriptor of the folder that it is in."""
        folder, name = checked_parts(path)
        return name, self._folder(folder)

    def _folder(self, path: str) -> int:
        if path != self._last:
            self._last = None
            while len(self._opened) > 1:
                os.close(self._opened.pop())
            for name in filter(None, path.split("/")):
                self._opened.append(_opened_below(self._opened[-1], name))
            self._last = path
        return self._opened[-1]


class PortableFolder(Folder):
    """The same where the system opens nothing relative to a descriptor (Windows).

    Every step is looked at before the file is opened: a link that is swapped in between would be
    followed, which the walk by descriptors rules out.
    """

    def _open_root(self) -> None:
        os.listdir(self.root)

    def _place(self, path: str) -> tuple[str, int | None]:
        checked_parts(path)
        return self._folder(path), None

    def _folder(self, path: str) -> str:  # type: ignore[override]  # both can be listed
        walked = self.root
        for name in filter(None, path.split("/")):
            walked = os.path.join(walked, name)
            status = os.lstat(walked)
            reparse = getattr(status, "st_reparse_tag", 0)  # a junction is another kind of link
            if stat.S_ISLNK(status.st_mode) or reparse:
                raise reached_by_link()
        return walked


def folder_at(path: str) -> Folder:
    """Return the files of a folder; raises `NoSubmission`."""
    return Folder(path) if os.open in os.supports_dir_fd else PortableFolder(path)


def _opened_below(above: int, name: str) -> int:
    try:
        return os.open(name, _FOLDER_FLAGS, dir_fd=above)
    except OSError as error:
        status = os.stat(name, dir_fd=above, follow_symlinks=False)
        if error.errno == errno.ENOTDIR and stat.S_ISLNK(status.st_mode):
            raise reached_by_link() from None
        raise
