"""Bytes of an archive from any place, in memory, on disk, and read ahead."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from verify.sources.archive_bytes import Damaged, FileBytes, MemoryBytes, ReadAhead

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


def test_only_a_regular_file_is_opened_and_a_link_only_where_it_may_be_one(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"1")
    (tmp_path / "link").symlink_to("file")
    os.mkfifo(tmp_path / "pipe")
    followed = FileBytes(str(tmp_path / "link"))

    assert followed.read(0, 9) == b"1"
    followed.close()
    with pytest.raises(OSError, match="symbolic links"):
        FileBytes(str(tmp_path / "link"), follow=False)
    for name in ("pipe", "."):
        with pytest.raises(Damaged, match="is not a regular file"):
            FileBytes(str(tmp_path / name))
