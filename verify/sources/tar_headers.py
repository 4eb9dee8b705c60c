"""A tar archive's headers, one after the other: bounded, checked, their names put together."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple
from zlib import adler32

from verify.sources.archive_bytes import Damaged
from verify.sources.archive_door import DEVICE, FILE, FOLDER, LINK, PIPE, SPARSE, UNKNOWN
from verify.sources.archive_limits import MAX_EXTENSION, MAX_EXTENSIONS, MAX_RECORDS
from verify.sources.zip_directory import decoded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verify.sources.archive_bytes import Bytes

BLOCK = 512
_ZEROS, _BLANKS = bytes(BLOCK), b" " * 8
_ADLER = 65_521
_DIGITS = 8  # of a record's length: no extension that is read is longer
_CUT_SHORT = "is cut short: a .tar archive ends in the middle of a file"
_NO_HEADER = "is no .tar archive, or a damaged one"
_EXTENDED = "is a .tar archive that tells more of its files than any program writes"
# ustar, pax and GNU tar's own kinds of headers.
_NATURES = {
    b"0": FILE,
    b"\0": FILE,
    b"7": FILE,
    b"5": FOLDER,
    b"1": LINK,  # to another member, whose bytes it would show
    b"2": LINK,
    b"3": DEVICE,
    b"4": DEVICE,
    b"6": PIPE,
    b"S": SPARSE,
}
_LONG_NAME, _LONG_LINK, _PAX, _PAX_GLOBAL = b"L", b"K", b"x", b"g"
_EXTENSIONS = frozenset({_LONG_NAME, _LONG_LINK, _PAX, _PAX_GLOBAL})


class Header(NamedTuple):
    """A member as its header tells: its bytes stand from `data` on."""

    name: str
    nature: str
    size: int
    data: int


def headers(archive: Bytes, records: int) -> Iterator[Header]:
    """Yield the members' headers; `records` is the most that all extensions of them may hold.

    Raises:
        Damaged: a header is none, has more extensions than any program writes, or the archive is
            cut short.
    """
    tape, extended, told = _Tape(archive), _Extended(), 0
    while True:
        block = tape.take(BLOCK)
        if block == _ZEROS or not block:  # two such blocks end an archive, some end without
            return
        _check(block)
        kind, size = block[156:157], _number(block[124:136])
        if kind in _EXTENSIONS:
            extended.add(kind, _extension(tape, size))
            continue
        told += extended.records
        if told > records:
            raise Damaged(_EXTENDED)
        size = size if extended.size is None else extended.size
        name = extended.name or _name(block)
        nature = SPARSE if extended.sparse else _NATURES.get(kind, UNKNOWN)
        if name.endswith("/") and nature == FILE:  # how the first tar told folders
            nature = FOLDER
        data = tape.position
        yield Header(name, nature, size, data)
        tape.skip_to(data + (_padded(size) if nature in (FILE, SPARSE, UNKNOWN) else 0))
        extended = _Extended()


class _Tape:
    """Bytes that are read from front to back; `position` is the place of the next one."""

    def __init__(self, data: Bytes) -> None:
        self.position = 0
        self._data = data

    def take(self, count: int) -> bytes:
        taken = self._data.read(self.position, count)
        self.position += len(taken)
        return taken

    def skip_to(self, position: int) -> None:
        if position > self._data.size:
            raise Damaged(_CUT_SHORT)
        self.position = position


class _Extended:
    """What the headers before a member's own say of it."""

    def __init__(self) -> None:
        self.name = ""
        self.size: int | None = None
        self.sparse = False
        self.records = 0
        self._headers = 0

    def add(self, kind: bytes, text: bytes) -> None:
        self._headers += 1
        if self._headers > MAX_EXTENSIONS:
            raise Damaged(_EXTENDED)
        if kind == _LONG_NAME:
            self.name = decoded(text.split(b"\0", 1)[0])
        elif kind == _PAX:
            for key, value in _pax(text):
                self._add_pax(key, value)
                self.records += 1
                if self.records > MAX_RECORDS:
                    raise Damaged(_EXTENDED)

    def _add_pax(self, key: bytes, value: bytes) -> None:
        if key == b"path":
            self.name = decoded(value)
        elif key == b"size":
            self.size = _digits(value, 10)
        elif key.startswith(b"GNU.sparse."):
            self.sparse = True


def _extension(tape: _Tape, size: int) -> bytes:
    if size > MAX_EXTENSION:
        raise Damaged(f"has a name of more than {MAX_EXTENSION >> 10} KiB: it is damaged")
    block = tape.take(_padded(size))
    if len(block) < _padded(size):
        raise Damaged(_CUT_SHORT)
    return block[:size]


def _pax(text: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield keys and values of records such as `30 path=a/name`: the number counts it all."""
    text, at = text.rstrip(b"\0"), 0
    while at < len(text):
        blank = text.find(b" ", at, at + _DIGITS + 1)
        length = _digits(text[at:blank] if blank > 0 else b"", 10)
        key, equals, value = text[blank + 1 : at + length].partition(b"=")
        at += length
        if at > len(text) or not equals or not value.endswith(b"\n"):
            raise Damaged(_NO_HEADER)
        yield key, value[:-1]


def _check(block: bytes) -> None:
    if len(block) < BLOCK:
        raise Damaged(_CUT_SHORT)
    # The checksum is the sum of the bytes, its own place taken for blanks. The lower half of
    # Adler-32 is such a sum, from 1 on and modulo 65,521, many times quicker than adding here.
    total = adler32(_BLANKS, adler32(block[:148]))
    total = adler32(block[156:], total) & 0xFFFF
    if total != (_number(block[148:156]) + 1) % _ADLER:
        raise Damaged(_NO_HEADER)


def _name(block: bytes) -> str:
    name = block[:100].split(b"\0", 1)[0]
    prefix = block[345:500].split(b"\0", 1)[0]
    if prefix and block[257:263] == b"ustar\0":  # GNU tar has other things there
        name = prefix + b"/" + name
    return decoded(name)


def _number(field: bytes) -> int:
    """Return a number: octal digits, or binary where its first bit is set."""
    if field[0] & 0x80:
        return int.from_bytes(field[1:], "big") if field[0] == 0x80 else _digits(b"", 8)  # noqa: PLR2004  # 0xFF: below zero
    return _digits(field.split(b"\0", 1)[0].strip() or b"0", 8)


def _digits(text: bytes, base: int) -> int:
    if not text.isdigit():
        raise Damaged(_NO_HEADER)
    try:
        return int(text, base)
    except ValueError:
        raise Damaged(_NO_HEADER) from None


def _padded(size: int) -> int:
    return -(-size // BLOCK) * BLOCK
