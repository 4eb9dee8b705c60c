"""The bytes of an archive, read from any place: of a file, or of an archive held in memory."""

from __future__ import annotations

import os
import stat
from typing import Protocol

from pipeline.reading import NO_FOLLOW_FLAGS

_OPEN_FLAGS = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_WINDOW = 1 << 15  # bytes: those of some submissions that stand side by side
_OPEN_FLAGS |= getattr(os, "O_NONBLOCK", 0)


Stamp = tuple[int, int]  # size and time of change of a file: is it the same one still?


class Damaged(Exception):
    """An archive that cannot be read; the message is what is said of it: `is cut short`."""


class Bytes(Protocol):
    """Bytes of a known number, `size`; what lies beyond them is not there, which is no error."""

    size: int

    def read(self, offset: int, count: int) -> bytes:
        """Return `count` bytes from a place, fewer at the end."""

    def close(self) -> None:
        """Release what is held open."""


class MemoryBytes:
    """An archive held in memory."""

    def __init__(self, data: bytes) -> None:
        self.size = len(data)
        self._data = data

    def read(self, offset: int, count: int) -> bytes:
        """Return `count` bytes from a place, fewer at the end."""
        return self._data[offset : offset + count]

    def close(self) -> None:
        """Hold nothing open."""


class FileBytes:
    """A file on disk. It is read, not mapped: one that is cut short under us must not end us.

    `follow` says whether the last step may be a link: what an instructor names may, what stands
    in a folder of submissions may not.

    Raises:
        OSError: it cannot be opened.
        Damaged: it is no regular file.
    """

    def __init__(self, path: str, *, follow: bool = True) -> None:
        self._descriptor = os.open(path, _OPEN_FLAGS if follow else NO_FOLLOW_FLAGS)
        status = os.fstat(self._descriptor)
        self.size = status.st_size
        self.stamp: Stamp = (status.st_size, status.st_mtime_ns)
        if not stat.S_ISREG(status.st_mode):
            self.close()
            raise Damaged("is not a regular file")

    def read(self, offset: int, count: int) -> bytes:
        """Return `count` bytes from a place, fewer at the end."""
        return _read_at(self._descriptor, count, offset)

    def close(self) -> None:
        """Close the file."""
        os.close(self._descriptor)


class ReadAhead:
    """Bytes that are mostly asked for one after the other: a window of them is read at once."""

    def __init__(self, data: Bytes) -> None:
        self.size = data.size
        self._data = data
        self._window, self._start = b"", 0

    def read(self, offset: int, count: int) -> bytes:
        """Return `count` bytes from a place, fewer at the end."""
        at = offset - self._start
        if at < 0 or at + count > len(self._window):
            if count > _WINDOW:
                return self._data.read(offset, count)
            self._window, self._start, at = self._data.read(offset, _WINDOW), offset, 0
        return self._window[at : at + count]

    def close(self) -> None:
        """Leave what is read from open."""
        self._window = b""


def _seek_and_read(descriptor: int, count: int, offset: int) -> bytes:
    os.lseek(descriptor, offset, os.SEEK_SET)
    return os.read(descriptor, count)


_read_at = getattr(os, "pread", _seek_and_read)  # Windows has no pread
