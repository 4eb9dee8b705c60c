"""Writes git bundles without git, the same bytes everywhere: the histories of the fixtures."""

from __future__ import annotations

import hashlib
import struct
import zlib
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_HEAD = "# v2 git bundle\n"
_NUMBERS = {"commit": 1, "tree": 2, "blob": 3}
_WHO = "A Learner <learner@example.org>"
_MORE = 0x80


class Stamp(NamedTuple):
    """When a commit was written and made, in seconds since 1970."""

    authored: int
    committed: int


class Bundle:
    """Objects by their ids, as (kind, bytes), and refs: all that a bundle holds."""

    def __init__(self) -> None:
        self.objects: dict[str, tuple[str, bytes]] = {}
        self.refs: dict[str, str] = {}

    def add(self, kind: str, data: bytes) -> str:
        """Add an object and return its id."""
        stored = f"{kind} {len(data)}".encode() + b"\0" + data
        name = hashlib.sha1(stored, usedforsecurity=False).hexdigest()
        self.objects[name] = (kind, data)
        return name

    def tree(self, files: Mapping[str, bytes]) -> str:
        """Add the folder that holds the files, by their paths, and return its id."""
        below: dict[str, dict[str, bytes]] = {}
        entries: list[tuple[bytes, bytes]] = []
        for path, data in files.items():
            name, _, rest = path.partition("/")
            if rest:
                below.setdefault(name, {})[rest] = data
            else:
                line = f"100644 {name}\0".encode() + bytes.fromhex(self.add("blob", data))
                entries.append((name.encode(), line))
        for name, inner in below.items():
            line = f"40000 {name}\0".encode() + bytes.fromhex(self.tree(inner))
            entries.append((f"{name}/".encode(), line))  # git sorts a folder as if it ended so
        return self.add("tree", b"".join(line for _, line in sorted(entries)))

    def commit(self, tree: str, parents: Sequence[str], stamp: Stamp, message: str) -> str:
        """Add a commit and return its id."""
        lines = [
            f"tree {tree}",
            *(f"parent {parent}" for parent in parents),
            f"author {_WHO} {stamp.authored} +0000",
            f"committer {_WHO} {stamp.committed} +0000",
        ]
        return self.add("commit", "\n".join([*lines, "", f"{message}\n"]).encode())

    def data(self) -> bytes:
        """Return the bundle's bytes: nothing in it is compressed, since that differs by version."""
        refs = "".join(f"{name} {ref}\n" for ref, name in self.refs.items())
        entries = b"".join(
            _sized(_NUMBERS[kind], len(data)) + zlib.compress(data, 0)
            for kind, data in self.objects.values()
        )
        pack = b"PACK" + struct.pack(">II", 2, len(self.objects)) + entries
        return (
            f"{_HEAD}{refs}\n".encode() + pack + hashlib.sha1(pack, usedforsecurity=False).digest()
        )


def _sized(number: int, size: int) -> bytes:
    """Return the head of a pack's entry."""
    byte, size = number << 4 | size & 15, size >> 4
    made = bytearray()
    while size:
        made.append(byte | _MORE)
        byte, size = size & 0x7F, size >> 7
    return bytes([*made, byte])
