"""Archives packed as a whole (gz, xz), unpacked from front to back: as much as is asked."""

from __future__ import annotations

import zlib
from io import BytesIO
from typing import IO, TYPE_CHECKING, Any

from verify.sources.archive_bytes import Damaged

if TYPE_CHECKING:
    from collections.abc import Callable

GZIP, XZ = b"\x1f\x8b", b"\xfd7zXZ\0"
_CHUNK = 1 << 16
_XZ_MEMORY = 256 << 20  # bytes: xz -9 takes 65 MiB to unpack
_GZIP_WINDOW = 31  # as zlib has it: the largest window, within gzip's head and checksum
# What several programs packed one after the other is one archive, but a million empty pieces cost
# a grader half a minute: this many are taken, and more where they hold something.
_PIECES = 1_000
_PIECE = 1 << 12  # bytes that the pieces beyond hold on average: bgzip makes them of 64 KiB


def unpacked(packed: IO[bytes], most: int) -> bytes:
    """Return what a packed archive unpacks to, so many bytes at the most.

    Raises:
        Damaged: it is not packed in a known way, or does not unpack.
    """
    pieces, faults = _unpacker_of(packed)
    made = BytesIO()  # which grows in place: parts that are joined would take twice the room
    while most:
        try:
            part = pieces.read(min(most, _CHUNK))
        except faults:
            raise Damaged("is damaged or cut short: it does not unpack") from None
        if not part:
            break
        made.write(part)
        most -= len(part)
    return made.getvalue()


def _unpacker_of(packed: IO[bytes]) -> tuple[_Pieces, tuple[type[Exception], ...]]:
    """Return what unpacks an archive, and how it fails."""
    start = packed.read(len(XZ))
    packed.seek(0)
    if start.startswith(GZIP):
        return _Pieces(packed, _Inflater), (zlib.error, EOFError)
    if start == XZ:
        from lzma import LZMAError

        return _Pieces(packed, _xz_unpacker), (LZMAError, EOFError)
    raise Damaged("is not packed as .gz or .xz")


class _Pieces:
    """Unpacks what was packed piece by piece, in bounded memory and time: no library's file does.

    `fresh` makes the unpacker of a piece: an `lzma.LZMADecompressor`, or what behaves as one.
    """

    def __init__(self, packed: IO[bytes], fresh: Callable[[], Any]) -> None:
        self._packed = packed
        self._fresh = fresh
        self._unpacker = fresh()
        self._pieces = 1
        self._made = 0  # bytes

    def read(self, count: int) -> bytes:
        while True:
            raw = b""
            if self._unpacker.eof:
                raw = self._following()
                if not raw:
                    return b""
                self._begin()
            elif self._unpacker.needs_input:
                raw = self._packed.read(_CHUNK)
            content: bytes = self._unpacker.decompress(raw, count)
            self._made += len(content)
            if content:
                return content
            if not raw and not self._unpacker.eof:
                raise EOFError

    def _following(self) -> bytes:
        """Return what follows a piece, empty at the end: zeros fill up between and behind them."""
        raw: bytes = self._unpacker.unused_data.lstrip(b"\0")
        while not raw:
            chunk = self._packed.read(_CHUNK)
            if not chunk:
                return b""
            raw = chunk.lstrip(b"\0")
        return raw

    def _begin(self) -> None:
        self._pieces += 1
        if self._pieces > _PIECES + self._made // _PIECE:
            raise Damaged("is packed in too many pieces: pack it in one")
        self._unpacker = self._fresh()


class _Inflater:
    """Unpacks one piece of .gz as `lzma` unpacks one of .xz."""

    def __init__(self) -> None:
        self._stream = zlib.decompressobj(_GZIP_WINDOW)

    @property
    def eof(self) -> bool:
        return self._stream.eof

    @property
    def unused_data(self) -> bytes:
        return self._stream.unused_data

    @property
    def needs_input(self) -> bool:
        return not self._stream.unconsumed_tail

    def decompress(self, raw: bytes, count: int) -> bytes:
        return self._stream.decompress(self._stream.unconsumed_tail + raw, count)


def _xz_unpacker() -> Any:
    from lzma import FORMAT_XZ, LZMADecompressor

    return LZMADecompressor(format=FORMAT_XZ, memlimit=_XZ_MEMORY)
