"""Reads git objects by dulwich, from bytes alone: bounded, each one checked against its name."""

from __future__ import annotations

import hashlib
import re
import zlib
from contextlib import contextmanager
from io import BytesIO
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from dulwich.object_format import SHA1
from dulwich.objects import ObjectID, parse_tree
from dulwich.pack import DELTA_TYPES, Pack, PackData, unpack_object_at

from pipeline.display import named
from pipeline.limits import MAX_BYTES, MAX_HISTORY, size_of
from pipeline.reading import DENIED, MISSING, TOO_LARGE, Unreadable, too_large

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dulwich.pack import UnpackedObject

    from verify.files import Files

MAX_OBJECT = 4 << 20  # bytes of a tree, and of any object in a file of its own
MAX_COMMIT = 256 << 10  # bytes of a commit: its message is in it
MAX_READ = 96 << 20  # bytes that the objects and deltas of a pack unpack to
PACKS = "objects/pack"
_KINDS = {1: "commit", 2: "tree", 3: "blob", 4: "tag"}
_FIRST = 12  # where a pack's first entry begins
_HEAD = 64  # bytes: more than the head of an object in a file of its own takes
_LONGEST = 10  # bytes of a number
_DAMAGED = "cannot be read: git object {} is damaged"
_MOST_NAMES = 50_000  # in one folder
_ID = re.compile(r"[0-9a-f]{40}")
_WHEN = rb"[^\n]*> ([0-9]{1,12}) [+-][0-9]{1,6}\n"
_COMMIT = re.compile(
    rb"tree ([0-9a-f]{40})\n((?:parent [0-9a-f]{40}\n){0,64})author %scommitter %s" % (_WHEN, _WHEN)
)
_ENCODING = re.compile(rb"^encoding ([^\n]+)$", re.MULTILINE)
_LATIN = (b"iso-8859-1", b"latin1", b"iso8859-1")


class Beyond(Unreadable):
    """A question that needs more of a history than is read; `what` is the limit."""

    def __init__(self, what: str) -> None:
        super().__init__(TOO_LARGE, f"could not be read within the limits: {what}")


class Commit(NamedTuple):
    """A commit; times are seconds since 1970, and claims of its author like all the rest."""

    id: str
    tree: str
    parents: tuple[str, ...]
    authored: int
    committed: int
    message: str


class TreeEntry(NamedTuple):
    """What a tree says of a name in it: git's mode, and the object's id in hexadecimal."""

    mode: int
    id: str


class Entries(PackData):
    """The entries of a pack in memory; each is counted before it is unpacked."""

    def __init__(self, data: bytes) -> None:
        self.left = MAX_READ
        self._bytes = data
        super().__init__("", SHA1, file=BytesIO(data))

    def __del__(self) -> None:
        """Release nothing: all is in memory."""

    def get_unpacked_object_at(self, offset: int, **_: bool) -> UnpackedObject:
        """Return the entry at an offset."""
        return self._entry(offset)[0]

    def iter_unpacked(self, **_: bool) -> Iterator[UnpackedObject]:
        """Yield all entries, from the first."""
        offset = _FIRST
        for _index in range(len(self)):
            entry, offset = self._entry(offset)
            yield entry

    def _entry(self, offset: int) -> tuple[UnpackedObject, int]:
        stated = _number(self._bytes, offset)[0]
        self._take(stated & 15 | stated >> 7 << 4)  # among its lowest bits is the kind
        entry, end = unpack_object_at(self._bytes, offset, SHA1.hash_func)
        if entry.pack_type_num in DELTA_TYPES:
            delta = b"".join(entry.decomp_chunks)
            self._take(_number(delta, _number(delta, 0)[1])[0])  # after the base's size
        return entry, end

    def _take(self, count: int) -> None:
        self.left -= count
        if self.left < 0:
            raise Beyond(f"a pack unpacks to more than {size_of(MAX_READ)}")


class MemoryPack(Pack):
    """A pack with its index in memory."""

    def __del__(self) -> None:
        """Release nothing: all is in memory."""


class Repository:
    """The files of a `.git` folder by their paths in it, `MAX_HISTORY` bytes at most."""

    def __init__(self, files: Files, prefix: str) -> None:
        self._files = files
        self._prefix = prefix
        self._left = MAX_HISTORY

    def read(self, path: str, limit: int = MAX_BYTES) -> bytes | None:
        """Return the bytes of a regular file, None where it is missing; raises `Unreadable`."""
        try:
            data = self._files.read(self._prefix + path, min(limit, self._left))
        except Unreadable as error:
            if error.reason == MISSING:
                return None
            if error.reason == TOO_LARGE and self._left < limit:
                most = size_of(MAX_HISTORY)
                raise Beyond(f"its files are larger than {most} together") from None
            raise Unreadable(error.reason, f"{named(path, 60)} {error}") from None
        self._left -= len(data)
        return data

    def has(self, path: str) -> bool:
        """Return whether there is a regular file at a path."""
        return self._files.is_file(self._prefix + path)

    def cut(self) -> str:
        """Return why a part of the history is missing here, empty where nothing says so."""
        if self.has("shallow"):
            return "the clone is shallow (git fetch --unshallow)"
        if self.has("objects/info/alternates"):  # asked whether it exists, never read
            return "the repositories that this one borrows from are not read"
        is_partial = any(name.endswith(".promisor") for name in self.names(PACKS))
        return "the clone is partial, made with a filter" if is_partial else ""

    def names(self, path: str, most: int = _MOST_NAMES) -> list[str]:
        """Return the sorted names in a folder, none where it is missing; raises `Unreadable`."""
        try:
            return self._files.names(self._prefix + path, most)
        except Unreadable as error:
            if error.reason == MISSING:
                return []
            raise


class Objects:
    """The objects of packs, and those that a repository has in files of their own."""

    def __init__(self, packs: Sequence[Pack], repository: Repository | None = None) -> None:
        self._packs = packs
        self._repository = repository

    def read(self, name: str, limit: int = MAX_OBJECT) -> tuple[str, bytes]:
        """Return an object's kind and bytes by its full id; raises `Unreadable`, `Beyond`."""
        with refusing(_DAMAGED.format(name[:12])):
            found = self._packed(ObjectID(name.encode())) or self._loose(name)
            if found is not None and _id(*found) != name:
                raise ValueError("the content of another object")
        if found is None:
            cut = self._repository.cut() if self._repository else ""
            reason = f"cannot be read: git object {name[:12]} is missing"
            raise Unreadable(DENIED, f"{reason}: {cut}" if cut else reason)
        if len(found[1]) > limit:
            raise too_large(limit)
        return found

    def commit(self, name: str) -> Commit:
        """Return a commit by its full id; raises `Unreadable`."""
        with self._parsing("commit", name, MAX_COMMIT) as data:
            return _commit(name, data)

    def tree(self, name: str) -> dict[bytes, TreeEntry]:
        """Return the entries of a tree by their names; raises `Unreadable`."""
        with self._parsing("tree", name, MAX_OBJECT) as data:
            entries = list(parse_tree(data, SHA1.oid_length))
            found = {each: TreeEntry(mode, of.decode()) for each, mode, of in entries}
            if len(found) != len(entries) or any(b"/" in each or not each for each in found):
                raise ValueError("a name twice, or a path")
            return found

    def matches(self, prefix: str, most: int) -> list[str]:
        """Return the full ids that begin with two hexadecimal digits or more, at most so many."""
        found: set[str] = set()
        with refusing("cannot be read: the index of a pack is damaged"):
            whole = bytes.fromhex(prefix[: len(prefix) & ~1])
            for pack in self._packs:
                names = (name.hex() for name in pack.index.iter_prefix(whole))
                found.update(islice((each for each in names if each.startswith(prefix)), most))
        if self._repository is not None:
            rest = self._repository.names(f"objects/{prefix[:2]}")
            names = (prefix[:2] + each for each in rest)
            found.update(name for name in names if name.startswith(prefix) and is_id(name))
        return sorted(found)[:most]

    @contextmanager
    def _parsing(self, kind: str, name: str, limit: int) -> Iterator[bytes]:
        found, data = self.read(name, limit)
        if found != kind:
            raise Unreadable(DENIED, f"cannot be read: git object {name[:12]} is not a {kind}")
        with refusing(_DAMAGED.format(name[:12])):
            yield data

    def _packed(self, name: ObjectID) -> tuple[str, bytes] | None:
        kind, data = next((pack.get_raw(name) for pack in self._packs if name in pack), (0, b""))
        return (_KINDS[kind], data) if kind else None

    def _loose(self, name: str) -> tuple[str, bytes] | None:
        path = f"objects/{name[:2]}/{name[2:]}"
        stored = self._repository.read(path, 2 * MAX_OBJECT) if self._repository else None
        if stored is None:
            return None
        stream = zlib.decompressobj()
        data = stream.decompress(stored, MAX_OBJECT + _HEAD)
        if stream.unconsumed_tail:
            raise too_large(MAX_OBJECT)
        head, _, body = data.partition(b"\0")
        return head.partition(b" ")[0].decode(), body


@contextmanager
def refusing(sentence: str) -> Iterator[None]:
    """Refuse what dulwich cannot read of hostile bytes, whatever it raises, as `Unreadable`."""
    try:
        yield
    except (Unreadable, OSError):  # the second is our own fault, or the disk's
        raise
    except MemoryError:
        raise Beyond("it needs too much memory") from None
    except Exception:  # noqa: BLE001  # it documents none: assertions, KeyError, zlib.error and others
        raise Unreadable(DENIED, sentence) from None


def is_id(text: str) -> bool:
    """Return whether a text is the full id of an object: SHA-1 in hexadecimal."""
    return _ID.fullmatch(text) is not None


def _id(kind: str, data: bytes) -> str:
    if kind not in _KINDS.values():
        raise ValueError("an unknown kind")
    head = f"{kind} {len(data)}\0".encode()
    return hashlib.sha1(head + data, usedforsecurity=False).hexdigest()


def _number(data: bytes, at: int) -> tuple[int, int]:
    """Return a number of 7 bits a byte, the lowest first, and where it ends."""
    value = 0
    for index, byte in enumerate(data[at : at + _LONGEST]):
        value |= (byte & 0x7F) << 7 * index
        if byte < 0x80:  # noqa: PLR2004  # the last byte
            return value, at + index + 1
    raise ValueError("a number without an end")


def _commit(name: str, data: bytes) -> Commit:
    form = _COMMIT.match(data)
    if form is None:
        raise ValueError("not as git writes a commit")
    head, _, message = data.partition(b"\n\n")
    encoding = _ENCODING.search(head)
    is_latin = encoding is not None and encoding[1].lower().replace(b"_", b"-") in _LATIN
    text = message.decode("latin-1" if is_latin else "utf-8", "replace").replace("\r\n", "\n")
    parents = tuple(line[7:] for line in form[2].decode().splitlines())
    return Commit(name, form[1].decode(), parents, int(form[3]), int(form[4]), text.strip())
