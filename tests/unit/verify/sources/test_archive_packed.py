"""Packed archives as a tape: any packing, in several pieces, never more than is asked for."""

from __future__ import annotations

import gzip
import io
import lzma
from typing import TYPE_CHECKING

import pytest

from verify.sources import archive_packed
from verify.sources.archive_bytes import Damaged
from verify.sources.archive_packed import Unpacked

if TYPE_CHECKING:
    from collections.abc import Callable

PACKINGS: dict[str, Callable[[bytes], bytes]] = {"gz": gzip.compress, "xz": lzma.compress}
FIRST, SECOND = b"a" * 100_000, b"b" * 50_000


@pytest.mark.parametrize("packing", PACKINGS)
def test_pieces_that_were_packed_one_by_one_are_one(packing: str) -> None:
    pack = PACKINGS[packing]
    tape = Unpacked(io.BytesIO(pack(FIRST) + pack(SECOND)))

    assert tape.take(10) == b"a" * 10
    tape.skip_to(99_999)
    assert tape.take(3) == b"abb"
    assert (tape.position, len(tape.take(1 << 20)), tape.take(1)) == (100_002, 49_998, b"")
    with pytest.raises(Damaged, match="is cut short"):
        tape.skip_to(200_000)


@pytest.mark.parametrize("packing", PACKINGS)
def test_what_does_not_unpack_is_damaged(packing: str) -> None:
    packed = PACKINGS[packing](FIRST)
    changed = packed[:40] + bytes(255 - each for each in packed[40:48]) + packed[48:]

    for content in (packed[:-4], changed):
        with pytest.raises(Damaged, match=r"^is damaged or cut short: it does not unpack$"):
            Unpacked(io.BytesIO(content)).take(1 << 20)


def test_xz_that_wants_more_memory_than_it_may_have_is_damaged(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(archive_packed, "_XZ_MEMORY", 1 << 16)

    with pytest.raises(Damaged, match="does not unpack"):
        Unpacked(io.BytesIO(lzma.compress(FIRST, preset=6))).take(1)


@pytest.mark.parametrize("packing", PACKINGS)
def test_zeros_between_and_behind_pieces_are_nothing(packing: str) -> None:
    pack = PACKINGS[packing]
    zeros = bytes(1 << 18)
    tape = Unpacked(io.BytesIO(pack(FIRST) + zeros + pack(SECOND) + zeros))

    assert tape.take(1 << 20) == FIRST + SECOND


@pytest.mark.parametrize("packing", PACKINGS)
def test_a_thousand_empty_pieces_are_enough(packing: str) -> None:
    empty = PACKINGS[packing](b"")

    assert Unpacked(io.BytesIO(empty * 1_000)).take(1) == b""
    with pytest.raises(Damaged, match=r"^is packed in too many pieces: pack it in one$"):
        Unpacked(io.BytesIO(empty * 1_001)).take(1)


@pytest.mark.parametrize("packing", PACKINGS)
def test_pieces_that_hold_something_may_be_more(packing: str) -> None:
    piece = PACKINGS[packing](bytes(4_096))
    tape = Unpacked(io.BytesIO(piece * 1_200))

    assert len(tape.take(8 << 20)) == 1_200 * 4_096


class _Pulls(io.BytesIO):
    """A file that counts how often it is read."""

    count = 0

    def read(self, size: int | None = -1, /) -> bytes:
        self.count += 1
        return super().read(size)


def test_a_name_without_end_in_a_gzip_head_is_not_read_byte_by_byte() -> None:
    named = b"\x1f\x8b\x08\x08" + bytes(5) + b"\x03" + b"A" * (1 << 20)
    packed = _Pulls(named)

    with pytest.raises(Damaged, match="does not unpack"):
        Unpacked(packed).take(1)
    assert packed.count < 100
