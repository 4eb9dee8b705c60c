"""A pack with the index that git keeps beside it: objects are found without reading the pack."""

from __future__ import annotations

import os
import struct

from verify.sources.git_deltas import DamagedObject
from verify.sources.git_packs import Packed, read_at

_HIGH = 0x80000000  # an offset that stands in the table of long ones
_TABLE = 8 + 256 * 4


class IndexedPack(Packed):
    """A pack with the index that stands beside it (version 2), which is searched where it lies.

    Raises:
        DamagedObject: the two are not what git writes.
    """

    def __init__(self, pack: int, index: int, width: int) -> None:
        super().__init__(pack, width)
        self._index = index
        head = read_at(index, _TABLE, 0)
        if len(head) < _TABLE or head[:8] != b"\xfftOc\x00\x00\x00\x02":
            raise DamagedObject("a pack's index is not of version 2")
        self._ends = list(struct.unpack_from(">256I", head, 8))
        if sorted(self._ends) != self._ends:
            raise DamagedObject("a pack's index is out of order")

    def close(self) -> None:
        """Close both files."""
        super().close()
        os.close(self._index)

    def find(self, name: bytes) -> int | None:
        """Return the offset of an object, None where the pack does not hold it."""
        low, high = (self._ends[name[0] - 1] if name[0] else 0), self._ends[name[0]]
        while low < high:
            middle = (low + high) // 2
            there = read_at(self._index, self._width, _TABLE + middle * self._width)
            if there == name:
                return self._offset(middle)
            low, high = (middle + 1, high) if there < name else (low, middle)
        return None

    def _offset(self, position: int) -> int:
        count = self._ends[-1]
        offsets = _TABLE + count * (self._width + 4)  # after the names and the checksums
        offset = self._number(4, offsets + 4 * position)
        if offset & _HIGH:
            offset = self._number(8, offsets + 4 * count + 8 * (offset ^ _HIGH))
        return offset

    def _number(self, width: int, at: int) -> int:
        data = read_at(self._index, width, at)
        if len(data) < width:
            raise DamagedObject("a pack's index is cut off")
        return int.from_bytes(data, "big")
