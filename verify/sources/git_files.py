"""The files of a repository, each opened below its folder: no link followed, nothing outside."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from pipeline.limits import MAX_BYTES
from pipeline.reading import (
    MISSING,
    NO_FOLLOW_FLAGS,
    NOT_REGULAR,
    Unreadable,
    read_descriptor,
    unreadable,
)
from verify.submission import Folder, NoSubmission, PortableFolder, checked_parts

if TYPE_CHECKING:
    from typing_extensions import Self


class RepositoryFiles:
    """The files of a repository in a folder: bare, or in its `.git`.

    Raises:
        NoSubmission: the folder cannot be opened, or holds no repository.
    """

    def __init__(self, root: str) -> None:
        self._folder = _Descriptors(root) if os.open in os.supports_dir_fd else _Portable(root)
        try:
            self._prefix = _prefix(self._folder)
        except BaseException:
            self._folder.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close every folder that was opened."""
        self._folder.close()

    def read(self, path: str, limit: int = MAX_BYTES) -> bytes:
        """Return the bytes of a regular file; raises `Unreadable`."""
        return read_descriptor(self._folder.descriptor(self._prefix + path), limit)

    def opened(self, path: str) -> int:
        """Return a descriptor of a regular file; raises `Unreadable`."""
        return regular(self._folder.descriptor(self._prefix + path))

    def has(self, path: str) -> bool:
        """Tell whether a regular file stands at a path."""
        return self._folder.is_file(self._prefix + path)

    def names(self, path: str) -> list[str]:
        """Return the sorted names in a folder, none where it is missing; raises `Unreadable`."""
        try:
            return self._folder.names(self._prefix + path)
        except Unreadable as error:
            if error.reason == MISSING:
                return []
            raise


def regular(descriptor: int) -> int:
    """Return the descriptor of a regular file, close any other; raises `Unreadable`."""
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise Unreadable(NOT_REGULAR, "is not a regular file")
    return descriptor


class _Descriptors(Folder):
    def descriptor(self, path: str) -> int:
        folder, name = checked_parts(path)
        try:
            return os.open(name, NO_FOLLOW_FLAGS, dir_fd=self._folder(folder))
        except (OSError, ValueError) as error:
            raise unreadable(error) from None


class _Portable(PortableFolder):
    def descriptor(self, path: str) -> int:
        try:
            return os.open(self._walked(path), NO_FOLLOW_FLAGS)
        except (OSError, ValueError) as error:
            raise unreadable(error) from None


def _prefix(folder: Folder) -> str:
    """Return where in a folder its repository stands."""
    for prefix in (".git/", ""):  # a work tree may have a file HEAD
        if folder.is_file(f"{prefix}HEAD"):
            return prefix
    if folder.is_file(".git"):
        raise NoSubmission("is no repository of its own: its .git is a file that points elsewhere")
    raise NoSubmission("is no git repository: it has no HEAD, nor a folder .git with one")
