"""Zip archives that lie, by name."""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING

from tests.stubs.archives import DEVICE, LINK, PIPE, zip_bytes
from tests.stubs.hostile.cases import PLAN
from tests.stubs.hostile.making import solved

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_LOCAL, _RECORD, _END = "<4s5H3I2H", "<4s6H3I5H2I", "<4s4H2IH"
_DEFLATED, _BZIP2 = 8, 12


def hand_made(
    name: bytes, packed: bytes, size: int, method: int = _DEFLATED, flags: int = 0, crc: int = 0
) -> bytes:
    """Return a zip of one member whose claims are those that are given."""
    local = struct.pack(
        _LOCAL, b"PK\3\4", 20, flags, method, 0, 0, crc, len(packed), size, len(name), 0
    )
    record = struct.pack(
        *(_RECORD, b"PK\1\2", 20, 20, flags, method, 0, 0, crc, len(packed), size, len(name)),
        *(0, 0, 0, 0, 0, 0),
    )
    start = len(local) + len(name) + len(packed)
    length = len(record) + len(name)
    return local + name + packed + record + name + end(1, length, start)


def end(count: int, length: int, start: int) -> bytes:
    """Return the end of a zip's directory."""
    return struct.pack(_END, b"PK\5\6", 0, 0, count, count, length, start, 0)


def deflated(data: bytes) -> bytes:
    """Return raw deflated bytes."""
    packing = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packing.compress(data) + packing.flush()


def zeros_deflated(size: int, before: bytes = b"") -> bytes:
    """Return so many zeros, deflated: one block of a MiB, again and again."""
    packing = zlib.compressobj(9, zlib.DEFLATED, -15)
    start = packing.compress(before) + packing.flush(zlib.Z_FULL_FLUSH)
    block = packing.compress(bytes(1 << 20)) + packing.flush(zlib.Z_FULL_FLUSH)
    return start + block * (size >> 20) + packing.flush()


def bzip2_bomb() -> bytes:
    """Return a member packed as bzip2, which zipfile unpacks whole, whatever is asked for."""
    import bz2

    return hand_made(PLAN.encode(), bz2.compress(bytes(1 << 20)), 1 << 20, _BZIP2)


def quoted_overlap() -> bytes:
    """Return 2,000 members that share one body of 4 MiB: 8 GiB in a few KB."""
    body, names = zeros_deflated(4 << 20), [f"{number}.json".encode() for number in range(2_000)]
    data = hand_made(PLAN.encode(), body, 4 << 20)[: 30 + len(PLAN) + len(body)]
    records = b"".join(
        struct.pack(
            *(_RECORD, b"PK\1\2", 20, 20, 0, _DEFLATED, 0, 0, 0, len(body), 4 << 20, len(name)),
            *(0, 0, 0, 0, 0, 0),
        )
        + name
        for name in [PLAN.encode(), *names]
    )
    return data + records + end(2_001, len(records), len(data))


def claimed(change: int, flags: int = 0, crc: int | None = None) -> bytes:
    """Return a plan whose size is told wrongly by so many bytes, or what else is claimed of it."""
    data, crc = solved(), zlib.crc32(solved()) if crc is None else crc
    packed = deflated(data)
    return hand_made(PLAN.encode(), packed, len(data) + change, flags=flags, crc=crc)


def other_name_inside() -> bytes:
    """Return a member that has another name in its own header than in the directory."""
    return claimed(0).replace(PLAN.encode(), PLAN.upper().encode(), 1)


def listing_of(names: Iterable[bytes]) -> bytes:
    """Return an archive that lists empty members which share one place."""
    first = hand_made(b"x", b"", 0, 0)[:31]
    head = struct.pack("<4s6H3I", b"PK\1\2", 20, 20, 0, 0, 0, 0, 0, 0, 0)
    parts = [head + struct.pack("<5H2I", len(n), 0, 0, 0, 0, 0, 0) + n for n in names]
    listing = b"".join(parts)
    return first + listing + end(min(len(parts), 0xFFFF), len(listing), len(first))


def many_members(count: int, size: int) -> bytes:
    """Return so many empty members with names of so many bytes."""
    return listing_of(b"%08d/" % number + b"a" * (size - 9) for number in range(count))


def deep_members(count: int, levels: int) -> bytes:
    """Return members whose folders are all different, and each so many levels deep."""
    return listing_of(b"%d/" % number + b"a/" * levels + b"x" for number in range(count))


def split() -> bytes:
    """Return the last part of an archive in several files."""
    made = zip_bytes((PLAN, solved()))
    return made[:-22] + struct.pack(_END, b"PK\5\6", 3, 1, 1, 1, 60, 0, 0)


def second_end() -> bytes:
    """Return an archive with another one, empty, in its comment: readers differ."""
    made = zip_bytes((PLAN, solved()))
    other = end(0, 0, 0)
    return made[:-2] + struct.pack("<H", len(other)) + other


ZIPS: dict[str, Callable[[], bytes]] = {
    "slip": lambda: zip_bytes((f"../../{PLAN}", solved()), (f"x/../{PLAN}", solved())),
    "absolute": lambda: zip_bytes((f"/{PLAN}", solved())),
    "drive": lambda: zip_bytes((f"C:/{PLAN}", solved()), (f"C:{PLAN}", solved())),
    "backslashes": lambda: zip_bytes((PLAN.replace("/", "\\"), solved())),
    "network-path": lambda: zip_bytes((f"\\\\host\\share\\{PLAN}", solved())),
    "link": lambda: zip_bytes((PLAN, LINK)),
    "link-above": lambda: zip_bytes(("sandbox", LINK), (PLAN, solved())),
    "pipe": lambda: zip_bytes((PLAN, PIPE)),
    "device": lambda: zip_bytes((PLAN, DEVICE)),
    "twice": lambda: zip_bytes((PLAN, b"{}"), (PLAN, solved())),
    "file-and-folder": lambda: zip_bytes((PLAN, solved()), (f"{PLAN}/x", b"")),
    "bomb": lambda: hand_made(PLAN.encode(), zeros_deflated(1 << 30), 1 << 30),  # honest about it
    "lying-bomb": lambda: hand_made(PLAN.encode(), zeros_deflated(1 << 30), 10),
    "bzip2-bomb": bzip2_bomb,
    "overlap": quoted_overlap,
    "encrypted": lambda: claimed(0, flags=1, crc=0),
    "unknown-method": lambda: hand_made(PLAN.encode(), b"\x28\xb5\x2f\xfd", 100, 93),  # zstd
    "size-too-small": lambda: claimed(-100),
    "size-too-large": lambda: claimed(100),
    "wrong-checksum": lambda: claimed(0, crc=1),
    "other-name-inside": other_name_inside,
    "cut-short": lambda: zip_bytes((PLAN, solved()))[:-40],
    "cut-in-a-member": lambda: zip_bytes((PLAN, solved()), stored=True)[100:],
    "nothing": zip_bytes,
    "only-noise": lambda: zip_bytes(("__MACOSX/._x", b"x"), (".DS_Store", b"x")),
    "noise-beside": lambda: zip_bytes(
        (PLAN, solved()),
        (f"__MACOSX/{PLAN}", b"x"),
        (PLAN.replace("plan", "._plan"), b"x"),
        (".DS_Store", b"x"),
    ),
    "other-case": lambda: zip_bytes((PLAN, solved()), (PLAN.replace("plan", "Plan"), b"{}")),
    "other-composition": lambda: zip_bytes(
        (PLAN, solved()), ("caf\u00e9", b""), ("cafe\u0301", b"")
    ),
    "fifty-thousand-members": lambda: many_members(50_001, 30),
    "long-names": lambda: many_members(300, 60_000),
    "deep-names": lambda: deep_members(2_000, 2_040),
    "many-folders": lambda: deep_members(2_000, 60),
    "names-of-no-path": lambda: listing_of(b"../x" for _ in range(100_100)),
    "split": split,
    "far-directory": lambda: zip_bytes((PLAN, solved()))[:-22] + end(1, 1 << 31, 1 << 31),
    "two-ends": second_end,
    "behind-a-program": lambda: b"#!/bin/sh\nexit 0\n" + zip_bytes((PLAN, solved())),
    "escapes-in-names": lambda: zip_bytes((PLAN, solved()), ("\x1b[2J\n=1+1", b"")),
    "zip-in-zip": lambda: zip_bytes(("again.zip", zip_bytes((PLAN, solved())))),
}
