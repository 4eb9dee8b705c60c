"""What an instructor downloaded: a folder or one zip, its entries, and how each one is opened."""

from __future__ import annotations

import itertools
import os
import re
import stat
from functools import lru_cache
from io import BytesIO
from typing import TYPE_CHECKING, NamedTuple, Protocol

from pipeline.display import listed, named, visible
from pipeline.limits import MAX_NESTED_ARCHIVE
from pipeline.reading import NO_FOLLOW_FLAGS, Unreadable, read_descriptor
from verify.archives import bounded_zip, member_path, open_archive, zip_member
from verify.files import SUBMIT, NoSubmission, Unresolved, is_debris
from verify.intake.platforms.base import archive_suffix
from verify.members import FILE, FOLDER, Member, Members
from verify.submission import open_content

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from verify.files import Files

MAX_METADATA = 32 << 20  # bytes of a platform's own file about all submissions
MAX_DIRECTORY, MAX_MEMBERS = 512 << 20, 4_000_000  # bytes and files of a zip of a whole class
_BYTE = re.compile(rb"\\x([0-9a-f]{2})")

Stamp = tuple[int, ...]  # tells a file from one that took its place; empty where nothing can


class UnusableCollection(Exception):
    """A collection that cannot be read, or has no entry; the message is one line."""


class CollectionChanged(Exception):
    """The collection is not the one that was listed; the message is one line."""


class Entry(NamedTuple):
    """One item of a collection: its name as text, and whether it is a folder or a file.

    `nature` is `FOLDER`, `FILE`, or says in words what else it is (a link, a named pipe). Only a
    manifest says who the `learner` is, which `attempt` it is (labels sort as text, the latest
    last), and when it was `submitted` (ISO 8601).
    """

    name: str
    nature: str
    learner: str = ""
    attempt: str = ""
    submitted: str = ""


class Collection(Protocol):
    """`kind` and `container` are enough to open an entry elsewhere; `container` is absolute."""

    kind: str
    container: str
    title: str  # the name of what holds the entries

    def entries(self) -> Iterator[Entry]:
        """Yield the entries, sorted by name, none of them opened.

        Raises:
            UnusableCollection: it cannot be listed.
        """

    def place(self, name: str) -> str:
        """Return where an entry is, as `open_entry` takes it: its name, unless told otherwise."""

    def metadata(self, name: str) -> bytes | None:
        """Return the bytes of a platform's own file among the entries, None where it has none."""


def kept(name: str) -> str:
    r"""Return a file name as text of one line: bytes that are not UTF-8 as `\xff`; see `raw`."""
    if "\\" in name or "\n" in name:
        name = name.replace("\\x", r"\x5cx").replace("\n", r"\x0a")
    if name.isascii():
        return name
    try:
        return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    except UnicodeEncodeError:  # half a character, as Windows allows it
        return name.encode("utf-8", "surrogatepass").decode("utf-8", "backslashreplace")


def raw(text: str) -> str:
    """Return the file name that `kept` made a text of."""
    if text.isascii() and "\\x" not in text:
        return text
    return os.fsdecode(_BYTE.sub(lambda byte: bytes([int(byte[1], 16)]), text.encode()))


def ignored(name: str) -> str:
    """Return why an entry is ignored for its name alone, empty where it is not."""
    if is_debris(name):
        return "is left by the system"
    return "has a hidden name" if name.startswith(".") else ""


class FolderCollection:
    """The entries directly in a folder; links among them are never followed."""

    kind = "folder"

    def __init__(self, path: str) -> None:
        self.container = os.path.abspath(path)
        self.title = os.path.basename(self.container)

    def entries(self) -> Iterator[Entry]:
        """Yield the entries, sorted by name; raises `UnusableCollection`."""
        try:
            with os.scandir(self.container) as found:
                items = sorted((kept(each.name), _nature(each)) for each in found)
        except OSError as error:
            reason = (error.strerror or "unknown reason").lower()
            told = f"{visible(self.container, 300)} cannot be listed: {reason}"
            raise UnusableCollection(told) from None
        yield from itertools.starmap(Entry, items)

    def place(self, name: str) -> str:
        """Return the name itself."""
        return name

    def metadata(self, name: str) -> bytes | None:
        """Return the bytes of a file among the entries, None where there is none to read."""
        try:
            descriptor = os.open(os.path.join(self.container, name), NO_FOLLOW_FLAGS)
        except OSError:
            return None
        return read_descriptor(descriptor, MAX_METADATA)


def _nature(entry: os.DirEntry[str]) -> str:
    if entry.is_dir(follow_symlinks=False):
        return FOLDER
    if entry.is_file(follow_symlinks=False):
        return FILE
    if entry.is_symlink():
        return "a link"
    mode = entry.stat(follow_symlinks=False).st_mode
    return "a named pipe" if stat.S_ISFIFO(mode) else "neither a folder nor a file"


class ZipCollection:
    """The entries of one .zip, or of the one folder in it that holds all the others.

    `is_learner` says of that folder's name whether it is a learner's: then it is an entry itself.

    Raises:
        UnusableCollection: it cannot be read.
    """

    kind = "zip"

    def __init__(self, path: str, is_learner: Callable[[str], bool] = lambda _: False) -> None:
        self.container = os.path.abspath(path)
        try:
            self._members = _zip_members(self.container, stamp_of(self.container), os.getpid())
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise UnusableCollection(f"{visible(path, 300)} cannot be read: {reason}") from None
        except Unresolved as error:
            raise UnusableCollection(f"{visible(path, 300)} {error}") from None
        tops = {path: _nature_of(below) for path, below in self._members.items()}
        self._outer = _wrapper(self._members, is_learner)
        if self._outer:
            tops = _tops(self._members[self._outer])
        self.title = self._outer or os.path.basename(path).rpartition(".")[0]
        self._entries = tops

    def entries(self) -> Iterator[Entry]:
        """Yield the entries, sorted by name; that of the folder around them is left out."""
        yield from itertools.starmap(Entry, sorted(self._entries.items()))

    def place(self, name: str) -> str:
        """Return an entry's path in the archive."""
        return f"{self._outer}/{name}" if self._outer else name

    def metadata(self, name: str) -> bytes | None:
        """Return the bytes of a file among the entries, None where there is none."""
        file = _below(self._members, self.place(name)).get("")
        return None if file is None or file.nature != FILE else file.read(MAX_METADATA)


# The members of a zip by the first step of their paths: each by the rest, a file's own is empty.
ByTop = dict[str, dict[str, Member]]


@lru_cache(maxsize=2)
def _zip_members(path: str, stamp: Stamp, process: int) -> ByTop:  # noqa: ARG001  # in the key: a forked process shares no position in a file
    """Return the members of a zip, read once in a process.

    Raises:
        CollectionChanged: it is not the one that was listed.
        Unresolved: it is damaged, or has more members than are read.
    """
    file = open(path, "rb")  # noqa: SIM115  # the zip reads on in it
    if _stamp(os.fstat(file.fileno())) != stamp:
        file.close()
        told = "was replaced or changed while it was graded: run the same command again"
        raise CollectionChanged(f"{visible(path, 300)} {told}")
    found: ByTop = {}
    archive = bounded_zip(file, MAX_DIRECTORY, MAX_MEMBERS)
    for info in archive.infolist():
        top, _, rest = member_path(info).partition("/")
        if top:
            found.setdefault(top, {})[rest] = zip_member(archive, info)
    return found


def _nature_of(below: Mapping[str, Member]) -> str:
    own = below.get("")
    return FOLDER if own is None or len(below) > 1 else own.nature


def _tops(below: Mapping[str, Member]) -> dict[str, str]:
    found: dict[str, str] = {}
    for path, member in below.items():
        name, slash, _ = path.partition("/")
        if name:
            found[name] = FOLDER if slash else found.get(name, member.nature)
    return found


def _wrapper(members: ByTop, is_learner: Callable[[str], bool]) -> str:
    """Return the one folder around all entries, empty where there is none."""
    tops = [name for name in members if not ignored(name)]
    folders = [name for name in tops if _nature_of(members[name]) == FOLDER]
    if len(folders) != 1 or any(map(archive_suffix, tops)) or is_learner(folders[0]):
        return ""
    hidden = any(name.startswith(".") for name in _tops(members[folders[0]]))
    return "" if hidden else folders[0]


def _below(members: ByTop, place: str) -> dict[str, Member]:
    top, slash, inner = place.partition("/")
    below = members.get(top, {})
    if not slash:
        return below
    found = {
        path[len(inner) + 1 :]: one for path, one in below.items() if path.startswith(f"{inner}/")
    }
    return found | ({"": below[inner]} if inner in below else {})


def stamp_of(path: str) -> Stamp:
    """Return what tells a file from one that takes its place; raises `OSError`."""
    return _stamp(os.stat(path))


def _stamp(status: os.stat_result) -> Stamp:
    return (status.st_ino, status.st_size, status.st_mtime_ns)


def open_in_folder(container: str, names: Sequence[str]) -> Files:
    """Open the entries of one submission in a folder; raises `NoSubmission`, `Unresolved`."""
    if len(names) == 1:
        return open_content(os.path.join(container, raw(names[0])))
    name = _archive_among(names)
    return open_content(os.path.join(container, raw(name)))


def open_in_zip(container: str, names: Sequence[str], stamp: Stamp) -> Files:
    """Open the entries of one submission in a zip.

    Raises:
        NoSubmission, Unresolved: it cannot be opened.
        CollectionChanged: the zip was replaced.
    """
    members = _zip_members(container, stamp, os.getpid())
    name = names[0] if len(names) == 1 else _archive_among(names)
    found = _below(members, name)
    if not found:
        raise NoSubmission("is not in the archive any more")
    own = found.get("")
    if own is None or len(found) > 1:
        below = ((path, one) for path, one in found.items() if path)
        return Members(name, below, may_be_empty=True)
    if own.nature != FILE:
        raise Unresolved(f"{named(name)} is {own.nature}, not a folder or an archive", SUBMIT)
    try:
        data = own.read(MAX_NESTED_ARCHIVE)
    except Unreadable as error:
        raise Unresolved(f"{named(name)} {error}", SUBMIT) from None
    return open_archive(name, BytesIO(data), name)


def _archive_among(names: Sequence[str]) -> str:
    """Return the one archive among the files of a learner; raises `Unresolved` for none or two."""
    archives = [name for name in names if archive_suffix(name)]
    if len(archives) == 1:
        return archives[0]
    told = [name.rpartition("/")[2] for name in archives or names]
    what = "archives" if archives else "files, none of them an archive"
    raise Unresolved(f"there are {len(told)} {what}: {listed(told)}", SUBMIT)
