"""Tar archives that lie, plain and packed, by name with the suffix that they are handed in with."""

from __future__ import annotations

import gzip
import io
import lzma
import tarfile
import zlib
from typing import TYPE_CHECKING

from tests.stubs.archives import DEVICE, LINK, PIPE, tar_bytes
from tests.stubs.hostile.cases import PLAN
from tests.stubs.hostile.making import solved
from tests.stubs.hostile.zips import zeros_deflated

if TYPE_CHECKING:
    from collections.abc import Callable


def header(name: str, size: int, kind: bytes = b"0") -> bytes:
    """Return one header, with whatever size it claims."""
    info = tarfile.TarInfo(name)
    info.size, info.type = size, kind
    return info.tobuf(tarfile.GNU_FORMAT)


def with_size_field(field: bytes) -> bytes:
    """Return a plan's member whose size is told by these twelve bytes."""
    block = bytearray(header(PLAN, 0))
    block[124:136] = field
    block[148:156] = b" " * 8
    block[148:156] = b"%06o\0 " % sum(block)
    return bytes(block) + bytes(1024)


def linked(kind: bytes, target: str) -> bytes:
    """Return a member that is a hard or a soft link, beside a file."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        archive.addfile(_of("own.json", solved()), io.BytesIO(solved()))
        info = tarfile.TarInfo(PLAN)
        info.type, info.linkname = kind, target
        archive.addfile(info)
    return out.getvalue()


def _of(name: str, data: bytes) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.size = len(data)
    return info


def extended(kind: bytes, text: bytes) -> bytes:
    """Return a plan behind one extension of a header: a long name, or pax records."""
    padded = text + bytes(-len(text) % 512)
    return header("x", len(text), kind) + padded + tar_bytes((PLAN, solved()))


def pax_bombs(count: int, text: bytes) -> bytes:
    """Return a plan behind so many pax headers, packed."""
    block = header("x", len(text), b"x") + text + bytes(-len(text) % 512)
    packing = zlib.compressobj(9, zlib.DEFLATED, 31)
    made = [packing.compress(block) for _ in range(count)]
    return b"".join([*made, packing.compress(tar_bytes((PLAN, solved()))), packing.flush()])


def zeros(size: int) -> bytes:
    """Return a packed tar with a plan of so many zeros."""
    head = b"\x1f\x8b\x08\0\0\0\0\0\0\3"
    return head + zeros_deflated(size, header(PLAN, size)) + bytes(8)


def many(count: int) -> bytes:
    """Return a tar of so many empty members."""
    block = header("00000000", 0)
    base = int(block[148:154], 8) - 8 * ord("0")
    made = (
        b"%08d%b%06o%b" % (number, block[8:148], base + sum(b"%08d" % number), block[154:])
        for number in range(count)
    )
    return b"".join(made) + bytes(1024)


_TINY_RECORDS = b"4 =\n" * (60_000 // 4)

TARS: dict[str, Callable[[], bytes]] = {
    "slip.tar": lambda: tar_bytes((f"../../{PLAN}", solved()), (f"x/../{PLAN}", solved())),
    "absolute.tar": lambda: tar_bytes((f"/{PLAN}", solved())),
    "drive.tar": lambda: tar_bytes((f"C:/{PLAN}", solved())),
    "backslashes.tar": lambda: tar_bytes((PLAN.replace("/", "\\"), solved())),
    "link.tar": lambda: tar_bytes((PLAN, LINK)),
    "link-above.tar": lambda: tar_bytes(("sandbox", LINK), (PLAN, solved())),
    "hard-link.tar": lambda: linked(tarfile.LNKTYPE, "own.json"),
    "hard-link-outside.tar": lambda: linked(tarfile.LNKTYPE, "/etc/passwd"),
    "pipe.tar": lambda: tar_bytes((PLAN, PIPE)),
    "device.tar.gz": lambda: tar_bytes((PLAN, DEVICE), packed="gz"),
    "link-then-file.tar": lambda: tar_bytes((PLAN, LINK), (PLAN, solved())),
    "twice.tar": lambda: tar_bytes((PLAN, b"{}"), (PLAN, solved())),
    "sparse.tar": lambda: header(PLAN, 0, b"S") + bytes(1024),
    "negative-size.tar": lambda: with_size_field(b"\xff" * 12),
    "huge-size.tar": lambda: with_size_field(b"\x80" + b"\x00" * 3 + b"\x7f" * 8),
    "size-is-no-number.tar": lambda: with_size_field(b"99999999999\0"),
    "size-too-large.tar": lambda: header(PLAN, 1 << 30) + solved(),
    "cut-short.tar": lambda: tar_bytes((PLAN, solved()))[:900],
    "cut-short.tar.gz": lambda: tar_bytes((PLAN, solved()), packed="gz")[:-20],
    "wrong-checksum.tar": lambda: b"X" + tar_bytes((PLAN, solved()))[1:],
    "long-name.tar": lambda: extended(b"L", b"x" * (10 << 20)),
    "pax-of-50-mib.tar.gz": lambda: gzip.compress(extended(b"x", bytes(50 << 20)), 1),
    "pax-bombs.tar.gz": lambda: pax_bombs(1_000, _TINY_RECORDS),
    "pax-that-lies.tar": lambda: extended(b"x", b"999999 path=x\n"),
    "pax-that-swallows.tar": lambda: extended(b"x", b"22 path=x\n13 mtime=100\n"),
    "pax-of-noise.tar": lambda: extended(b"g", b"hello\n"),
    "pax-with-a-tail.tar": lambda: extended(b"x", b"13 mtime=100\nhello"),
    "pax-size-too-large.tar": lambda: extended(b"x", b"28 size=9999999999999999999\n"),
    "bomb.tar.gz": lambda: zeros(1 << 30),
    "bomb.tar.xz": lambda: (  # with the largest dictionary
        lzma.compress(header(PLAN, 16 << 24)) + lzma.compress(bytes(16 << 20), preset=9) * 16
    ),
    "million-pieces.tar.gz": lambda: gzip.compress(b"") * 1_000_000,
    "fifty-thousand-members.tar": lambda: many(50_001),
    "members-without-end.tar.gz": lambda: gzip.compress(many(130_000), 1),
    "names-of-no-path.tar.gz": lambda: gzip.compress(header("../x", 0) * 100_100 + bytes(1024), 1),
    "headers-without-a-member.tar.gz": lambda: gzip.compress(
        header("x", 0, b"g") * 100_000 + bytes(1024), 1
    ),
    "nothing.tar": lambda: bytes(10_240),
    "no-archive.zip": lambda: b"MZ" + bytes(1_000),
    "no-archive.tar.gz": lambda: b"\x1f\x8b" + b"\xff" * 1_000,
    "rar.rar": lambda: b"Rar!\x1a\x07\x00" + bytes(100),
    "seven.7z": lambda: b"7z\xbc\xaf\x27\x1c" + bytes(100),
    "bzip2.tar.bz2": lambda: b"BZh9" + bytes(100),
    "empty-file.zip": lambda: b"",
}
