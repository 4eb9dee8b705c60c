"""Reads git objects with dulwich, from bytes alone: bounded, each one checked against its id."""

from __future__ import annotations

import hashlib
import re
import zlib
from contextlib import contextmanager, suppress
from io import BytesIO
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from dulwich.object_format import SHA1
from dulwich.objects import ObjectID, ShaFile, object_class, parse_tree
from dulwich.pack import DELTA_TYPES, Pack, PackData, load_pack_index_file, unpack_object_at

from pipeline.files import (
    DENIED,
    MAX_BYTES,
    MAX_HISTORY,
    MISSING,
    TOO_LARGE,
    Unreadable,
    size_of,
    too_large,
)
from pipeline.terminal.display import named
from verify.submissions.history.faults import ELSEWHERE, PART, PARTIAL, SHALLOW, BeyondLimits

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

    from dulwich.pack import UnpackedObject

    from verify.submissions.files import Files

MAX_OBJECT = 4 << 20  # bytes of a tree, and of any loose object
MAX_COMMIT = 256 << 10  # bytes of a commit, with its message
MAX_READ = 128 << 20  # bytes that what is read of a pack unpacks to, or one of its objects
_PACKS = "objects/pack"
_CUT = {"shallow": SHALLOW, "objects/info/alternates": ELSEWHERE}  # files, whatever is in them
_CACHE = 16 << 20  # bytes of objects that others are made of
_FIRST = 12  # where a pack's first entry begins
_HEAD = 64  # bytes: more than the head of a loose object takes
_LONGEST = 10  # bytes of a number
_MOST_NAMES = 50_000  # in one folder
_MOST_FOUND = 8  # objects with an abbreviated id
_ID = re.compile(r"[0-9a-f]{40}")
_WHEN = rb"[^\n]*> ([0-9]{1,12}) [+-][0-9]{1,6}\n"
_COMMIT = re.compile(
    rb"tree ([0-9a-f]{40})\n((?:parent [0-9a-f]{40}\n){0,64})author %scommitter %s" % (_WHEN, _WHEN)
)
_LATIN = re.compile(rb"^encoding (?:iso[-_]?8859[-_]1|latin1)$", re.MULTILINE | re.IGNORECASE)

Tree = dict[bytes, tuple[int, str]]  # git's mode and the id of each entry, by its name


class Commit(NamedTuple):
    """A commit: all of it but its id is a claim of its author."""

    id: str
    tree: str
    parents: tuple[str, ...]
    authored: int  #: seconds since 1970
    committed: int  #: as well
    message: str


class Entries(PackData):
    """The entries of a pack in memory; the size of each counts before it is unpacked."""

    def __init__(self, data: bytes) -> None:
        self.allow(MAX_READ)
        self._bytes = data
        super().__init__("", SHA1, file=BytesIO(data), delta_base_cache_limit=_CACHE)

    def __del__(self) -> None:
        """Release nothing: all is in memory."""

    def allow(self, most: int) -> None:
        """Count from here: no more bytes than these are unpacked."""
        self._most = self._left = most

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
        self._take(stated & 15 | stated >> 7 << 4)  # its lowest bits include the kind
        entry, end = unpack_object_at(self._bytes, offset, SHA1.hash_func)
        if entry.pack_type_num in DELTA_TYPES:
            delta = b"".join(entry.decomp_chunks)
            self._take(_number(delta, _number(delta, 0)[1])[0])  # after the base's size
        return entry, end

    def _take(self, count: int) -> None:
        if count > MAX_READ:
            raise BeyondLimits(f"a pack unpacks to more than {size_of(MAX_READ)}")
        self._left -= count
        if self._left < 0:
            raise BeyondLimits(f"a pack unpacks to more than {size_of(self._most)}")


class MemoryPack(Pack):
    """A pack with its index in memory."""

    def __del__(self) -> None:
        """Release nothing: all is in memory."""


class ObjectStore:
    """The files of a `.git` folder by their paths in it, and the objects; a bundle has `packs`.

    `roots` are the commits whose parents a shallow clone lacks, `lacking` those that a bundle
    lacks. `digest` is over all that was read.
    """

    def __init__(self, files: Files | None = None, prefix: str = "") -> None:
        self.digest = hashlib.sha256()
        self.packs: list[Pack] = []
        self.roots: frozenset[str] = frozenset()
        self.lacking: frozenset[str] = frozenset()
        self._files = files
        self._prefix = prefix
        self._left = MAX_HISTORY

    def read(self, path: str, limit: int = MAX_BYTES) -> bytes | None:
        """Return the bytes of a regular file, None where it is missing; raises `Unreadable`."""
        if self._files is None:
            return None
        try:
            data = self._files.read(self._prefix + path, min(limit, self._left))
        except Unreadable as error:
            if error.reason == MISSING:
                return None
            if error.reason == TOO_LARGE and self._left < limit:
                most = size_of(MAX_HISTORY)
                raise BeyondLimits(f"its files total more than {most}") from None
            raise Unreadable(error.reason, f"{named(path, 60)} {error}") from None
        self._left -= len(data)
        self.digest.update(repr((path, len(data))).encode())
        self.digest.update(data)
        return data

    def text(self, path: str) -> str:
        """Return a small file's text without the space around it, empty where it is missing."""
        return (self.read(path) or b"").decode("utf-8", "replace").strip()

    def has(self, path: str) -> bool:
        """Return whether there is a regular file at a path."""
        return self._files is not None and self._files.is_file(self._prefix + path)

    def is_folder(self, path: str) -> bool:
        """Return whether there is a folder at a path, reached without a link."""
        with suppress(Unreadable):
            return self._files is not None and self._files.names(self._prefix + path, 1) is not None
        return False

    def names(self, path: str) -> list[str]:
        """Return the sorted names in a folder, none where it is missing; raises `Unreadable`."""
        if self._files is None:
            return []
        try:
            found = self._files.names(self._prefix + path, _MOST_NAMES)
        except Unreadable as error:
            if error.reason == MISSING:
                return []
            raise
        self.digest.update(repr(found).encode("utf-8", "surrogateescape"))
        return found

    def load(self) -> None:
        """Read the packs and the roots; raises `Unreadable`, and what dulwich raises."""
        names = self.names(_PACKS)
        for stem in (name[:-4] for name in names if name.endswith(".idx")):
            if f"{stem}.pack" in names:
                ends = (f"{_PACKS}/{stem}.pack", f"{_PACKS}/{stem}.idx")
                data, index = (self.read(path, MAX_HISTORY) or b"" for path in ends)
                with BytesIO(index) as file:
                    found = load_pack_index_file("", file, SHA1)
                self.packs.append(MemoryPack.from_objects(Entries(data), found))
        self.roots = frozenset(self.text("shallow").split())
        for folder in self.names("objects"):
            if len(folder) == 2:  # noqa: PLR2004  # digits
                self.names(f"objects/{folder}")  # for the digest

    def cut(self) -> str:
        """Return why a part of the history is missing here, empty where nothing says so."""
        if self.lacking:
            return PART
        if any(name.endswith(".promisor") for name in self.names(_PACKS)):
            return PARTIAL
        return next((why for path, why in _CUT.items() if self.has(path)), "")

    def commit(self, name: str) -> Commit:
        """Return a commit by its full id, without the parents of a root; raises `Unreadable`."""
        with _reading(name):
            data = self._object(name, "commit", MAX_COMMIT).as_raw_string()
            form = _COMMIT.match(data)
            if form is None:
                raise ValueError("not in the form of a commit")
            head, _, message = data.partition(b"\n\n")
            text = message.decode("latin-1" if _LATIN.search(head) else "utf-8", "replace")
            text = text.replace("\r\n", "\n").strip()
            parents = () if name in self.roots else form[2].decode().split()[1::2]
            parents = [parent for parent in parents if parent not in self.lacking]
            times = int(form[3]), int(form[4])
            return Commit(name, form[1].decode(), tuple(parents), *times, text)

    def tree(self, name: str) -> Tree:
        """Return git's mode and the id of each entry of a tree; raises `Unreadable`."""
        with _reading(name):
            entries = list(parse_tree(self._object(name, "tree").as_raw_string(), SHA1.oid_length))
            found = {name: (mode, of.decode()) for name, mode, of in entries}
            if len(found) != len(entries) or any(b"/" in name or not name for name in found):
                raise ValueError("a repeated name, or a path")
            return found

    def __getitem__(self, name: ObjectID) -> ShaFile:
        """Return an object, as dulwich asks for it; raises `Unreadable`."""
        return self._object(name.decode())

    def stores(self, name: str) -> bool:
        """Return whether there is an object with a full id."""
        with refusing("cannot be read: the index of a pack is damaged"):
            is_packed = any(ObjectID(name.encode()) in pack for pack in self.packs)
        return is_packed or self.has(f"objects/{name[:2]}/{name[2:]}")

    def blob(self, name: str) -> bytes:
        """Return a file's bytes by its id; raises `Unreadable`."""
        return self._object(name, "blob").as_raw_string()

    def find(self, prefix: str) -> dict[str, str]:
        """Return the kinds of the objects whose ids begin with two digits or more, by id."""
        found: set[str] = set()
        with refusing("cannot be read: the index of a pack is damaged"):
            whole = bytes.fromhex(prefix[: len(prefix) & ~1])
            for pack in self.packs:
                names = (name.hex() for name in pack.index.iter_prefix(whole))
                found.update(
                    islice((name for name in names if name.startswith(prefix)), _MOST_FOUND)
                )
        names = (prefix[:2] + digits for digits in self.names(f"objects/{prefix[:2]}"))
        found.update(name for name in names if name.startswith(prefix) and is_id(name))
        return {name: self._object(name).type_name.decode() for name in sorted(found)[:_MOST_FOUND]}

    def _object(self, name: str, kind: str = "", limit: int = MAX_OBJECT) -> ShaFile:
        """Return an object, of a kind if one is named; raises `Unreadable`."""
        begun, full = f"cannot be read: git object {name[:12]}", ObjectID(name.encode())
        with _reading(name):
            packed = next((pack for pack in self.packs if full in pack), None)
            stored = packed.get_raw(full) if packed is not None else self._loose(name)
            if stored is None:
                cut = self.cut()
                raise Unreadable(DENIED, f"{begun} is missing{cut and f': {cut}'}")
            found = ShaFile.from_raw_string(*stored, verify_sha=full)
        if kind not in ("", found.type_name.decode()):
            raise Unreadable(DENIED, f"{begun} is not a {kind}")
        if len(stored[1]) > limit:
            raise too_large(limit)
        return found

    def _loose(self, name: str) -> tuple[int, bytes] | None:
        stored = self.read(f"objects/{name[:2]}/{name[2:]}", 2 * MAX_OBJECT)
        if stored is None:
            return None
        stream = zlib.decompressobj()
        data = stream.decompress(stored, MAX_OBJECT + _HEAD)
        if stream.unconsumed_tail:
            raise too_large(MAX_OBJECT)
        head, _, body = data.partition(b"\0")
        kind = object_class(head.partition(b" ")[0])
        return (kind.type_num, body) if kind else (0, body)


@contextmanager
def refusing(sentence: str, place: str = "") -> Iterator[None]:
    """Turn any exception of dulwich on hostile bytes into `Unreadable`."""
    begun = f"{place} cannot be read: " if place else ""
    try:
        yield
    except Unreadable as error:
        text = f"{begun}{error}".replace("cannot be read: cannot be read", "cannot be read")
        raise Unreadable(error.reason, text) from None
    except OSError:  # our own fault, or the disk's
        raise
    except MemoryError:
        raise BeyondLimits("it needs too much memory") from None
    except Exception:  # noqa: BLE001  # undocumented: AssertionError, KeyError, zlib.error and others
        raise Unreadable(DENIED, begun + sentence) from None


def _reading(name: str) -> AbstractContextManager[None]:
    return refusing(f"cannot be read: git object {name[:12]} is damaged")


def is_id(text: str) -> bool:
    """Return whether a text is the full id of an object: SHA-1 in hexadecimal."""
    return _ID.fullmatch(text) is not None


def _number(data: bytes, at: int) -> tuple[int, int]:
    """Return a number with 7 bits in each byte, the lowest first, and where it ends."""
    for end in range(at + 1, at + _LONGEST + 1):
        if data[end - 1] <= 0x7F:  # noqa: PLR2004  # the others have the highest bit, too
            return sum((byte & 0x7F) << 7 * n for n, byte in enumerate(data[at:end])), end
    raise ValueError("a number that does not end")
