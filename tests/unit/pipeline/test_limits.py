"""A number of bytes is shown in units that people read."""

from __future__ import annotations

import pytest

from pipeline.limits import size_of


@pytest.mark.parametrize(
    ("count", "shown"),
    [
        (1025, "1,025 bytes"),
        (1024, "1 KiB"),
        (1 << 20, "1024 KiB"),
        (64 << 20, "64 MiB"),
        (3 << 19, "1536 KiB"),
    ],
)
def test_a_size_is_told_in_whole_units(count: int, shown: str) -> None:
    assert size_of(count) == shown
