"""Reads objects out of git's packs: sizes are looked at first, chains and inflating are bounded."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, NamedTuple

from verify.history.deltas import DamagedObject, applied, distance_at, number_at, sizes

if TYPE_CHECKING:
    from verify.history.readers import Reader

KINDS = {1: "commit", 2: "tree", 3: "blob", 4: "tag"}
MAX_OBJECT = 4 << 20  # bytes of an object, of what it is made from, and of all deltas on the way
_OFFSET_DELTA, _NAMED_DELTA = 6, 7
_MAX_CHAIN = 4096  # deltas of deltas: git itself makes no longer ones
_MAX_WORK = 64 << 20  # bytes that are made on the way to one object
MAX_RECENT = 16 << 20  # bytes of what was made, of all packs of a repository together
_FIRST = 12  # where a pack's first entry begins
_HEAD = 64  # bytes: more than any entry's own numbers take
_AT_ONCE = 1 << 14
_OF_ENTRY, _OF_DELTA_BYTE = 5_000, 400  # nanoseconds that each takes, roughly


class TooLargeObject(Exception):
    """An object that is larger, or made from more, than is read."""


class LackingBase(DamagedObject):
    """A delta whose base, called `name`, is not in its pack."""

    def __init__(self, name: bytes = b"") -> None:
        super().__init__("a delta in its pack has no base")
        self.name = name


class Entry(NamedTuple):
    """One entry of a pack: `size` is what its data inflate to, `base` an offset or a name."""

    offset: int
    kind: int
    size: int
    data: int
    base: int | bytes = 0


class Recent:
    """What was made of deltas lately, up to `MAX_RECENT` bytes: the next ones build on it.

    A repository's packs share one; a key is a pack's `id` and an entry's offset.
    """

    def __init__(self) -> None:
        self.bytes = 0
        self._kept: dict[tuple[int, int], tuple[str, bytes]] = {}

    def get(self, key: tuple[int, int]) -> tuple[str, bytes] | None:
        """Return an object's kind and bytes, None where they are not held."""
        return self._kept.get(key)

    def keep(self, key: tuple[int, int], made: tuple[str, bytes]) -> None:
        """Hold an object's kind and bytes; those that were held longest are let go."""
        self._kept[key] = made
        self.bytes += len(made[1])
        while self.bytes > MAX_RECENT:
            self.bytes -= len(self._kept.pop(next(iter(self._kept)))[1])


class Packed:
    """The entries of one pack, read by their offsets; `start` is where the pack begins.

    `work` is what reading has cost so far, in nanoseconds as they are reckoned, not as they pass:
    the same pack costs the same anywhere.
    """

    def __init__(
        self, reader: Reader, width: int, start: int = 0, recent: Recent | None = None
    ) -> None:
        self.work = 0
        self._reader = reader
        self._width = width  # bytes of an object's name
        self._start = start
        self._recent = Recent() if recent is None else recent
        if self._read(4, 0) != b"PACK":
            raise DamagedObject("a pack does not begin as one")

    def close(self) -> None:
        """Close the pack's file."""
        self._reader.close()

    def find(self, name: bytes) -> int | None:
        """Return the offset of an object, None where the pack does not hold it."""
        raise NotImplementedError

    def named(self, prefix: str, most: int) -> list[bytes]:
        """Return the names of the objects that begin so (hexadecimal digits), at most so many."""
        raise NotImplementedError

    def object(self, offset: int, limit: int = MAX_OBJECT) -> tuple[str, bytes]:
        """Return an object's kind and bytes; sizes are looked at before anything is inflated.

        Raises:
            TooLargeObject: it is larger than `limit`, or its bases or deltas are than is read.
            DamagedObject: the entries are not what git writes.
        """
        *changes, last = self._chain(offset)
        if sum(entry.size for entry in changes) > MAX_OBJECT:
            raise TooLargeObject
        self.work += last.size + _OF_DELTA_BYTE * sum(entry.size for entry in changes)
        deltas = [self._inflated(entry) for entry in changes]
        made = [sizes(delta)[1] for delta in deltas]
        if (made[0] if made else last.size) > limit or sum(made) > _MAX_WORK:
            raise TooLargeObject
        if max(made, default=0) > MAX_OBJECT or last.size > MAX_OBJECT:
            raise TooLargeObject
        self.work += sum(made)
        kind, data = self._recent.get((id(self), last.offset)) or (
            KINDS[last.kind],
            self._inflated(last),
        )
        for entry, delta in zip(reversed(changes), reversed(deltas), strict=True):
            data = applied(delta, data)
            self._recent.keep((id(self), entry.offset), (kind, data))
        return kind, data

    def entry(self, offset: int) -> Entry:
        """Return what the entry at an offset says of itself."""
        self.work += _OF_ENTRY
        head = self._read(_HEAD, offset)
        if not head:
            raise DamagedObject("an entry of its pack lies beyond the end")
        kind, size, at = head[0] >> 4 & 7, head[0] & 15, 1
        if head[0] & 0x80:
            high, at = number_at(head, 1)
            size |= high << 4
        if kind == _OFFSET_DELTA:
            back, at = distance_at(head, at)
            if not _FIRST <= offset - back < offset:
                raise LackingBase
            return Entry(offset, kind, size, offset + at, offset - back)
        if kind == _NAMED_DELTA:
            name = head[at : at + self._width]
            if len(name) < self._width:
                raise DamagedObject("a pack is cut off")
            return Entry(offset, kind, size, offset + at + self._width, name)
        if kind not in KINDS:
            raise DamagedObject("an entry of its pack is of an unknown kind")
        return Entry(offset, kind, size, offset + at)

    def _chain(self, offset: int) -> list[Entry]:
        """Return an entry, then its base, and so on down to one that is whole, or was made."""
        chain = [self.entry(offset)]
        while len(chain) <= _MAX_CHAIN:
            entry = chain[-1]
            if entry.kind in KINDS or self._recent.get((id(self), entry.offset)):
                return chain
            chain.append(self.entry(self._place(entry.base)))
        raise DamagedObject("a delta in its pack has no end of bases")

    def _place(self, base: int | bytes) -> int:
        """Return the offset of a delta's base; raises `LackingBase`."""
        place = self._base(base) if isinstance(base, bytes) else base
        if place is None:
            raise LackingBase(base if isinstance(base, bytes) else b"")
        return place

    def _base(self, name: bytes) -> int | None:
        return self.find(name)

    def _inflated(self, entry: Entry) -> bytes:
        """Return an entry's data, which must be of the size that the entry states."""
        stream, made, at = zlib.decompressobj(), bytearray(), entry.data
        until = at + 2 * entry.size + _AT_ONCE  # empty blocks could go on for ever
        try:
            while len(made) < entry.size and not stream.eof and at < until:
                taken = self._read(min(_AT_ONCE, entry.size + _HEAD), at)
                at += len(taken)
                most = entry.size + 1 - len(made)
                made += stream.decompress(stream.unconsumed_tail + taken, most)
                if not taken:
                    break
        except zlib.error:
            raise DamagedObject("an entry of its pack cannot be inflated") from None
        if len(made) != entry.size:
            raise DamagedObject("an entry of its pack is not of the size that it states")
        return bytes(made)

    def _read(self, count: int, offset: int) -> bytes:
        return self._reader.read(count, self._start + offset)
