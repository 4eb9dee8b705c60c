"""Reads git bundles: one file with a list of refs and a pack, named in memory as far as needed."""

from __future__ import annotations

import hashlib
import zlib
from typing import TYPE_CHECKING, NamedTuple

from verify.history.deltas import DamagedObject
from verify.history.packs import KINDS, LackingBase, Packed, TooLargeObject

if TYPE_CHECKING:
    from typing import Any

    from verify.history.readers import Reader

SIGNATURES = (b"# v2 git bundle\n", b"# v3 git bundle\n")
MAX_OBJECTS = 30_000
MAX_INFLATED = 96 << 20  # bytes of all objects: to learn their names, each is inflated once
MAX_NAMING = 800_000_000  # of a pack's `work`: what its deltas' names may cost
_MAX_HEAD = 1 << 20
_FIRST_CHUNK, _CHUNK = 1 << 10, 1 << 16


class BundleHead(NamedTuple):
    """What a bundle says of itself: `refs` by name, `width` of an object's name in bytes."""

    refs: dict[str, str]
    width: int
    start: int


def read_head(reader: Reader) -> BundleHead:
    """Return the head of a bundle.

    Raises:
        DamagedObject: it is none, or holds a part of the history alone.
    """
    data = reader.read(_MAX_HEAD, 0)
    head, end, _ = data.partition(b"\n\n")
    if not data.startswith(SIGNATURES) or not end:
        raise DamagedObject("it does not begin as a bundle of git does")
    refs: dict[str, str] = {}
    width = 20
    for line in head.split(b"\n")[1:]:
        if line.startswith(b"-"):
            told = "it holds a part of the history alone"
            raise DamagedObject(f"{told}: `git bundle create NAME.bundle --all` makes a whole one")
        if line.startswith(b"@"):
            width = _width(line)
            continue
        name, _, ref = line.partition(b" ")
        refs[ref.decode("utf-8", "replace")] = name.decode("ascii", "replace")
    return BundleHead(refs, width, len(head) + 2)


def _width(capability: bytes) -> int:
    if capability == b"@object-format=sha1":
        return 20
    if capability == b"@object-format=sha256":
        return 32
    raise DamagedObject("it lacks objects, or is of a kind that is not known")


class BundlePack(Packed):
    """The pack of a bundle. It has no index: every entry is inflated once to find the next one.

    Raises:
        TooLargeObject: it holds more than is read through.
        DamagedObject: it is no pack.
    """

    def __init__(self, reader: Reader, head: BundleHead) -> None:
        super().__init__(reader, head.width, head.start)
        self._named: dict[bytes, int] = {}
        self._unnamed: list[int] = []  # deltas, the next one last
        self._waiting: dict[bytes, list[int]] = {}  # deltas by their base, which has no name yet
        self._left = MAX_INFLATED
        self.seal = ""  # the digest of all that stands in it
        self.has_large = False  # deltas that are too large cannot be named
        self._scan()
        self._unnamed.reverse()
        self._left = MAX_INFLATED

    def find(self, name: bytes) -> int | None:
        """Return the offset of an object, None where the pack does not hold it."""
        while name not in self._named and self._unnamed:
            self._name(self._unnamed.pop())
        return self._named.get(name)

    def named(self, prefix: str, most: int) -> list[bytes]:
        """Return the names of the objects that begin so, at most so many; every one is named."""
        while self._unnamed:
            self._name(self._unnamed.pop())
        found = (name for name in self._named if name.hex().startswith(prefix))
        return sorted(name for name, _ in zip(found, range(most), strict=False))

    def _base(self, name: bytes) -> int | None:
        return self._named.get(name)

    def _scan(self) -> None:
        head = self._read(12, 0)
        count = int.from_bytes(head[8:12], "big")
        if count > MAX_OBJECTS:
            raise TooLargeObject
        at = 12
        for _ in range(count):
            entry = self.entry(at)
            if entry.kind in KINDS:
                digest = _hash(self._width)
                digest.update(f"{KINDS[entry.kind]} {entry.size}".encode() + b"\0")
                end = self._passed(entry.data, digest)
                self._named[digest.digest()] = at
            else:
                end = self._passed(entry.data, None)
                self._unnamed.append(at)
            at = end
        self.seal = self._read(self._width, at).hex()

    def _passed(self, at: int, digest: Any) -> int:
        """Return where the data of an entry end; `digest` is fed with what they inflate to."""
        stream, data, chunk = zlib.decompressobj(), b"", _FIRST_CHUNK
        while not stream.eof:
            if not data:
                data = self._read(chunk, at)
                at, chunk = at + len(data), _CHUNK
                if not data:
                    raise DamagedObject("its pack is cut off")
            made = self._step(stream, data)
            data = stream.unconsumed_tail
            if digest is not None:
                digest.update(made)
        return at - len(stream.unused_data)

    def _step(self, stream: Any, data: bytes) -> bytes:
        try:
            made: bytes = stream.decompress(data, _CHUNK)
        except zlib.error:
            raise DamagedObject("an entry of its pack cannot be inflated") from None
        self._left -= len(made)
        if self._left < 0:
            raise TooLargeObject
        return made

    def _name(self, at: int) -> None:
        """Give a delta its name, or put it off until its base has got its own.

        One that is damaged gets none.
        """
        self._refuse_beyond()
        try:
            kind, data = self.object(at)
        except TooLargeObject:
            self.has_large = True
        except LackingBase as error:
            self._waiting.setdefault(error.name, []).append(at)
        except DamagedObject:
            return
        else:
            self._left -= len(data)
            self._refuse_beyond()
            name = named(kind, data, self._width)
            self._named[name] = at
            self._unnamed += self._waiting.pop(name, [])

    def _refuse_beyond(self) -> None:
        if self._left < 0 or self.work > MAX_NAMING:
            raise TooLargeObject


def named(kind: str, data: bytes, width: int) -> bytes:
    """Return the name of an object: the digest of its kind, size and bytes."""
    digest = _hash(width)
    digest.update(f"{kind} {len(data)}".encode() + b"\0")
    digest.update(data)
    return bytes(digest.digest())


def _hash(width: int) -> Any:
    return hashlib.sha1(usedforsecurity=False) if width == 20 else hashlib.sha256()  # noqa: PLR2004  # bytes of a SHA-1
