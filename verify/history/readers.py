"""Bytes that are read from any place: of an open file, or of what is in memory already."""

from __future__ import annotations

import os
from typing import Protocol

_WHOLE = 1 << 19  # bytes: a smaller file is read at once
MAX_HELD = 16 << 20  # bytes of all files of a repository that are read at once
_FARTHEST = 1 << 48


class Reader(Protocol):
    """Bytes at places; `held` are those in memory, 0 of an open file."""

    held: int

    def read(self, count: int, offset: int) -> bytes:
        """Return up to `count` bytes from an offset, none where they do not reach that far."""

    def close(self) -> None:
        """Release what is held open."""


class MemoryReader:
    """Bytes that are in memory."""

    def __init__(self, data: bytes) -> None:
        self.held = len(data)
        self._data = data

    def read(self, count: int, offset: int) -> bytes:
        """Return up to `count` bytes from an offset."""
        return self._data[offset : offset + count] if offset >= 0 else b""

    def close(self) -> None:
        """Hold nothing open."""


class FileReader:
    """The bytes of an open file, which it closes."""

    def __init__(self, descriptor: int) -> None:
        self.held = 0
        self._descriptor = descriptor

    def read(self, count: int, offset: int) -> bytes:
        """Return up to `count` bytes from an offset."""
        if not 0 <= offset < _FARTHEST:
            return b""
        if hasattr(os, "pread"):
            return os.pread(self._descriptor, count, offset)
        os.lseek(self._descriptor, offset, os.SEEK_SET)  # Windows
        return os.read(self._descriptor, count)

    def close(self) -> None:
        """Close the file."""
        os.close(self._descriptor)


def reader_of(descriptor: int, most: int = _WHOLE) -> Reader:
    """Return a reader of an open regular file; a small one is read and closed at once.

    `most` is how many bytes may be held in memory.
    """
    size = os.fstat(descriptor).st_size
    if size > min(most, _WHOLE):
        return FileReader(descriptor)
    try:
        return MemoryReader(os.read(descriptor, size))
    finally:
        os.close(descriptor)
