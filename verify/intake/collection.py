"""What an instructor downloaded: a folder or one zip, its entries, and how to open each of them."""

from __future__ import annotations

import os
import re
from functools import lru_cache, partial
from typing import TYPE_CHECKING, NamedTuple
from zipfile import ZipInfo

from pipeline.files import FILE, FOLDER, nature_of, read_file, unreadable
from pipeline.terminal.display import named, visible
from verify.archives import (
    TWICE,
    UNCLEAR,
    Members,
    bounded_zip,
    member_path,
    open_nested,
    refusing,
    stream_of,
    zip_member,
    zip_nature,
)
from verify.files import NoSubmission, Unresolved, archive_suffix, is_debris
from verify.intake.table import Unusable
from verify.submission import COURSE_FOLDERS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import BinaryIO

    from verify.files import Files

MAX_METADATA = 32 << 20  # bytes of a platform's own file: it may include an autograder's output
MAX_DIRECTORY, MAX_MEMBERS = 512 << 20, 4_000_000  # bytes and files of a zip of a whole class
_BYTE = re.compile(rb"\\x([0-9a-f]{2})")
# at the top of a learner's folder, never beside learners' folders
_WORK = COURSE_FOLDERS | {".git", ".pipeline"}

Stamp = tuple[int, ...]  # changes when another file takes its place; may be empty


class CollectionChanged(Exception):
    """The collection is not the one that was listed; the message is one line."""


class Entry(NamedTuple):
    """One item of a collection: its name as text, and whether it is a folder or a file.

    `nature` is `FOLDER`, `FILE`, or says in words what else it is (a link, a named pipe). `place`
    is where it is, as `open_entry` takes it, if not its name. Only a manifest says who the
    `learner` is, which `attempt` it is (as in a `Reading`), and when it was `submitted`.
    """

    name: str
    nature: str
    place: str = ""
    learner: str = ""
    attempt: str = ""
    submitted: str = ""


class Collection:
    """The interface: `kind` and `container` are enough to open an entry elsewhere.

    `container` is an absolute path or an address, `title` the name of the folder or zip with the
    entries. Only a zip has a `stamp`: of others it is not known whether they were replaced.
    """

    kind: str
    container: str
    title: str = ""
    stamp: Stamp = ()

    def entries(self) -> Iterator[Entry]:
        """Yield the entries, none of them opened; raises `Unusable`."""
        raise NotImplementedError

    def metadata(self, name: str) -> bytes | None:  # noqa: ARG002  # the interface's
        """Return the bytes of a platform's own file or None; raises `Unreadable`, `OSError`."""
        return None


def safe_name(name: str) -> str:
    r"""Return a file name as one line of text, with bytes that are not UTF-8 as `\xff`."""
    name = name.replace("\\x", r"\x5cx").replace("\n", r"\x0a")
    try:
        return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    except UnicodeEncodeError:  # half a character, as Windows allows it
        return name.encode("utf-8", "surrogatepass").decode("utf-8", "backslashreplace")


def raw_name(text: str) -> str:
    """Return the file name from which `safe_name` made a text."""
    return os.fsdecode(_BYTE.sub(lambda byte: bytes([int(byte[1], 16)]), text.encode()))


def ignored(name: str) -> str:
    """Return why an entry is ignored because of its name, empty if it is not."""
    if is_debris(name):
        return "was added by the operating system"
    return "has a hidden name" if name.startswith(".") else ""


class FolderCollection(Collection):
    """The entries directly in a folder; links among them are never followed."""

    kind = "folder"

    def __init__(self, path: str) -> None:
        self.container = os.path.abspath(path)
        self.title = os.path.basename(self.container)

    def entries(self) -> Iterator[Entry]:
        """Yield the entries; raises `Unusable`."""
        try:
            with os.scandir(self.container) as found:
                yield from (Entry(safe_name(each.name), _nature(each)) for each in found)
        except OSError as error:
            raise Unusable(f"{visible(self.container, 300)} {unreadable(error)}") from None

    def metadata(self, name: str) -> bytes | None:
        """Return the bytes of a file among the entries; raises `Unreadable`."""
        return read_file(os.path.join(self.container, name), MAX_METADATA, follow=False)


def _nature(entry: os.DirEntry[str]) -> str:
    """Return what an entry is; the list of a folder usually knows without another call."""
    if entry.is_dir(follow_symlinks=False):
        return FOLDER
    is_file = entry.is_file(follow_symlinks=False)
    return FILE if is_file else nature_of(entry.stat(follow_symlinks=False).st_mode)


class ZipCollection(Collection):
    """The entries of one .zip, or of the one folder in it that holds all the others.

    With `whole` that folder is an entry itself: it belongs to a learner. Raises `Unusable`.
    """

    kind = "zip"

    def __init__(self, path: str, *, whole: bool = False) -> None:
        self.container = os.path.abspath(path)
        try:
            self.stamp = stamp_of(self.container)
            members = _listed(self.container, self.stamp, "")
            self.outer = "" if whole else _wrapper(members)
            self._members = _listed(self.container, self.stamp, self.outer)
        except OSError as error:
            raise Unusable(f"{visible(path, 300)} {unreadable(error)}") from None
        except Unresolved as error:
            raise Unusable(str(error)) from None
        self.title = self.outer or os.path.basename(path).rpartition(".")[0]

    def entries(self) -> Iterator[Entry]:
        """Yield the entries; the folder around them is left out."""
        for name, members in self._members.items():
            place = f"{self.outer}/{name}" if self.outer else name
            nature = _nature_of(members)
            yield Entry(name, FILE if nature == TWICE else nature, place)  # opening it says so

    def metadata(self, name: str) -> bytes | None:
        """Return the bytes of a file among the entries, None for none; raises `Unreadable`."""
        members = self._members.get(name, [])
        if _nature_of(members) != FILE:
            return None
        with _opened(self.container, self.stamp) as file:
            return zip_member(file, members[0][1]).read(MAX_METADATA)


# The members of a zip by the first name in their paths, each with the rest of its path.
Listed = dict[str, list[tuple[str, ZipInfo]]]


@lru_cache(maxsize=32)
def _listed(path: str, stamp: Stamp, outer: str) -> Listed:
    """Return the members of a zip, or of a folder in it; forked workers inherit them."""
    members: Iterable[tuple[str, ZipInfo]]
    if outer:
        members = _listed(path, stamp, "").get(outer, ())
    else:
        refusal = refusing(lambda what: Unresolved(f"{visible(path, 300)} {what}"))
        with _opened(path, stamp) as file, refusal:
            archive = bounded_zip(file, MAX_DIRECTORY, MAX_MEMBERS)
        members = ((member_path(info), info) for info in archive.filelist)
    found: Listed = {}
    for below, info in members:
        top, _, rest = below.partition("/")
        if top:  # a learner may put a line end into a name
            found.setdefault(safe_name(top), []).append((rest, info))
    return found


def _opened(path: str, stamp: Stamp) -> BinaryIO:
    file = open(path, "rb")  # noqa: SIM115  # members are read from it
    if stamp_of(file.fileno()) != stamp:
        file.close()
        raise CollectionChanged(replaced(path))
    return file


def replaced(path: str) -> str:
    """Return the message about a zip that has changed since it was listed."""
    changed = "was replaced or changed while it was being graded: run the same command again"
    return f"{visible(path, 300)} {changed}"


def _nature_of(members: Sequence[tuple[str, ZipInfo]]) -> str:
    """Return what an entry is, empty for nothing: two files with the same path do not count."""
    natures = [zip_nature(info) for rest, info in members if not rest]
    if len(natures) < len(members) or set(natures) == {FOLDER}:
        return FOLDER
    return TWICE if len(natures) > 1 else "".join(natures)


def _wrapper(members: Listed) -> str:
    """Return the one folder around all entries, empty where there is none."""
    tops = [name for name in members if not ignored(name)]
    folders = [name for name in tops if _nature_of(members[name]) == FOLDER]
    if len(folders) != 1 or any(map(archive_suffix, tops)):
        return ""
    below = {path.partition("/")[0] for path, _ in members[folders[0]]}
    return "" if below & _WORK else folders[0]


def stamp_of(file: str | int) -> Stamp:
    """Return a stamp that changes when another file takes the place; raises `OSError`."""
    status = os.stat(file)
    return (status.st_ino, status.st_size, status.st_mtime_ns)


def open_in_zip(container: str, places: Sequence[str], stamp: Stamp) -> Files:
    """Open entries of a zip as one; raises `NoSubmission`, `Unresolved`, `CollectionChanged`."""
    place = places[0]
    outer, _, name = place.rpartition("/")
    found = _listed(container, stamp, outer)
    members = found.get(name, [])
    if len(places) > 1:
        names = [each.rpartition("/")[2] for each in places]
        parts = [(at, path, info) for at in names for path, info in found.get(at, [])]
        members = [(f"{at}/{path}" if path else at, info) for at, path, info in parts]
    nature = _nature_of(members)
    if not members:
        raise NoSubmission("is no longer in the archive")
    if nature == TWICE:
        raise Unresolved(f"{named(name)} {UNCLEAR}")
    file = _opened(container, stamp)
    if nature != FOLDER:
        with file:
            return open_nested(name, partial(stream_of, zip_member(file, members[0][1])), place)
    below = ((path, zip_member(file, info)) for path, info in members if path)
    return Members(place, below, file.close, may_be_empty=True)
