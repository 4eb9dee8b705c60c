"""The files of a folder, by descriptors: no link is followed, nothing outside is opened."""

from __future__ import annotations

import errno
import os
import stat
from typing import TYPE_CHECKING

from pipeline.limits import MAX_BYTES, MAX_FOLDER_ENTRIES
from pipeline.reading import (
    NO_FOLLOW_FLAGS,
    OUR_FAULTS,
    Unreadable,
    read_descriptor,
    unreadable,
)
from verify.files import NoSubmission, checked_parts, reached_by_link

if TYPE_CHECKING:
    from typing_extensions import Self

MAX_HELD = 128  # folders open at a time
_FOLDER_FLAGS = NO_FOLLOW_FLAGS | getattr(os, "O_DIRECTORY", 0)


class Folder:
    """The files of a folder: each step is opened below the one before it.

    Raises:
        NoSubmission: the root cannot be opened as a folder.
    """

    def __init__(self, root: str) -> None:
        self.root = root
        try:  # the person who grades names the root, and may name it by a link
            descriptor = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except (OSError, ValueError) as error:
            raise NoSubmission(_reason(error)) from None
        self._folders = {"": descriptor}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close every folder that was opened."""
        while self._folders:
            os.close(self._folders.popitem()[1])

    def read(self, path: str, limit: int = MAX_BYTES) -> bytes:
        """Return the bytes of the regular file at a path.

        Raises:
            Unreadable: missing, a link or reached through one, not regular, denied, too large.
        """
        return read_descriptor(self.descriptor(path), limit)

    def descriptor(self, path: str) -> int:
        """Return a descriptor of what is at a path, whatever it is; raises `Unreadable`."""
        folder, name = checked_parts(path)
        try:
            opened = self._folders.get(folder) or self._folder(folder)
            return os.open(name, NO_FOLLOW_FLAGS, dir_fd=opened)
        except (OSError, ValueError) as error:
            raise unreadable(error) from None

    def is_file(self, path: str) -> bool:
        """Return whether there is a regular file at the path, reached without a link."""
        try:
            folder, name = checked_parts(path)
            status = os.stat(name, dir_fd=self._folder(folder), follow_symlinks=False)
        except (OSError, ValueError, Unreadable) as error:
            return _absent(error)
        return stat.S_ISREG(status.st_mode)

    def names(self, path: str, most: int = MAX_FOLDER_ENTRIES) -> list[str]:
        """Return the sorted names in a folder, at most so many; raises `Unreadable`."""
        try:
            if path:
                checked_parts(f"{path}/name")
            with os.scandir(self._folder(path)) as entries:
                return sorted(entry.name for entry, _ in zip(entries, range(most)))  # noqa: B905
        except (OSError, ValueError) as error:
            raise unreadable(error) from None

    def _folder(self, path: str) -> int:
        opened = self._folders.get(path)
        if opened is not None:
            return opened
        if len(self._folders) > MAX_HELD:
            self._release()
        opened, walked = self._folders[""], ""
        for name in path.split("/"):
            walked = f"{walked}/{name}" if walked else name
            below = self._folders.get(walked)
            if below is None:
                below = self._folders[walked] = _opened_below(opened, name)
            opened = below
        return opened

    def _release(self) -> None:
        """Close all folders but the root: a submission may name more than a process may open."""
        root = self._folders.pop("")
        self.close()
        self._folders[""] = root


class PortableFolder(Folder):
    """The same where the system opens nothing relative to a descriptor (Windows).

    Every step is looked at before the file is opened: a link that is swapped in between would be
    followed, which the walk by descriptors rules out.
    """

    def __init__(self, root: str) -> None:  # pylint: disable=super-init-not-called
        self.root = root
        self._folders = {}
        try:
            os.listdir(root)
        except (OSError, ValueError) as error:
            raise NoSubmission(_reason(error)) from None

    def descriptor(self, path: str) -> int:
        """Return a descriptor of what is at a path, whatever it is; raises `Unreadable`."""
        try:
            return os.open(self._walked(path), NO_FOLLOW_FLAGS)
        except (OSError, ValueError) as error:
            raise unreadable(error) from None

    def is_file(self, path: str) -> bool:
        """Return whether there is a regular file at the path, reached without a link."""
        try:
            return stat.S_ISREG(os.lstat(self._walked(path)).st_mode)
        except (OSError, ValueError, Unreadable) as error:
            return _absent(error)

    def names(self, path: str, most: int = MAX_FOLDER_ENTRIES) -> list[str]:
        """Return the sorted names in a folder, at most so many; raises `Unreadable`."""
        try:
            return sorted(os.listdir(self._walked(path) if path else self.root))[:most]
        except (OSError, ValueError) as error:
            raise unreadable(error) from None

    def _walked(self, path: str) -> str:
        folder, last = checked_parts(path)
        walked = self.root
        for name in [*folder.split("/"), last] if folder else [last]:
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
        if error.errno == errno.ENOTDIR and _is_link(name, above):
            raise reached_by_link() from None
        raise


def _is_link(name: str, above: int) -> bool:
    return stat.S_ISLNK(os.stat(name, dir_fd=above, follow_symlinks=False).st_mode)


def _absent(error: OSError | ValueError | Unreadable) -> bool:
    """Return False for a file that is missing or out of reach; raise what is our own fault."""
    if isinstance(error, OSError) and error.errno in OUR_FAULTS:
        raise error
    return False


def _reason(error: OSError | ValueError) -> str:
    if getattr(error, "errno", None) == errno.ENOTDIR:
        return "is not a folder"
    return str(unreadable(error))
