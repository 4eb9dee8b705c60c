"""Hostile archives, read in memory by zipfile and tarfile within bounds."""

from __future__ import annotations

import bz2
import lzma
import os
import re
import stat
import tarfile
import zipfile
import zlib
from contextlib import suppress
from functools import partial
from io import BytesIO
from typing import TYPE_CHECKING, Any, BinaryIO

from pipeline.files import DEVICE, FILE, FOLDER, LINK, PIPE, Unreadable, nature_of, size_of
from pipeline.terminal.display import named
from verify.submissions.files import BZIP2, GZIP, HEAD, UNREAD, XZ, ZIP_STARTS, Unresolved
from verify.submissions.members import (
    CUT,
    MAX_ARCHIVE_MEMBERS,
    MAX_NESTED_ARCHIVE,
    XZ_MEMORY,
    Member,
    Members,
    of_stated_size,
    path_of,
    raise_our_own,
    refusing,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

REPACK = "Pack the folder again as a .zip (method Deflate) or .tar.gz without a password."
_TAR_NATURES = {
    **dict.fromkeys(tarfile.REGULAR_TYPES, FILE),
    **dict.fromkeys((tarfile.LNKTYPE, tarfile.SYMTYPE), LINK),
    **dict.fromkeys((tarfile.CHRTYPE, tarfile.BLKTYPE), DEVICE),
    tarfile.DIRTYPE: FOLDER,
    tarfile.FIFOTYPE: PIPE,
    tarfile.GNUTYPE_SPARSE: "a sparse file",
}
_UTF8, _ENCRYPTED = 0x800, 0x41  # flags of a zip's member
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # other methods unpack more than asked for
_ZIP_HEAD = 30  # bytes before a member's name; the last four are the lengths of name and extra
_NAMES = {9: "Deflate64", 12: "bzip2", 14: "LZMA", 93: "Zstandard", 95: "xz", 98: "PPMd"}
UNPACKERS: dict[bytes, Callable[[], Any]] = {
    GZIP: partial(zlib.decompressobj, 31),  # within gzip's head and checksum
    XZ: partial(lzma.LZMADecompressor, lzma.FORMAT_XZ, XZ_MEMORY),
    BZIP2: bz2.BZ2Decompressor,
}
MAX_TAR_MEMBERS = 30_000  # listing them takes a second, half of the time that grading may take
MAX_ARCHIVE_LISTING = 16 << 20  # a .zip's directory
_PART = 1 << 22  # bytes of a packed file that are unpacked at once
_RECORD = re.compile(rb"([0-9]{1,20}) [^=]+=")
MAX_EXTENSION = 64 << 10  # bytes of an extension of a tar's header
_LINES, _LINES_IN_ALL = 100, 250_000  # of extensions: each is a record to parse

_EXTENDED = "has invalid .tar headers"
_CHUNK = 1 << 12  # bytes: even so few bytes of bzip2 unpack to megabytes
MAX_PIECES = 10_000  # packed one after the other: a million empty ones take half a minute


def open_archive(name: str, file: BinaryIO, root: str) -> Members:
    """Return the files of an archive, which own `file`; raises `Unresolved` for any other file."""

    def members() -> Iterator[tuple[str, Member]]:
        with refusing(lambda what: Unresolved(f"{named(name)} {what}")):
            yield from _members(file)

    return Members(root, members(), file.close)


def open_nested(name: str, stream: Callable[[], BinaryIO], root: str) -> Members:
    """Return the files of an archive that `stream` returns; raises `Unresolved`."""
    try:
        return open_archive(name, stream(), root)
    except Unreadable as error:
        raise Unresolved(f"{named(name)} {error}") from None


def _members(file: BinaryIO) -> Iterable[tuple[str, Member]]:
    start = _start(file)
    unpacker = next((unpack for mark, unpack in UNPACKERS.items() if start.startswith(mark)), None)
    if unpacker is not None:
        file = _unpacked(file, unpacker)
        start = _start(file)
    kind = next((kind for mark, kind in UNREAD.items() if start.startswith(mark)), "")
    if kind:
        raise Unresolved(f"is a {kind} archive, which is not supported")
    if not start:
        raise Unresolved("is empty")
    is_tar = start[257:262] == b"ustar" and not start.startswith(ZIP_STARTS)
    return _tar_members(file) if is_tar else _zip_members(file)


def _start(file: BinaryIO) -> bytes:
    file.seek(0)
    return file.read(HEAD)


def bounded_zip(
    file: BinaryIO, most: int = MAX_ARCHIVE_LISTING, members: int = 2 * MAX_ARCHIVE_MEMBERS
) -> zipfile.ZipFile:
    """Return a zip whose directory has at most so many bytes and members; `file` stays open.

    Raises `Unresolved` if it is larger or not a zip, and whatever zipfile raises.
    """
    either = f"more than {members:,} files, or a file list larger than {size_of(most)}"
    refusal = f"has {either} (the limits)"
    most = min(most, file.seek(0, os.SEEK_END))  # the library allocates so much at once
    listing: Any = _BoundedList(file, refusal, most, b"PK\1\2", members, members)
    try:  # a program may be before the first member
        archive = zipfile.ZipFile(listing)
    except zipfile.BadZipFile as error:
        raise_our_own(error.__context__)  # zipfile reports any `OSError` as damage
        known = _start(file).startswith(ZIP_STARTS)
        raise Unresolved(CUT if known else "is not a .zip or .tar archive") from None
    archive.fp = file  # members have their own bounds
    if any(info.header_offset < 0 for info in archive.infolist()):
        raise Unresolved(CUT)
    return archive


def member_path(info: zipfile.ZipInfo) -> str:
    """Return a member's path; empty for debris and for what is not a path."""
    name = info.orig_filename
    if not info.flag_bits & _UTF8 and not name.isascii():
        with suppress(UnicodeError):  # macOS writes UTF-8 without the flag
            name = name.encode("cp437").decode()
    return path_of(name)


def zip_nature(info: zipfile.ZipInfo) -> str:
    """Return what a member of a zip is: a file, a folder or something else."""
    if info.orig_filename.endswith(("/", "\\")):
        return FOLDER
    mode = info.external_attr >> 16
    return nature_of(mode) if stat.S_IFMT(mode) else FILE


def zip_member(file: BinaryIO, info: zipfile.ZipInfo) -> Member:
    """Return a member of the zip in a file, which stays open as long as members are read."""
    return Member(zip_nature(info), partial(_zip_bytes, file, info), partial(_zip_head, file, info))


def _zip_members(file: BinaryIO) -> Iterator[tuple[str, Member]]:
    for info in bounded_zip(file).infolist():
        path = member_path(info)
        if path and info.flag_bits & _ENCRYPTED:
            raise Unresolved("is encrypted")
        yield path, zip_member(file, info)


def _zip_bytes(file: BinaryIO, info: zipfile.ZipInfo, limit: int) -> bytes:
    begun = f"{named(member_path(info))} cannot be read: it is"
    if info.flag_bits & _ENCRYPTED:
        raise Unresolved(f"{begun} encrypted in the archive", REPACK)
    if info.compress_type not in _METHODS:
        method = _NAMES.get(info.compress_type, f"method {info.compress_type}")
        raise Unresolved(f"{begun} compressed with {method}, not with Deflate", REPACK)
    return of_stated_size(lambda: _inflated(file, info), info.file_size, limit)


def _zip_head(file: BinaryIO, info: zipfile.ZipInfo, most: int) -> bytes:
    _seek(file, info)
    data = file.read(min(info.compress_size, _CHUNK))
    if info.compress_type == zipfile.ZIP_DEFLATED:
        return zlib.decompressobj(-zlib.MAX_WBITS).decompress(data, most)
    return data[:most]


def _inflated(file: BinaryIO, info: zipfile.ZipInfo) -> bytes:
    """Return what a member unpacks to: zipfile's own reader takes four times as long."""
    _seek(file, info)
    left = min(info.compress_size, 2 * info.file_size + HEAD)
    if info.compress_type == zipfile.ZIP_DEFLATED:
        made, unpacker = BytesIO(), zlib.decompressobj(-zlib.MAX_WBITS)
        while left > 0 and made.tell() <= info.file_size:  # in parts: both may be large
            part = file.read(min(left, _PART))
            left -= len(part) or left
            made.write(unpacker.decompress(part, info.file_size + 1 - made.tell()))
        data = made.getvalue()
    else:
        data = file.read(left)
    if zlib.crc32(data) != info.CRC:
        raise zipfile.BadZipFile
    return data


def _seek(file: BinaryIO, info: zipfile.ZipInfo) -> None:
    """Go to where a member's bytes begin."""
    file.seek(info.header_offset)
    head = file.read(_ZIP_HEAD)
    name = file.read(int.from_bytes(head[26:28], "little"))
    if (
        not head.startswith(ZIP_STARTS[0])
        # other programs would unpack another file
        or name.decode("utf-8" if info.flag_bits & _UTF8 else "cp437") != info.orig_filename
    ):
        raise zipfile.BadZipFile
    file.seek(int.from_bytes(head[28:30], "little"), 1)


def _tar_members(file: BinaryIO) -> Iterator[tuple[str, Member]]:
    listing: Any = _BoundedList(file, _EXTENDED, MAX_EXTENSION, b"\n", _LINES, _LINES_IN_ALL)
    file.seek(0)
    with tarfile.open(None, "r:", listing, encoding="utf-8", errors="surrogateescape") as archive:
        before = number = 0
        while (info := archive.next()) is not None:
            number += 1
            if number > MAX_TAR_MEMBERS:  # including ignored ones: each takes long
                raise Unresolved(f"has more than {MAX_TAR_MEMBERS:,} files (the limit)")
            if archive.offset <= before or info.size < 0 or len(archive.pax_headers) > _LINES:
                raise Unresolved(_EXTENDED)
            _refuse_wrong_records(file, before)
            before = archive.offset
            archive.members = []  # type: ignore[attr-defined]  # or it keeps them all
            kind = tarfile.GNUTYPE_SPARSE if info.issparse() else info.type
            nature = _TAR_NATURES.get(kind, "of an unknown kind")
            read = partial(_tar_bytes, file, info.offset_data, info.size)
            head = partial(_tar_bytes, file, info.offset_data, min(info.size, HEAD))
            yield path_of(_text(info.name)), Member(nature, read, head)
        file.seek(archive.offset)
        if file.read(HEAD).strip(b"\0"):  # tarfile mistakes a damaged header for the end
            raise Unresolved(CUT)


def _refuse_wrong_records(file: BinaryIO, at: int) -> None:
    """Raise `ReadError` for a pax record with a wrong length: each Python reads another name."""
    file.seek(at)
    while (header := file.read(tarfile.BLOCKSIZE))[156:157] in (b"x", b"g", b"X", b"L", b"K"):
        size = tarfile.TarInfo.frombuf(header, "utf-8", "surrogateescape").size
        records = file.read(-(-size // tarfile.BLOCKSIZE) * tarfile.BLOCKSIZE)
        while header[156:157] not in b"KL" and records.rstrip(b"\0"):
            match = _RECORD.match(records)
            length = int(match[1]) if match else 0
            if not match or records[length - 1 : length] != b"\n" or length < match.end():
                raise tarfile.ReadError
            records = records[length:]


def _text(name: str) -> str:
    return name if name.isprintable() else name.encode("utf-8", "surrogateescape").decode("cp437")


def _tar_bytes(file: BinaryIO, offset: int, size: int, limit: int) -> bytes:
    def read() -> bytes:
        file.seek(offset)
        return file.read(size)

    return of_stated_size(read, size, limit)


class _BoundedList:
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


def _unpacked(packed: BinaryIO, fresh: Callable[[], Any]) -> BytesIO:
    """Return the content of an archive that was compressed as a whole, in one or several pieces."""
    made, unpacker, pieces, rest = BytesIO(), fresh(), 1, b""
    packed.seek(0)
    while chunk := rest or packed.read(_CHUNK):
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
