"""Writes a file whole or not at all: a reader, or a kill, never meets half of it."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from typing import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Iterator

_PREFIX, _SUFFIX = ".write-", ".part"


@contextlib.contextmanager
def writing_whole(path: str, *, synced: bool = True) -> Iterator[BinaryIO]:
    """Open a file to write that takes its place only once all of it is written.

    Its folder is made if missing. Where the body raises, what was there stays. Without `synced` it
    is not forced to the disk first: losing power may then leave an empty file, a kill never does.

    Raises:
        OSError: the folder cannot be written to, or the disk is full; what was there stays.
    """
    folder = os.path.dirname(path) or "."
    os.makedirs(folder, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(prefix=_PREFIX, suffix=_SUFFIX, dir=folder)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            if synced:
                os.fsync(file.fileno())
        os.chmod(temporary, 0o666 & ~_umask())  # mkstemp's own mode is for secrets
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def write_whole(path: str, data: bytes) -> None:
    """Put a file in place at once, on the disk before it is seen; its folder is made if missing.

    Raises:
        OSError: as `writing_whole`.
    """
    with writing_whole(path) as file:
        file.write(data)


def write_json(path: str, value: Any) -> None:
    """Write a JSON document as `write_whole` does: indented, UTF-8, with a line feed at its end.

    Where a text has half characters (a file's name that is no UTF-8), it is written in ASCII.

    Raises:
        OSError: as `write_whole`.
    """
    try:
        data = json.dumps(value, indent=2, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        data = json.dumps(value, indent=2).encode()
    write_whole(path, data + b"\n")


def sweep(folder: str) -> None:
    """Remove what writes that were killed have left in a folder; nobody may be writing there."""
    with contextlib.suppress(OSError):
        for name in os.listdir(folder):
            if name.startswith(_PREFIX) and name.endswith(_SUFFIX):
                os.unlink(os.path.join(folder, name))


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
