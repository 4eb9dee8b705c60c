"""Bounds on what an archive's list of members and its compression may take."""

from __future__ import annotations

import bz2
import lzma
import zlib
from functools import partial
from io import BytesIO
from typing import TYPE_CHECKING, Any, BinaryIO

from pipeline.files import size_of
from verify.submissions.files import BZIP2, GZIP, XZ, Unresolved

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_NESTED_ARCHIVE = 128 << 20  # a learner's archive within another one, packed or unpacked
CHUNK = 1 << 12  # bytes: even so few bytes of bzip2 unpack to megabytes
XZ_MEMORY = 256 << 20  # bytes: xz -9 takes 65 MiB to unpack
MAX_PIECES = 10_000  # packed one after the other: a million empty ones take half a minute


class BoundedList:
    """A file as a library reads its list of members: reads of more than `most` bytes are refused.

    `mark` is what each entry has: refused if found more than `once` in one read, or `in_all`.
    """

    def __init__(
        self, file: BinaryIO, refusal: str, most: int, mark: bytes, once: int, in_all: int
    ) -> None:
        self.seek, self.tell = file.seek, file.tell
        self._file, self._refusal, self._most = file, refusal, most
        self._mark, self._once, self._marks = mark, once, in_all

    def read(self, count: int = -1) -> bytes:
        """Return so many bytes; all that is left if the count is negative."""
        data = self._file.read(min(count, self._most) if count >= 0 else self._most)
        marks = data.count(self._mark)
        self._marks -= marks
        if count > self._most or marks > self._once or self._marks < 0:
            raise Unresolved(self._refusal)
        return data


def unpacked(packed: BinaryIO, fresh: Callable[[], Any]) -> BytesIO:
    """Return the content of an archive that was compressed as a whole, in one or several pieces."""
    made, unpacker, pieces, rest = BytesIO(), fresh(), 1, b""
    packed.seek(0)
    while chunk := rest or packed.read(CHUNK):
        if unpacker.eof:
            rest = chunk = chunk.lstrip(b"\0")  # zeros fill up between pieces, and behind them
            if not chunk:
                continue
            unpacker, pieces = fresh(), pieces + 1
        made.write(unpacker.decompress(chunk, MAX_NESTED_ARCHIVE + 1 - made.tell()))
        if made.tell() > MAX_NESTED_ARCHIVE or packed.tell() > 2 * MAX_NESTED_ARCHIVE:
            most = size_of(MAX_NESTED_ARCHIVE)
            raise Unresolved(f"unpacks to more than {most} (the limit)")
        if pieces > MAX_PIECES:
            raise Unresolved(f"consists of more than {MAX_PIECES:,} compressed pieces")
        rest = unpacker.unused_data
    if not unpacker.eof:
        raise EOFError
    return made


UNPACKERS: dict[bytes, Callable[[], Any]] = {
    GZIP: partial(zlib.decompressobj, 31),  # within gzip's head and checksum
    XZ: partial(lzma.LZMADecompressor, lzma.FORMAT_XZ, XZ_MEMORY),
    BZIP2: bz2.BZ2Decompressor,
}
