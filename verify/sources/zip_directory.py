"""A zip archive's directory: where it stands, and the members that it lists, in its own order."""

from __future__ import annotations

import stat
from struct import Struct
from typing import TYPE_CHECKING, NamedTuple

from pipeline.limits import MAX_ARCHIVE_LISTING, size_of
from verify.sources.archive_bytes import Damaged
from verify.sources.archive_door import DEVICE, FILE, FOLDER, LINK, PIPE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verify.sources.archive_bytes import Bytes

# As in APPNOTE.TXT 4.3.12, 4.3.14, 4.3.15 and 4.3.16.
_END = Struct("<4s4H2IH")
_END64 = Struct("<4sQ2H2I4Q")
_LOCATOR64 = Struct("<4sIQI")
_TAG = Struct("<2H")
_WIDE = Struct("<Q")
_RECORD = 46  # bytes of a record before its name
_FIELDS = Struct("<4s4x2H4x3I3H4x2I")  # mark, flags, method, crc, sizes, lengths, mode, place
_LENGTHS = Struct("<4s4xH18x3H")  # mark, flags, lengths of name, extra fields and comment
_END_MARK, _END64_MARK, _LOCATOR64_MARK = b"PK\5\6", b"PK\6\6", b"PK\6\7"
_RECORD_MARK = b"PK\1\2"

_COMMENT = 0xFFFF  # the longest that stands behind the end of the directory
_CHUNK = 1 << 20
_LONGEST = _RECORD + 3 * 0xFFFF  # of a record, with its name, extra fields and comment
_FULL = 0xFFFFFFFF  # the value is told in the record's zip64 field instead
_ZIP64 = 1  # the tag of that field
_UTF8 = 0x800
_NATURES = {  # by the first four bits of the mode, as Unix has them
    0: FILE,
    stat.S_IFREG >> 12: FILE,
    stat.S_IFDIR >> 12: FOLDER,
    stat.S_IFLNK >> 12: LINK,
    stat.S_IFIFO >> 12: PIPE,
}
_CUT_SHORT = "is not a whole .zip archive: its directory is cut short"
_NO_RECORD = "is not a whole .zip archive: its directory is damaged"


class Directory(NamedTuple):
    """Where a zip's directory stands: from `start` to `end`.

    `shift` is how far everything stands behind the place that the archive tells: a program may
    stand before the first member.
    """

    start: int
    end: int
    shift: int


class Packed(NamedTuple):
    """A member as the directory tells of it; its sizes are claims."""

    name: bytes
    nature: str
    flags: int
    method: int
    crc: int
    packed: int
    size: int
    offset: int

    @property
    def path(self) -> str:
        """Return the name as text: UTF-8 also where it is not said so, as macOS writes it."""
        return decoded(self.name, self.flags)


def decoded(name: bytes, flags: int = _UTF8) -> str:
    """Return a member's name as text; any bytes are some text, different ones a different one."""
    try:
        return name.decode("ascii" if name.isascii() else "utf-8")
    except UnicodeDecodeError:
        shown = name.decode("cp437")  # which the format says, and which has all 256 characters
    return shown if not flags & _UTF8 else f"{shown} (not UTF-8)"


def directory_of(data: Bytes) -> Directory:
    """Find the directory of a zip archive.

    Raises:
        Damaged: there is none, or it is one part of a split archive.
    """
    tail_start = max(0, data.size - _END.size - _COMMENT)
    tail = data.read(tail_start, _END.size + _COMMENT)
    found = tail.rfind(_END_MARK, 0, max(0, len(tail) - _END.size + len(_END_MARK)))
    if found < 0:
        raise Damaged("is not a whole .zip archive: its directory, at the end, is missing")
    _, disk, first_disk, _, _, length, offset, _ = _END.unpack_from(tail, found)
    end = tail_start + found
    far = _end64(data, end)
    if far is not None:
        end, length, offset = far
    elif disk or first_disk:
        raise Damaged("is one part of a split .zip archive")
    shift = end - length - offset
    if shift < 0:
        raise Damaged(_CUT_SHORT)
    return Directory(end - length, end, shift)


def _end64(data: Bytes, end: int) -> tuple[int, int, int] | None:
    """Return end, length and offset of a directory as a zip64 archive tells them."""
    place = end - _LOCATOR64.size
    locator = data.read(place, _LOCATOR64.size) if place >= 0 else b""
    if len(locator) < _LOCATOR64.size or not locator.startswith(_LOCATOR64_MARK):
        return None
    start = place - _END64.size  # where it stands also if something was put before the archive
    record = data.read(start, _END64.size) if start >= 0 else b""
    if len(record) < _END64.size or not record.startswith(_END64_MARK):
        raise Damaged("is not a whole .zip archive: the end of its directory is damaged")
    fields = _END64.unpack(record)
    return start, fields[8], fields[9]


def listed(data: Bytes, start: int, end: int) -> Iterator[Packed]:
    """Yield the members listed between two places: of one submission, so they are no million.

    Raises:
        Damaged: what stands there is no list of members, or a longer one than is read.
    """
    if end - start > MAX_ARCHIVE_LISTING:
        most = size_of(MAX_ARCHIVE_LISTING)
        raise Damaged(f"lists its files in more than {most}, the most that is read")
    chunk, at = data.read(start, end - start), 0
    while at < end - start:
        if len(chunk) - at < _RECORD:
            raise Damaged(_CUT_SHORT)
        mark, flags, method, crc, packed, size, length, more, comment, mode, offset = (
            _FIELDS.unpack_from(chunk, at)
        )
        name_start = at + _RECORD
        name_end = name_start + length
        at = name_end + more + comment
        if mark != _RECORD_MARK or at > len(chunk):
            raise Damaged(_NO_RECORD)
        if packed == _FULL or size == _FULL or offset == _FULL:  # noqa: PLR1714  # the quickest way
            size, packed, offset = _wide(chunk[name_end : name_end + more], size, packed, offset)
        name = chunk[name_start:name_end]
        nature = FOLDER if name[-1:] == b"/" else _NATURES.get(mode >> 28, DEVICE)
        yield Packed(name, nature, flags, method, crc, packed, size, offset)


def named(data: Bytes, start: int, end: int) -> Iterator[tuple[int, bytes, int]]:
    """Yield where each member's record starts, its name, its flags; raises `Damaged`.

    The list may be of any length: some of it is held at a time.
    """
    chunk, at = b"", 0
    while start < end:
        if at + _LONGEST > len(chunk) and start + len(chunk) - at < end:
            chunk, at = data.read(start, min(_CHUNK, end - start)), 0
        if len(chunk) - at < _RECORD:
            raise Damaged(_CUT_SHORT)
        mark, flags, length, more, comment = _LENGTHS.unpack_from(chunk, at)
        following = at + _RECORD + length + more + comment
        if mark != _RECORD_MARK or following > len(chunk):
            raise Damaged(_NO_RECORD)
        yield start, chunk[at + _RECORD : at + _RECORD + length], flags
        start += following - at
        at = following


def _wide(extra: bytes, *values: int) -> tuple[int, ...]:
    """Return the values, those that did not fit from the zip64 field, which has them in order."""
    field, at = b"", 0
    while at + _TAG.size <= len(extra) and not field:
        tag, length = _TAG.unpack_from(extra, at)
        at += _TAG.size + length
        field = extra[at - length : at] if tag == _ZIP64 else b""
    wide = iter(_WIDE.iter_unpack(field[: len(field) // _WIDE.size * _WIDE.size]))
    return tuple(next(wide, (value,))[0] if value == _FULL else value for value in values)
