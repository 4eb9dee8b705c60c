"""Bytes of an archive from any place, in memory, on disk, and read ahead."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verify.sources.archive_bytes import FileBytes, MemoryBytes, ReadAhead

if TYPE_CHECKING:
    from pathlib import Path

    from verify.sources.archive_bytes import Bytes

DATA = bytes(range(256)) * 400
PLACES = [(0, 10), (5, 10), (90_000, 20), (3, 50_000), (40_000, 32_768), (102_390, 100), (1, 1)]


def test_any_place_is_read_and_nothing_beyond_the_end(tmp_path: Path) -> None:
    (tmp_path / "data").write_bytes(DATA)
    file = FileBytes(str(tmp_path / "data"))
    readers: tuple[Bytes, ...] = (MemoryBytes(DATA), file, ReadAhead(file))
    found = [[data.read(*place) for place in PLACES] for data in readers]
    file.close()

    assert [data.size for data in readers] == [len(DATA)] * 3
    assert found == [[DATA[at : at + count] for at, count in PLACES]] * 3
