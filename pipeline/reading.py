"""Bounded reading of one regular file: never blocks, never reads more than the limit."""

from __future__ import annotations

import errno
import os
import stat
import sys
from stat import S_ISREG

from pipeline.limits import MAX_BYTES, size_of

# O_NONBLOCK: opening a FIFO must not wait for a writer. Windows has neither flag.
OPEN_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
OPEN_FLAGS |= getattr(os, "O_BINARY", 0)
NO_FOLLOW_FLAGS = OPEN_FLAGS | getattr(os, "O_NOFOLLOW", 0)

# The process, the disk or the network, not the file: nobody's submission is to blame.
OUR_FAULTS = frozenset(
    {errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EIO, getattr(errno, "ESTALE", errno.EIO)}
)

MISSING, NOT_REGULAR, DENIED, TOO_LARGE = "missing", "not-regular", "denied", "too-large"


class Unreadable(Exception):
    """A file that cannot be read, and why: `reason` is one of the constants of this module."""

    def __init__(self, reason: str, sentence: str) -> None:
        super().__init__(sentence)
        self.reason = reason


def read_file(path: str, limit: int = MAX_BYTES) -> bytes:
    """Return the bytes of a regular file, following links as the user who names it expects.

    Raises:
        Unreadable: missing, not a regular file, no permission, or more than `limit` bytes, where
            none is given those of an artifact.
    """
    try:
        descriptor = os.open(path, OPEN_FLAGS)
    except (OSError, ValueError) as error:
        raise unreadable(error) from None
    return read_descriptor(descriptor, limit)


def read_standard_input() -> bytes:
    """Return what stands on standard input.

    Raises:
        Unreadable: it is closed, cannot be read, or has more bytes than an artifact may have.
    """
    if sys.stdin is None:  # closed by the caller: `<&-`
        raise Unreadable(MISSING, "is closed")
    try:
        data = sys.stdin.buffer.read(MAX_BYTES + 1)
    except OSError as error:
        raise unreadable(error) from None
    if len(data) > MAX_BYTES:
        raise too_large(MAX_BYTES)
    return data


def read_descriptor(descriptor: int, limit: int = MAX_BYTES) -> bytes:
    """Return the bytes of an open regular file and close it.

    Raises:
        Unreadable: as `read_file`; a file that grows while it is read is too large, not cut.
    """
    try:
        status = os.fstat(descriptor)
        if not S_ISREG(status.st_mode):
            raise Unreadable(NOT_REGULAR, f"is {_nature(status.st_mode)}, not a regular file")
        if status.st_size > limit:
            raise too_large(limit)
        data = os.read(descriptor, status.st_size + 1)
        return data if len(data) == status.st_size else _read_on(descriptor, data, limit)
    except OSError as error:
        raise unreadable(error) from None
    finally:
        os.close(descriptor)


def _read_on(descriptor: int, data: bytes, limit: int) -> bytes:
    while len(data) <= limit:
        more = os.read(descriptor, limit + 1 - len(data))
        if not more:
            return data
        data += more
    raise too_large(limit)


def too_large(limit: int) -> Unreadable:
    """Return what is said of a file, or of standard input, of more than `limit` bytes."""
    return Unreadable(TOO_LARGE, f"is larger than {size_of(limit)}, the most that is read")


def _nature(mode: int) -> str:
    natures = {
        stat.S_IFDIR: "a folder",
        stat.S_IFIFO: "a named pipe",
        stat.S_IFSOCK: "a socket",
        stat.S_IFLNK: "a link",
    }
    return natures.get(stat.S_IFMT(mode), "a device")


def unreadable(error: OSError | ValueError) -> Unreadable:
    """Translate what opening or reading raised: ValueError is a NUL or surrogate in the path.

    Raises:
        OSError: `error` itself, where it says nothing of the file (too many files are open, say).
    """
    number = getattr(error, "errno", None)
    if number in OUR_FAULTS:
        raise error
    if isinstance(error, ValueError) or number in (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG):
        return Unreadable(MISSING, "does not exist")
    if number == errno.ELOOP:
        return Unreadable(NOT_REGULAR, "is a link, not a regular file")
    if number == errno.ENXIO:
        return Unreadable(NOT_REGULAR, "is a socket or a device, not a regular file")
    if number in (errno.EACCES, errno.EPERM):
        return Unreadable(DENIED, "may not be read: permission denied")
    return Unreadable(DENIED, f"cannot be read: {os.strerror(number or 0).lower()}")
