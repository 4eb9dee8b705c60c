"""What an instructor downloaded: a folder or one zip, its entries, and how to open each of them."""

from __future__ import annotations

import os
import re
import zipfile
from functools import lru_cache, partial
from io import BytesIO
from typing import TYPE_CHECKING, Any, NamedTuple
from zipfile import ZipInfo

from pipeline.files import FILE, FOLDER, nature_of, read_file, unreadable
from pipeline.terminal.display import named, visible
from verify.intake.table import Unusable
from verify.submissions.archives import (
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
from verify.submissions.files import NoSubmission, Unresolved, archive_suffix, is_debris
from verify.submissions.submission import COURSE_FOLDERS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import BinaryIO

    from verify.submissions.files import Files

MAX_METADATA = 32 << 20  # bytes of a platform's own file: it may include an autograder's output
# natures of what a zip has at the top: a person has to look
UNUSABLE = "at a path that cannot be used (such as ../x or C:x)"
DAMAGED = "damaged in the list of files of the archive"
REFUSED = frozenset({UNUSABLE, DAMAGED})
_OFF = "/"  # the rest of a path within an entry that cannot be used
_RECORD, _END = b"PK\1\2", b"PK\5\6"
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
    `learner` is, which `attempt` it is (as in a `ParsedName`), and when it was `submitted`.
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
                yield from (Entry(safe_name(item.name), _nature(item)) for item in found)
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
        beside = _listed(self.container, self.stamp, "") if self.outer else {}
        for around, listed in ((self.outer, self._members), ("", beside)):
            for name, members in listed.items():
                nature = _nature_of(members)
                place = f"{around}/{name}" if around else name
                if around or name != self.outer or not self.outer:
                    yield Entry(
                        name, FILE if nature == TWICE else nature, place
                    )  # see `open_in_zip`

    def metadata(self, name: str) -> bytes | None:
        """Return the bytes of a file among the entries, None for none; raises `Unreadable`."""
        members = self._members.get(name, [])
        if _nature_of(members) != FILE:
            return None
        with _opened(self.container, self.stamp) as file:
            return zip_member(file, members[0][1]).read(MAX_METADATA)


# The members of a zip by the first name in their paths, each with the rest of its path.
Listed = dict[str, list[tuple[str, ZipInfo]]]


class _Damaged(ZipInfo):
    """A member whose record in the directory cannot be read."""


@lru_cache(maxsize=32)
def _listed(path: str, stamp: Stamp, outer: str) -> Listed:
    """Return the members of a zip, or of a folder in it; forked workers inherit them."""
    members: Iterable[tuple[str, ZipInfo]]
    if outer:
        members = _listed(path, stamp, "").get(outer, ())
    else:
        refusal = refusing(lambda what: Unresolved(f"{visible(path, 300)} {what}"))
        with _opened(path, stamp) as file, refusal:
            infos = _directory(file)
        members = ((member_path(info), info) for info in infos)
    found: Listed = {}
    for below, info in members:
        is_path = below not in ("", _OFF) and not isinstance(info, _Damaged)
        top, _, rest = below.partition("/") if is_path else _off(info, bool(outer))
        if top:  # a learner may put a line end into a name
            found.setdefault(safe_name(top), []).append((rest, info))
    return found


def _off(info: ZipInfo, is_inside: bool) -> tuple[str, str, str]:  # noqa: FBT001  # of another folder
    """Return where a member without a usable path belongs: to its folder, or it is an entry."""
    name = info.orig_filename.replace("\\", "/").removeprefix("./")
    name = name.partition("/")[2] if is_inside else name
    top, sign, _ = name.partition("/")
    is_entry = (
        isinstance(info, _Damaged) or top in ("", ".", "..") or top[1:2] == ":" or "\0" in top
    )
    return (name, "", "") if is_entry else (top, sign, _OFF * bool(sign))


def _directory(file: BinaryIO) -> list[ZipInfo]:
    """Return the members of a zip; of a damaged directory each record on its own."""
    try:
        return bounded_zip(file, MAX_DIRECTORY, MAX_MEMBERS).filelist
    except Exception as error:
        end: Any = zipfile._EndRecData(file)  # type: ignore[attr-defined]  # noqa: SLF001  # no other way
        if not end or isinstance(error, MemoryError) or not 0 < end[5] <= MAX_DIRECTORY:
            raise
        begins = end[9] - end[5] - (76 if end[0] == b"PK\6\6" else 0)  # where it is
        file.seek(max(begins, 0))
        found = [_parsed(record, begins - end[6]) for record in _records(file.read(end[5]))]
        if len(found) > MAX_MEMBERS or all(isinstance(info, _Damaged) for info in found):
            raise
        return found


def _records(data: bytes) -> Iterator[bytes]:
    """Yield the records of a directory; where one is damaged, the next one is looked for."""

    def behind(at: int) -> int:
        lengths = (int.from_bytes(data[at + n : at + n + 2], "little") for n in (28, 30, 32))
        return at + 46 + sum(lengths)

    def begins(at: int) -> bool:
        return at == len(data) or data.startswith(_RECORD, at)

    at = 0
    while 0 <= at < len(data):
        after = behind(at)
        if not (begins(after) or begins(behind(after))):
            after = data.find(_RECORD, at + 4)
        yield data[at : after if after > 0 else len(data)]
        at = after


def _parsed(record: bytes, before: int) -> ZipInfo:
    """Return the member of a record, read as the only one of a zip."""
    end = _END + bytes(4) + bytes([1, 0, 1, 0]) + len(record).to_bytes(4, "little") + bytes(6)
    try:
        (info,) = zipfile.ZipFile(BytesIO(record + end)).filelist
    except Exception:  # noqa: BLE001  # hostile bytes make the library raise anything
        name = record[46 : 46 + int.from_bytes(record[28:30], "little")]
        info = _Damaged(name.decode("utf-8", "replace").partition("\0")[0] or "?")
    info.header_offset = getattr(info, "header_offset", 0) + before
    return info


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
    natures = [_alone(info) for rest, info in members if not rest]
    if REFUSED.intersection(natures):
        return natures[0]
    if len(natures) < len(members) or set(natures) == {FOLDER}:
        return FOLDER
    return TWICE if len(natures) > 1 else "".join(natures)


def _alone(info: ZipInfo) -> str:
    if isinstance(info, _Damaged):
        return DAMAGED
    return zip_nature(info) if member_path(info) or _has_debris(info) else UNUSABLE


def _has_debris(info: ZipInfo) -> bool:
    return any(map(is_debris, info.filename.split("/")))


def _wrapper(members: Listed) -> str:
    """Return the one folder around all entries, empty where there is none."""
    natures = {name: _nature_of(members[name]) for name in members if not ignored(name)}
    tops = [name for name, nature in natures.items() if nature not in REFUSED]
    folders = [name for name in tops if natures[name] == FOLDER]
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
        names = [path.rpartition("/")[2] for path in places]
        parts = [(at, path, info) for at in names for path, info in found.get(at, [])]
        members = [(f"{at}/{path}" if path else at, info) for at, path, info in parts]
    nature = _nature_of(members)
    if name not in found:
        raise NoSubmission("is no longer in the archive")
    if nature == TWICE:
        raise Unresolved(f"{named(name)} {UNCLEAR}")
    file = _opened(container, stamp)
    if nature != FOLDER:
        with file:
            return open_nested(name, partial(stream_of, zip_member(file, members[0][1])), place)
    off = any(path.endswith(_OFF) and not _has_debris(info) for path, info in members)
    usable = (("" if path.endswith(_OFF) else path, info) for path, info in members if path)
    below = ((path, zip_member(file, info)) for path, info in usable)
    return Members(place, below, file.close, may_be_empty=not off)
