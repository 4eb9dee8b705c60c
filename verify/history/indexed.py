"""A pack with the index that git keeps beside it: objects are found without reading the pack."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from verify.history.deltas import DamagedObject
from verify.history.packs import Packed

if TYPE_CHECKING:
    from verify.history.packs import Recent
    from verify.history.readers import Reader

_HIGH = 0x80000000  # an offset that stands in the table of long ones
_TABLE = 8 + 256 * 4
_OF_NAME = 1_500  # nanoseconds that a look at a name takes, roughly


class IndexedPack(Packed):
    """A pack with the index that stands beside it (version 2), searched where it lies.

    Raises:
        DamagedObject: the two are not what git writes.
    """

    def __init__(
        self, pack: Reader, index: Reader, width: int, recent: Recent | None = None
    ) -> None:
        super().__init__(pack, width, recent=recent)
        self._index = index
        head = index.read(_TABLE, 0)
        if len(head) < _TABLE or head[:8] != b"\xfftOc\x00\x00\x00\x02":
            raise DamagedObject("a pack's index is not of version 2")
        self._ends = list(struct.unpack_from(">256I", head, 8))
        if sorted(self._ends) != self._ends:
            raise DamagedObject("a pack's index is out of order")

    def close(self) -> None:
        """Close both files."""
        super().close()
        self._index.close()

    def find(self, name: bytes) -> int | None:
        """Return the offset of an object, None where the pack does not hold it."""
        position = self._position(name)
        return self._offset(position) if self._name(position) == name else None

    def named(self, prefix: str, most: int) -> list[bytes]:
        """Return the names of the objects that begin so, at most so many."""
        first = self._position(bytes.fromhex(prefix.ljust(2 * self._width, "0")))
        found = [self._name(position) for position in range(first, first + most)]
        return [name for name in found if name.hex().startswith(prefix)]

    def _position(self, name: bytes) -> int:
        """Return where a name stands in the index, or the first one after it."""
        low, high = (self._ends[name[0] - 1] if name[0] else 0), self._ends[name[0]]
        while low < high:
            middle = (low + high) // 2
            low, high = (middle + 1, high) if self._name(middle) < name else (low, middle)
        return low

    def _name(self, position: int) -> bytes:
        """Return the name at a position, empty beyond the last one."""
        self.work += _OF_NAME
        if position >= self._ends[-1]:
            return b""
        return self._index.read(self._width, _TABLE + position * self._width)

    def _offset(self, position: int) -> int:
        count = self._ends[-1]
        offsets = _TABLE + count * (self._width + 4)  # after the names and the checksums
        offset = self._number(4, offsets + 4 * position)
        if offset & _HIGH:
            offset = self._number(8, offsets + 4 * count + 8 * (offset ^ _HIGH))
        return offset

    def _number(self, width: int, at: int) -> int:
        data = self._index.read(width, at)
        if len(data) < width:
            raise DamagedObject("a pack's index is cut off")
        return int.from_bytes(data, "big")
