"""Packed archives: any packing, in several pieces, never more than is asked for."""

from __future__ import annotations

import gzip
import io
import lzma
from typing import TYPE_CHECKING

import pytest

from verify.sources import archive_packed
from verify.sources.archive_bytes import Damaged
from verify.sources.archive_packed import unpacked

if TYPE_CHECKING:
    from collections.abc import Callable

PACKINGS: dict[str, Callable[[bytes], bytes]] = {"gz": gzip.compress, "xz": lzma.compress}
FIRST, SECOND = b"a" * 100_000, b"b" * 50_000


@pytest.mark.parametrize("packing", PACKINGS)
def test_pieces_that_were_packed_one_by_one_are_one_whatever_zeros_stand_between(
    packing: str,
) -> None:
    pack, zeros = PACKINGS[packing], bytes(1 << 18)
    packed = pack(FIRST) + zeros + pack(SECOND) + zeros

    assert unpacked(io.BytesIO(packed), 1 << 20) == FIRST + SECOND
    assert unpacked(io.BytesIO(packed), 100_001) == FIRST + b"b"


def test_xz_that_wants_more_memory_than_it_may_have_is_damaged(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(archive_packed, "_XZ_MEMORY", 1 << 16)

    with pytest.raises(Damaged, match="does not unpack"):
        unpacked(io.BytesIO(lzma.compress(FIRST, preset=6)), 1)


@pytest.mark.parametrize("packing", PACKINGS)
def test_pieces_that_hold_something_may_be_very_many(packing: str) -> None:
    piece = PACKINGS[packing](bytes(4_096))

    assert len(unpacked(io.BytesIO(piece * 1_200), 8 << 20)) == 1_200 * 4_096


class _Pulls(io.BytesIO):
    """A file that counts how often it is read."""

    count = 0

    def read(self, size: int | None = -1, /) -> bytes:
        self.count += 1
        return super().read(size)


def test_a_name_without_end_in_a_gzip_head_is_not_read_byte_by_byte() -> None:
    packed = _Pulls(b"\x1f\x8b\x08\x08" + bytes(5) + b"\x03" + b"A" * (1 << 20))

    with pytest.raises(Damaged, match="does not unpack"):
        unpacked(packed, 1)
    assert packed.count < 100
