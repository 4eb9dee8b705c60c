"""Naming what a hostile bundle holds ends early: a delta waits for its base, not for any other."""

from __future__ import annotations

import hashlib
import struct
import zlib

import pytest

from verify.history.bundles import BundlePack, named, read_head
from verify.history.deltas import DamagedObject
from verify.history.packs import TooLargeObject
from verify.history.readers import MemoryReader

BLOB, BY_DISTANCE, BY_NAME = 0x30, 0x60, 0x70
ABSENT = b"?" * 20
BASE = BLOB + 5, b"", b"aaaaa"


def same(last: int) -> bytes:
    """Return a delta that makes of five bytes another five."""
    return b"\x05\x05\x90\x04\x01" + bytes([last])


def opened(entries: list[tuple[int, bytes, bytes]]) -> BundlePack:
    """Return the pack of a bundle of (first byte, base, data) entries."""
    body = b"".join(bytes([first]) + base + zlib.compress(data) for first, base, data in entries)
    pack = b"PACK" + struct.pack(">II", 2, len(entries)) + body
    seal = hashlib.sha1(pack, usedforsecurity=False).digest()
    reader = MemoryReader(b"# v2 git bundle\n\n" + pack + seal)
    return BundlePack(reader, read_head(reader))


def delta(base: bytes, last: int) -> tuple[int, bytes, bytes]:
    return BY_NAME + 6, base, same(last)


@pytest.mark.parametrize("distance", [b"\x00", b"\x7f"])
def test_a_delta_that_is_its_own_base_or_lies_before_the_first_is_damage(distance: bytes) -> None:
    with pytest.raises(DamagedObject, match=r"^a delta in its pack has no base$"):
        opened([BASE, (BY_DISTANCE + 6, distance, same(1))])


def test_a_delta_is_named_once_its_base_is() -> None:
    one, other = (named("blob", b"aaaa" + last, 20) for last in (b"\1", b"\2"))
    pack = opened([delta(other, 3), delta(one, 2), BASE, delta(named("blob", b"aaaaa", 20), 1)])
    places = [pack.find(named("blob", b"aaaa" + bytes([last]), 20)) for last in (1, 2, 3)]

    assert [pack.object(place)[1] for place in places if place] == [
        b"aaaa\1",
        b"aaaa\2",
        b"aaaa\3",
    ]


def test_deltas_whose_base_is_absent_are_not_tried_again_for_each_other_one() -> None:
    base = named("blob", b"aaaaa", 20)
    entries = [each for last in range(200) for each in (delta(ABSENT, last), delta(base, last))]
    pack = opened([BASE, *entries])

    assert pack.find(b"!" * 20) is None
    assert pack.work < 10_000_000


def test_trying_in_vain_counts_until_no_more_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("verify.history.bundles.MAX_NAMING", 1_500_000)
    pack = opened([BASE, *[delta(ABSENT, 1)] * 200])

    with pytest.raises(TooLargeObject):
        pack.find(b"!" * 20)
    with pytest.raises(TooLargeObject):
        pack.named("ab", 2)


def test_a_bundle_that_inflates_to_too_much_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("verify.history.bundles.MAX_INFLATED", 4)

    with pytest.raises(TooLargeObject):
        opened([BASE])
