"""Bytes at a place are the same from memory and from a file, and none where there are none."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from verify.history.readers import FileReader, MemoryReader

if TYPE_CHECKING:
    from pathlib import Path

    from verify.history.readers import Reader

DATA = bytes(range(100))


@pytest.fixture(params=["memory", "file"])
def reader(request: pytest.FixtureRequest, tmp_path: Path) -> Reader:
    (tmp_path / "data").write_bytes(DATA)
    if request.param == "memory":
        return MemoryReader(DATA)
    return FileReader(os.open(tmp_path / "data", os.O_RDONLY))


def test_bytes_are_read_from_a_place(reader: Reader) -> None:
    places = [(3, 0), (3, 98), (3, 100), (3, 1 << 60), (3, -2)]
    found = [reader.read(*place) for place in places]
    reader.close()

    assert found == [DATA[:3], DATA[98:], b"", b"", b""]
