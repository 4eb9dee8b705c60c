"""A member of a zip archive, unpacked in memory: bounded, whatever the archive says of its size."""

from __future__ import annotations

import zlib
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from pipeline.limits import MAX_ARCHIVE_MEMBERS
from pipeline.reading import DENIED, Unreadable, too_large
from verify.sources.archive_bytes import Damaged
from verify.sources.archive_door import Member
from verify.sources.archive_names import member_path
from verify.sources.zip_directory import decoded, directory_of, listed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from verify.sources.archive_bytes import Bytes
    from verify.sources.zip_directory import Packed

_LOCAL = 30  # bytes of the header before a member's name (APPNOTE.TXT 4.3.7)
_LOCAL_MARK = b"PK\3\4"
_ROOM = 64  # for the extra fields of that header, which the directory does not tell of
_ENCRYPTED = 0x41  # as flags: encrypted, strongly encrypted
_STORED, _DEFLATED = 0, 8
_CACHED = 200  # bytes: longer names are not worth holding in memory


def zip_contents(data: Bytes) -> tuple[Iterator[Member], Callable[[Packed, int], bytes]]:
    """Return all members of an archive, and what reads them; raises `Damaged`."""
    start, end, shift = directory_of(data)
    return _members(data, start, end), zip_reader(data, shift)


def _members(data: Bytes, start: int, end: int) -> Iterator[Member]:
    most = 2 * MAX_ARCHIVE_MEMBERS  # with those that are passed over
    for number, packed in enumerate(listed(data, start, end)):
        if number >= most:
            raise Damaged(f"holds more than {most:,} files, the most that is read")
        yield Member(_path(packed.name, packed.flags), packed.nature, packed)


def _path(name: bytes, flags: int) -> str:
    return _short_path(name, flags) if len(name) <= _CACHED else member_path(decoded(name, flags))


@lru_cache(maxsize=4096)  # a cohort's archives have the same names in them
def _short_path(name: bytes, flags: int) -> str:
    return member_path(decoded(name, flags))


def zip_reader(data: Bytes, shift: int) -> Callable[[Packed, int], bytes]:
    """Return what reads a member: of at most so many bytes, or it raises `Unreadable`."""
    return partial(_member, data, shift)


def _member(data: Bytes, shift: int, packed: Packed, limit: int) -> bytes:
    if packed.flags & _ENCRYPTED:
        raise Unreadable(DENIED, "cannot be read: it is encrypted in the archive")
    if packed.method not in (_STORED, _DEFLATED):
        told = f"packed by method {packed.method}, of which only 0 and 8 are read"
        raise Unreadable(DENIED, f"cannot be read: it is {told}")
    # What unpacks to the limit takes hardly more room packed: five bytes a block of 16 KiB.
    if packed.size > limit or packed.packed > limit + (limit >> 10) + 1024:
        raise too_large(limit)
    raw = _raw(data, packed, packed.offset + shift)
    content = raw if packed.method == _STORED else _inflated(raw, packed.size)
    if len(content) != packed.size or zlib.crc32(content) != packed.crc:
        raise _damaged("its size or checksum is wrong")
    return content


def _raw(data: Bytes, packed: Packed, start: int) -> bytes:
    """Return the packed bytes of a member, checked to be those of its name."""
    named = _LOCAL + len(packed.name)
    block = data.read(start, named + _ROOM + packed.packed)
    if block[:4] != _LOCAL_MARK or block[_LOCAL:named] != packed.name:
        raise _damaged("another one stands in its place")
    first = named + (block[28] | block[29] << 8)
    raw = block[first : first + packed.packed]
    if len(raw) < packed.packed:  # more extra fields than there was room for
        raw = data.read(start + first, packed.packed)
    if len(raw) < packed.packed:
        raise _damaged("it is cut short")
    return raw


def _inflated(raw: bytes, size: int) -> bytes:
    """Return what deflated bytes unpack to, one byte more than `size` of it at the most."""
    unpacking = zlib.decompressobj(-15)
    try:
        content = unpacking.decompress(raw, size + 1)
    except zlib.error:
        raise _damaged("it does not unpack") from None
    if not unpacking.eof and len(content) <= size:
        raise _damaged("it is cut short")
    return content


def _damaged(how: str) -> Unreadable:
    return Unreadable(DENIED, f"cannot be read: it is damaged in the archive ({how})")
