"""Git bundles and repositories written by hand: sound ones of any files, and hostile ones."""

from __future__ import annotations

import hashlib
import struct
import zlib
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from tests.stubs.hostile.cases import PLAN
from tests.stubs.hostile.making import solved
from tests.stubs.hostile.zips import zeros_deflated

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

COMMIT, TREE, BLOB, DELTA_BY_NAME = 1, 2, 3, 7
_NAMES = {COMMIT: "commit", TREE: "tree", BLOB: "blob"}
_WHO = b"A Learner <a@example.org> 1700000000 +0000"
sha1 = partial(hashlib.sha1, usedforsecurity=False)


class Made(NamedTuple):
    """An object: its kind, its bytes, and its name."""

    kind: int
    data: bytes
    name: bytes


class Entry(NamedTuple):
    """A file, link, folder or submodule of a tree."""

    mode: bytes
    name: bytes
    of: bytes


def blob(data: bytes) -> Made:
    """Return a file's object."""
    return made_of(BLOB, data)


def tree(entries: Sequence[Entry]) -> Made:
    """Return a folder's object, its entries as they are given."""
    return made_of(TREE, b"".join(e.mode + b" " + e.name + b"\0" + e.of for e in entries))


def commit(of: bytes) -> Made:
    """Return a commit without a parent."""
    head = b"tree " + of.hex().encode()
    return made_of(COMMIT, head + b"\nauthor " + _WHO + b"\ncommitter " + _WHO + b"\n\nfeat: it\n")


def made_of(kind: int, data: bytes) -> Made:
    """Return an object under its name."""
    named = f"{_NAMES[kind]} {len(data)}".encode() + b"\0" + data
    return Made(kind, data, sha1(named).digest())


def packed(kind: int, size: int, deflated: bytes) -> bytes:
    """Return an entry of a pack, whose size may be a lie."""
    first, size = kind << 4 | size & 15, size >> 4
    head = bytearray()
    while size:
        head.append(first | 0x80)
        first, size = size & 0x7F, size >> 7
    return bytes([*head, first]) + deflated


def bundle(objects: Sequence[Made], more: Sequence[bytes] = ()) -> bytes:
    """Return a bundle of a branch `main` at the last object, with further entries of its pack."""
    entries = [packed(o.kind, len(o.data), zlib.compress(o.data, 1)) for o in objects]
    return bundle_of(objects[-1].name, [*entries, *more])


def bundle_of(head: bytes, entries: Sequence[bytes], count: int | None = None) -> bytes:
    """Return a bundle with a pack of these entries, which claims to hold `count`."""
    pack = b"PACK" + struct.pack(">II", 2, len(entries) if count is None else count)
    pack += b"".join(entries)
    name = head.hex().encode()
    refs = name + b" refs/heads/main\n" + name + b" HEAD\n"
    return b"# v2 git bundle\n" + refs + b"\n" + pack + sha1(pack).digest()


def good() -> list[Made]:
    """Return the objects of a submission that passes, the commit last."""
    objects, mode = [blob(solved())], b"100644"
    for name in reversed(PLAN.split("/")):
        objects.append(tree([Entry(mode, name.encode(), objects[-1].name)]))
        mode = b"40000"
    return [*objects, commit(objects[-1].name)]


def tree_bomb() -> bytes:
    """Return ten folders of ten folders, twelve times: a million million files in 13 objects."""
    objects = [blob(solved())]
    entry = Entry(b"100644", b"plan.json", objects[0].name)
    for _ in range(12):
        objects.append(tree([entry._replace(name=b"%d" % n) for n in range(10)]))
        entry = Entry(b"40000", b"", objects[-1].name)
    return bundle([*objects, commit(objects[-1].name)])


def delta_loop() -> bytes:
    """Return two deltas, each of which is made from the other one."""
    one, two = b"1" * 20, b"2" * 20
    delta = zlib.compress(b"\x01\x01\x90\x01")
    looped = [packed(DELTA_BY_NAME, 4, name + delta) for name in (one, two)]
    return bundle(good(), looped)


_FILE = blob(solved())
BUNDLES: dict[str, Callable[[], bytes]] = {
    "cut-short": lambda: bundle(good())[:-60],
    "no-bundle": lambda: b"# v2 git bundle\n" + bytes(200),
    "a-part-alone": lambda: bundle(good()).replace(
        b"bundle\n", b"bundle\n-" + b"1" * 40 + b" x\n", 1
    ),
    "four-billion-objects": lambda: bundle_of(good()[-1].name, [], 0xFFFFFFFF),
    "too-many-objects": lambda: bundle_of(
        good()[-1].name, [packed(BLOB, 0, zlib.compress(b""))] * 200_001
    ),
    "blob-bomb": lambda: bundle(
        good(), [packed(BLOB, 1 << 30, b"\x78\x9c" + zeros_deflated(1 << 30))]
    ),
    "tree-bomb": tree_bomb,
    "delta-loop": delta_loop,
    "head-is-a-file": lambda: bundle([_FILE]),
    "head-is-missing": lambda: bundle_of(b"7" * 20, []),
    "size-is-a-lie": lambda: bundle_of(
        good()[-1].name, [packed(o.kind, len(o.data) + 5, zlib.compress(o.data)) for o in good()]
    ),
    "sha-256-names": lambda: bundle(good()).replace(
        b"# v2 git bundle\n", b"# v3 git bundle\n@object-format=sha256\n"
    ),
    "unknown-capability": lambda: bundle(good()).replace(
        b"# v2 git bundle\n", b"# v3 git bundle\n@filter=blob:none\n"
    ),
}
