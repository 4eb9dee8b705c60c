"""Reads the objects of a git repository or bundle: bounded, each one checked against its name."""

from __future__ import annotations

import re
import zlib
from typing import TYPE_CHECKING, NamedTuple

from pipeline.reading import DENIED, MISSING, TOO_LARGE, Unreadable, too_large
from verify.history.branches import is_id
from verify.history.bundles import named
from verify.history.deltas import DamagedObject
from verify.history.packs import MAX_OBJECT, TooLargeObject
from verify.history.repositories import ALTERNATES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from verify.history.files import Files
    from verify.history.packs import Packed

KIND_OF_MODE, FOLDER_MODE = 0o170000, 0o040000  # of a tree's entries
_HEAD = 64  # bytes: more than an object's kind and size take
_ENTRIES = {  # by the length of a name: mode, name, the object's own
    2 * width: re.compile(rb"([0-7]{5,6}) ([^\0/]+)\0([\0-\xff]{%d})" % width) for width in (20, 32)
}
_MAX_LOOSE = 50_000  # names in one folder of objects in files of their own
_OF_LOOSE = 60_000  # nanoseconds that such an object takes, roughly


class TreeEntry(NamedTuple):
    """What a tree says of a name in it: git's mode, and the object's name in hexadecimal."""

    mode: int
    id: str


class Objects:
    """The objects of one repository: those of packs, and those in files of their own.

    Nothing else of the repository is read: no configuration, hook, alternate, replacement, graft.
    Every object is checked against its name.
    """

    def __init__(self, packs: Iterable[Packed], files: Files | None = None) -> None:
        self._packs = tuple(packs)
        self._files = files
        self._work = 0

    @property
    def work(self) -> int:
        """Return what reading has cost, in nanoseconds as they are reckoned."""
        return self._work + sum(pack.work for pack in self._packs)

    def close(self) -> None:
        """Close every file that is held open."""
        for pack in self._packs:
            pack.close()

    def tree(self, name: str) -> dict[bytes, TreeEntry]:
        """Return the entries of a tree by their names.

        Raises:
            Unreadable: it is damaged, lacking, or names something twice.
        """
        kind, data = self.read(name)
        if kind != "tree":
            raise damaged(name, "it is no tree")
        return _entries(name, data)

    def read(self, name: str, limit: int = MAX_OBJECT) -> tuple[str, bytes]:
        """Return an object's kind and bytes.

        Raises:
            Unreadable: it is damaged, lacking, or larger than `limit` bytes, which is looked at
                before it is inflated.
        """
        key = bytes.fromhex(name)
        try:
            kind, data = self._packed(key, limit) or self._loose(name, limit) or self._lacking(name)
        except TooLargeObject:
            raise too_large(limit) from None
        except DamagedObject as error:
            raise damaged(name, str(error)) from None
        if named(kind, data, len(key)) != key:
            raise damaged(name, "its content is another one's")
        return kind, data

    def matches(self, prefix: str, most: int) -> list[str]:
        """Return the full names that begin so, at most so many; raises `Unreadable`.

        `prefix` is of two hexadecimal digits at least, in lower case.
        """
        try:
            found = {name.hex() for pack in self._packs for name in pack.named(prefix, most)}
        except TooLargeObject:
            raise Unreadable(TOO_LARGE, "holds more than a grader reads through") from None
        except DamagedObject as error:
            raise damaged(prefix, str(error)) from None
        if self._files is not None:
            folder = f"objects/{prefix[:2]}"
            names = (prefix[:2] + rest for rest in self._files.names(folder, _MAX_LOOSE))
            found.update(name for name in names if name.startswith(prefix) and is_id(name))
        return sorted(found)[:most]

    def _packed(self, key: bytes, limit: int) -> tuple[str, bytes] | None:
        for pack in self._packs:
            offset = pack.find(key)
            if offset is not None:
                return pack.object(offset, limit)
        return None

    def _loose(self, name: str, limit: int) -> tuple[str, bytes] | None:
        if self._files is None:
            return None
        try:
            stored = self._files.read(f"objects/{name[:2]}/{name[2:]}", 2 * MAX_OBJECT)
        except Unreadable as error:
            if error.reason == MISSING:
                return None
            raise
        self._work += _OF_LOOSE + len(stored)
        return _inflated(stored, limit)

    def _lacking(self, name: str) -> tuple[str, bytes]:
        if any(getattr(pack, "has_large", False) for pack in self._packs):
            raise TooLargeObject
        told = "it is not there"
        if self._files is not None and self._files.has("shallow"):
            told += ": the clone is shallow (git fetch --unshallow)"
        if self._files is not None and self._files.has(ALTERNATES):
            told += ", and the other repositories that this one borrows from are not read"
        raise damaged(name, told)


def _inflated(stored: bytes, limit: int) -> tuple[str, bytes]:
    """Return the kind and bytes of an object in a file of its own."""
    stream = zlib.decompressobj()
    try:
        head = stream.decompress(stored, _HEAD)
        label, end, begun = head.partition(b"\0")
        kind, _, digits = label.partition(b" ")
        if not end or not digits.isdigit() or len(digits) > 19:  # noqa: PLR2004  # as any file's size
            raise DamagedObject("its head is not what git writes")
        size = int(digits)
        if size > limit:
            raise TooLargeObject
        data = begun + stream.decompress(stream.unconsumed_tail, size + 1)
    except zlib.error:
        raise DamagedObject("it cannot be inflated") from None
    return kind.decode("ascii", "replace"), data  # of another size, it has another name


def _entries(name: str, data: bytes) -> dict[bytes, TreeEntry]:
    found = list(_ENTRIES[len(name)].finditer(data))
    entries = {each[2]: TreeEntry(int(each[1], 8), each[3].hex()) for each in found}
    if sum(each.end() - each.start() for each in found) != len(data):
        raise damaged(name, "it is not a tree as git writes it")
    if len(entries) != len(found):
        raise damaged(name, "it names something twice")
    return entries


def damaged(name: str, told: str) -> Unreadable:
    """Return what is said of an object that cannot be read."""
    return Unreadable(
        DENIED, f"cannot be read: git object {name[:12]} is damaged or lacking: {told}"
    )
