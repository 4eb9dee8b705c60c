"""The files of a repository as they are read: below its folder, or as members of an archive."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, Protocol

from pipeline.limits import MAX_BYTES, MAX_HISTORY
from pipeline.reading import MISSING, NOT_REGULAR, Unreadable
from verify.folder import Folder
from verify.history.readers import MAX_HELD, MemoryReader, Reader, reader_of

if TYPE_CHECKING:
    from verify.files import Files as AllFiles


class Files(Protocol):
    """The files of a repository by their paths in it (`HEAD`, `objects/pack/…`)."""

    def read(self, path: str, limit: int = MAX_BYTES) -> bytes:
        """Return the bytes of a regular file; raises `Unreadable`."""

    def reader(self, path: str) -> Reader:
        """Return a reader of a regular file, which the caller closes; raises `Unreadable`."""

    def has(self, path: str) -> bool:
        """Tell whether a regular file stands at a path."""

    def names(self, path: str, most: int) -> list[str]:
        """Return the sorted names in a folder, at most so many, none where it is missing.

        Raises:
            Unreadable: it is no folder, or a link.
        """


class FolderFiles:
    """The files of a repository at a prefix of a folder."""

    def __init__(self, walk: AllFiles, prefix: str) -> None:
        self._walk = walk
        self._prefix = prefix
        self._left = MAX_HELD  # bytes that readers may hold in memory

    def read(self, path: str, limit: int = MAX_BYTES) -> bytes:
        """Return the bytes of a regular file; raises `Unreadable`."""
        return self._walk.read(self._prefix + path, limit)

    def reader(self, path: str) -> Reader:
        """Return a reader of a regular file; raises `Unreadable`."""
        if not isinstance(self._walk, Folder):
            return MemoryReader(self._walk.read(self._prefix + path, MAX_HISTORY))
        found = reader_of(_regular(self._walk.descriptor(self._prefix + path)), self._left)
        self._left -= found.held
        return found

    def has(self, path: str) -> bool:
        """Tell whether a regular file stands at a path."""
        return self._walk.is_file(self._prefix + path)

    def names(self, path: str, most: int) -> list[str]:
        """Return the sorted names in a folder, none where it is missing; raises `Unreadable`."""
        try:
            return self._walk.names(self._prefix + path, most)
        except Unreadable as error:
            if error.reason == MISSING:
                return []
            raise


def _regular(descriptor: int) -> int:
    """Return the descriptor of a regular file, close any other; raises `Unreadable`."""
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise Unreadable(NOT_REGULAR, "is not a regular file")
    return descriptor
