"""Hostile and damaged objects: nothing large is inflated, nothing is taken for another one's."""

from __future__ import annotations

import struct
import zlib
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from pipeline.reading import DENIED, TOO_LARGE, Unreadable
from tests.stubs.hostile.gits import packed, sha1
from verify.history.packs import MAX_OBJECT

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.stubs.repositories import UserRepository
    from verify.history.history import History

    Opened = Callable[[Path], History]

BLOB, BASE_BY_NAME = 3, 7
HUGE = 64 << 20


def refusal(work: UserRepository, history_in: Opened, name: bytes) -> tuple[str, str]:
    """Return why an object cannot be looked at."""
    history = history_in(work.folder)
    with pytest.raises(Unreadable) as refused:
        history.find(name.hex())
    return refused.value.reason, str(refused.value)


def loose(work: UserRepository, name: bytes, stored: bytes) -> None:
    """Put an object into a file of its own."""
    file = work.folder / ".git" / "objects" / name.hex()[:2] / name.hex()[2:]
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(zlib.compress(stored))


def numbered(kind: int, size: int) -> bytes:
    """Return the head of a pack's entry."""
    return packed(kind, size, b"")


def sized(number: int) -> bytes:
    made = bytearray()
    while number > 0x7F:
        made.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*made, number])


def pack(work: UserRepository, entries: list[tuple[bytes, bytes]]) -> None:
    """Put a pack of (name, entry) and its index, as git lays them out, into a repository."""
    data, offsets = b"PACK" + struct.pack(">II", 2, len(entries)), {}
    for name, entry in entries:
        offsets[name] = len(data)
        data += entry
    names = sorted(offsets)
    fan = [sum(1 for name in names if name[0] <= first) for first in range(256)]
    index = b"\xfftOc" + struct.pack(">I256I", 2, *fan) + b"".join(names)
    index += bytes(4 * len(names)) + b"".join(struct.pack(">I", offsets[name]) for name in names)
    folder = work.folder / ".git" / "objects" / "pack"
    folder.mkdir(exist_ok=True)
    (folder / "pack-0.pack").write_bytes(data + sha1(data).digest())
    (folder / "pack-0.idx").write_bytes(index + bytes(40))


def blob_name(data: bytes) -> bytes:
    return sha1(b"blob %d\0" % len(data) + data).digest()


def test_a_small_file_made_from_a_huge_base_is_refused_before_that_is_inflated(
    work: UserRepository, history_in: Opened
) -> None:
    delta = sized(HUGE) + sized(10) + b"\x90\x0a"
    base, small = b"b" * 20, blob_name(bytes(10))
    pack(
        work,
        [
            (base, numbered(BLOB, HUGE) + zlib.compress(b"no zeros at all")),
            (small, numbered(BASE_BY_NAME, len(delta)) + base + zlib.compress(delta)),
        ],
    )

    assert refusal(work, history_in, small)[0] == TOO_LARGE


def test_a_small_file_at_the_end_of_a_long_way_of_large_ones_is_refused(
    work: UserRepository, history_in: Opened
) -> None:
    large = MAX_OBJECT.to_bytes(3, "little")
    whole = sized(MAX_OBJECT) + sized(MAX_OBJECT) + b"\xf0" + large
    names = [bytes([n]) * 20 for n in range(1, 20)]
    entries = [(names[0], numbered(BLOB, MAX_OBJECT) + zlib.compress(bytes(MAX_OBJECT)))]
    for base, name in pairwise(names):
        entry = numbered(BASE_BY_NAME, len(whole)) + base + zlib.compress(whole)
        entries.append((name, entry))
    last, small = sized(MAX_OBJECT) + sized(1) + b"\x90\x01", blob_name(b"\0")
    entries.append((small, numbered(BASE_BY_NAME, len(last)) + names[-1] + zlib.compress(last)))
    pack(work, entries)

    assert refusal(work, history_in, small)[0] == TOO_LARGE


def test_an_entry_that_inflates_to_more_than_it_states_is_damaged(
    work: UserRepository, history_in: Opened
) -> None:
    name = b"n" * 20
    pack(work, [(name, numbered(BLOB, 3) + zlib.compress(bytes(HUGE), 9))])

    told = "an entry of its pack is not of the size that it states"

    assert refusal(work, history_in, name) == (
        DENIED,
        f"cannot be read: git object {name.hex()[:12]} is damaged or lacking: {told}",
    )


@pytest.mark.parametrize(
    ("delta", "told"),
    [
        (sized(3) + sized(4) + b"\x90\x04", "copies from beyond its base"),
        (sized(3) + sized(4) + b"\x00\x00\x00\x00", "has an unknown step"),
        (sized(3) + sized(9) + b"\x01a", "makes something of another size"),
        (sized(3) + sized(1) + b"\x01a\x01b", "makes something of another size"),
        (sized(9) + sized(1) + b"\x01a", "is for another base"),
        (b"\x83" * 12, "a number in it does not end"),
        (sized(3) + sized(4) + b"\x91", "is cut off"),
    ],
)
def test_a_damaged_delta_is_told(
    delta: bytes, told: str, work: UserRepository, history_in: Opened
) -> None:
    base, name = b"b" * 20, b"n" * 20
    pack(
        work,
        [
            (base, numbered(BLOB, 3) + zlib.compress(b"abc")),
            (name, numbered(BASE_BY_NAME, len(delta)) + base + zlib.compress(delta)),
        ],
    )

    assert told in refusal(work, history_in, name)[1]


def test_an_object_under_a_wrong_name_is_refused(work: UserRepository, history_in: Opened) -> None:
    among, own = b"n" * 20, b"o" * 20
    pack(work, [(among, numbered(BLOB, 3) + zlib.compress(b"abc"))])
    loose(work, own, b"blob 3\0abc")

    for name in (among, own):
        told = refusal(work, history_in, name)[1]
        assert told.endswith("is damaged or lacking: its content is another one's")


def test_a_tree_that_names_a_file_twice_is_damaged(
    work: UserRepository, history_in: Opened
) -> None:
    blob = bytes.fromhex(work.git("rev-parse", "main:README.md"))
    data = 2 * (b"100644 plan.json\0" + blob)
    stored = b"tree %d\0" % len(data) + data
    name = sha1(stored).digest()
    loose(work, name, stored)
    history = history_in(work.folder)

    with pytest.raises(Unreadable, match=r"is damaged or lacking: it names something twice$"):
        history.tree(name.hex())
