"""Reads one regular file within a limit, and writes one whole or not at all. Owns the limits.

Reading never blocks; no reader ever sees half of what is written, not even after a kill. What
exceeds a limit is refused in one line; docs/reference/limits.md lists the limits.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import stat
import sys
from typing import TYPE_CHECKING, Any, BinaryIO

from pipeline.terminal.fault import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator

_KIB, _MIB = 1 << 10, 1 << 20

MAX_BYTES = _MIB  # of an artifact: parsed, it takes up to 43 times its size in memory
MAX_DEPTH = 64  # fixed, so that a verdict depends on no interpreter's stack
MAX_ELEMENTS = 20_000  # values, objects and arrays included: bounds a document's problems
MAX_HISTORY = 224 * _MIB  # a git bundle, or a whole .git: it is read into memory


def size_of(count: int) -> str:
    """Return a number of bytes for people: in KiB or MiB where that is exact."""
    if count % _MIB == 0 and count > _MIB:
        return f"{count // _MIB:,} MiB"
    return f"{count:,} bytes" if count % _KIB else f"{count // _KIB} KiB"


# O_NONBLOCK: opening a FIFO must not wait for a writer. Windows has neither flag.
OPEN_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
OPEN_FLAGS |= getattr(os, "O_BINARY", 0)
NO_FOLLOW_FLAGS = OPEN_FLAGS | getattr(os, "O_NOFOLLOW", 0)

# The process, the disk or the network, not the file: no submission is to blame.
OUR_FAULTS = frozenset(
    {errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EIO, getattr(errno, "ESTALE", errno.EIO)}
)

MISSING, NOT_REGULAR, DENIED, TOO_LARGE = "missing", "not-regular", "denied", "too-large"
_WHY = {
    **dict.fromkeys((errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG), (MISSING, "does not exist")),
    **dict.fromkeys((errno.EACCES, errno.EPERM), (DENIED, "cannot be read: permission denied")),
    errno.ELOOP: (NOT_REGULAR, "is a link, not a regular file"),
    errno.ENXIO: (NOT_REGULAR, "is a socket or a device, not a regular file"),
}

FILE, FOLDER, LINK, PIPE, DEVICE = "a file", "a folder", "a link", "a named pipe", "a device"
_NATURES = {
    stat.S_IFREG: FILE,
    stat.S_IFDIR: FOLDER,
    stat.S_IFLNK: LINK,
    stat.S_IFIFO: PIPE,
    stat.S_IFSOCK: "a socket",
}


class Unreadable(Refusal):
    """A file that cannot be read, and why: `reason` is one of the constants of this module."""

    def __init__(self, reason: str, sentence: str) -> None:
        super().__init__(sentence)
        self.reason = reason


def read_file(path: str, limit: int = MAX_BYTES, *, follow: bool = True) -> bytes:
    """Return the bytes of a regular file of at most `limit` bytes; raises `Unreadable`.

    A link at `path` is followed unless `follow` is false; links in the way to it always are.
    """
    try:
        if not (follow or hasattr(os, "O_NOFOLLOW")) and is_link(os.lstat(path)):  # on Windows
            raise Unreadable(*_WHY[errno.ELOOP])
        descriptor = os.open(path, OPEN_FLAGS if follow else NO_FOLLOW_FLAGS)
    except (OSError, ValueError) as error:
        raise unreadable(error) from None
    return read_descriptor(descriptor, limit)


def read_standard_input() -> bytes:
    """Return what is on standard input; raises `Unreadable` where it is closed or too large."""
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
    """Return the bytes of an open regular file and close it; raises `Unreadable`."""
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise Unreadable(NOT_REGULAR, f"is {nature_of(status.st_mode)}, not a regular file")
        if status.st_size > limit:
            raise too_large(limit)
        data = os.read(descriptor, status.st_size + 1)
        return data if len(data) == status.st_size else _read_on(descriptor, data, limit)
    except OSError as error:
        raise unreadable(error) from None
    finally:
        os.close(descriptor)


def _read_on(descriptor: int, data: bytes, limit: int) -> bytes:
    """Read the rest of a file that grows or does not report its size; it is never cut."""
    while len(data) <= limit:
        more = os.read(descriptor, limit + 1 - len(data))
        if not more:
            return data
        data += more
    raise too_large(limit)


def too_large(limit: int) -> Unreadable:
    """Return the refusal of a file, or of standard input, of more than `limit` bytes."""
    return Unreadable(TOO_LARGE, f"is larger than the limit of {size_of(limit)}")


def is_inside(path: str, folder: str) -> bool:
    """Return whether an absolute path is a folder or in it, as the two are written.

    No link is followed: where a link could lead elsewhere, pass what `os.path.realpath` returns.
    """
    return os.path.join(path, "").startswith(os.path.join(folder, ""))


def system_path(root: str, path: str) -> str:
    """Return where a path with slashes, relative to a root, is on this system."""
    return os.path.join(root, *path.split("/"))


def is_link(status: os.stat_result) -> bool:
    """Return whether a file is a link, by its `lstat`: a junction of Windows is one, too."""
    return stat.S_ISLNK(status.st_mode) or bool(getattr(status, "st_reparse_tag", 0))


def nature_of(mode: int) -> str:
    """Return what a file is, by the mode of its `stat`: a link is not followed."""
    return _NATURES.get(stat.S_IFMT(mode), DEVICE)


def unreadable(error: OSError | ValueError) -> Unreadable:
    """Translate what opening or reading raised; raises it again where the file is not to blame."""
    # ValueError: a NUL or a surrogate in the path
    number = errno.ENOENT if isinstance(error, ValueError) else error.errno or 0
    if number in OUR_FAULTS:
        raise error
    unknown = DENIED, f"cannot be read: {os.strerror(number).lower()}"
    return Unreadable(*_WHY.get(number, unknown))


_PREFIX, _SUFFIX = ".write-", ".part"


@contextlib.contextmanager
def writing_whole(path: str, *, synced: bool = True) -> Iterator[BinaryIO]:
    """Open a file to write that takes its place only once all of it is written.

    Its folder is made if missing. Where the body raises, what was there stays. Without `synced` it
    is not forced to the disk first: losing power may then leave an empty file, a kill never does.
    """
    folder = os.path.dirname(path) or "."
    os.makedirs(folder, exist_ok=True)
    temporary = os.path.join(folder, f"{_PREFIX}{os.urandom(8).hex()}{_SUFFIX}")
    try:
        with open(temporary, "xb") as file:
            yield file
            file.flush()
            if synced:
                os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def write_whole(path: str, data: bytes) -> None:
    """Put a file in place at once, as `writing_whole`."""
    with writing_whole(path) as file:
        file.write(data)


def write_json(path: str, value: Any) -> None:
    """Write a JSON document as `write_whole` does: indented, UTF-8, with a line feed at its end."""
    text = json.dumps(value, indent=2, ensure_ascii=False)
    # half characters, of a file's name that is not UTF-8, become escapes of JSON: \udc80
    write_whole(path, text.encode("utf-8", "backslashreplace") + b"\n")


def sweep(folder: str) -> None:
    """Remove what killed writes have left in a folder that nothing else writes to."""
    with contextlib.suppress(OSError):
        for name in os.listdir(folder):
            if name.startswith(_PREFIX) and name.endswith(_SUFFIX):
                os.unlink(os.path.join(folder, name))


def reason_of(error: OSError) -> str:
    """Return the system's reason for an error, in lower case for the middle of a sentence."""
    return (error.strerror or "unknown reason").lower()
