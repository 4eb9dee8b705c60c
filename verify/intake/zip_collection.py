"""One zip of a whole class: its entries, and how to open each of them."""

from __future__ import annotations

import os
import zipfile
from collections import deque
from io import BytesIO
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple
from zipfile import ZipInfo

from pipeline.files import FILE, FOLDER, unreadable
from pipeline.terminal.display import named, visible
from verify.intake.collection import (
    DAMAGED,
    MAX_METADATA,
    REFUSED,
    UNUSABLE,
    Collection,
    Entry,
    container_at,
    ignored,
    safe_name,
)
from verify.intake.table import Unusable
from verify.submissions.archives import (
    bounded_zip,
    member_path,
    open_nested,
    zip_member,
    zip_nature,
)
from verify.submissions.files import NoSubmission, Unresolved, archive_suffix, is_debris
from verify.submissions.members import TWICE, UNCLEAR, Members, refusing
from verify.submissions.submission import COURSE_FOLDERS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import BinaryIO

    from verify.intake.collection import Stamp
    from verify.submissions.files import Files

_OFF = "/"  # the rest of a path within an entry that cannot be used
_RECORD, _END = b"PK\1\2", b"PK\5\6"
MAX_DIRECTORY, MAX_MEMBERS = 512 << 20, 4_000_000  # bytes and files of a zip of a whole class
_AT_ONCE = 1_000  # records of a directory that are parsed together
_MOST_LISTINGS = 32  # zips of which a process keeps what they have
# at the top of a learner's folder, never beside learners' folders
_WORK = COURSE_FOLDERS | {".git", ".pipeline"}


class CollectionChanged(Exception):
    """The collection is not the one that was listed; the message is one line."""


class ZipCollection(Collection):
    """The entries of one .zip, or of the one folder in it that holds all the others.

    With `whole` that folder is an entry itself: it belongs to a learner. Raises `Unusable`.
    """

    kind = "zip"

    def __init__(self, path: str, *, whole: bool = False) -> None:
        self.container = container_at(path)
        try:
            self.stamp = stamp_of(self.container)
            top = _top(self.container, self.stamp)
        except OSError as error:
            raise Unusable(f"{visible(path, 300)} {unreadable(error)}") from None
        except Unresolved as error:
            raise Unusable(str(error)) from None
        self.outer = "" if whole else _wrapper(top)
        self._beside = {name: found for name, found in top.found.items() if name != self.outer}
        self._listing = _kept(self.container, self.stamp, self.outer, top)
        self.title = self.outer or os.path.basename(path).rpartition(".")[0]

    def entries(self) -> Iterator[Entry]:
        """Yield the entries; the folder around them is left out."""
        beside = self._beside if self.outer else {}
        for around, found in ((self.outer, self._listing.found), ("", beside)):
            for name, members in found.items():
                nature = _nature_of(members)
                place = f"{around}/{name}" if around else name
                yield Entry(name, FILE if nature == TWICE else nature, place)  # see `open_in_zip`

    def metadata(self, name: str) -> bytes | None:
        """Return the bytes of a file among the entries, None for none; raises `Unreadable`."""
        members = self._listing.found.get(name, [])
        if _nature_of(members) != FILE:
            return None
        with _opened(self.container, self.stamp) as file:
            (info,) = self._listing.directory.infos(members)
            return zip_member(file, info).read(MAX_METADATA)


class _Damaged(ZipInfo):
    """A member whose record in the directory cannot be read."""


class _Listed(NamedTuple):
    """A member of a zip, as far as it is known without its record."""

    rest: str  #: of its path, below the entry
    nature: str  #: of an entry that is this member alone
    at: int  #: where its record begins in the directory


class _Directory:
    """The directory of a zip, of which a member's record is read when the member is.

    A `ZipInfo` for each file of a class of 50,000 takes 110 MB in each process.
    """

    def __init__(self, file: BinaryIO) -> None:
        end: Any = zipfile._EndRecData(file)  # type: ignore[attr-defined]  # noqa: SLF001  # no other way
        self._data, self._before = b"", 0
        if end and 0 < end[5] <= MAX_DIRECTORY:
            begins = end[9] - end[5] - (76 if end[0] == b"PK\6\6" else 0)  # where it is
            file.seek(max(begins, 0))
            self._data, self._before = file.read(end[5]), begins - end[6]
        if not self._data or self._data.count(_RECORD) > MAX_MEMBERS:
            bounded_zip(file, MAX_DIRECTORY, MAX_MEMBERS)  # says why not, unless it is empty

    def members(self) -> Iterator[tuple[int, ZipInfo]]:
        """Yield the members, each with where its record begins."""
        at, records = 0, _records(self._data)
        while some := list(islice(records, _AT_ONCE)):
            for record, info in zip(some, _parsed(some, self._before), strict=True):
                yield at, info
                at += len(record)

    def infos(self, members: Iterable[_Listed]) -> list[ZipInfo]:
        """Return what the records of members say."""
        records = [next(_records(self._data, member.at)) for member in members]
        return _parsed(records, self._before) if records else []


class _Listing(NamedTuple):
    """What a zip, or a folder in it, has: members by the first name in their paths."""

    directory: _Directory
    found: dict[str, list[_Listed]]


_listings: dict[tuple[str, Stamp, str], _Listing] = {}  # forked workers inherit them


def _kept(path: str, stamp: Stamp, outer: str, top: _Listing | None = None) -> _Listing:
    """Return the members of a zip, or of a folder in it, listed once in a process."""
    key = path, stamp, outer
    if key not in _listings:
        top = top or _top(path, stamp)
        if len(_listings) >= _MOST_LISTINGS:
            _listings.clear()
        _listings[key] = _inside(top, outer) if outer else top
    return _listings[key]


def _top(path: str, stamp: Stamp) -> _Listing:
    refusal = refusing(lambda what: Unresolved(f"{visible(path, 300)} {what}"))
    with _opened(path, stamp) as file, refusal:
        directory = _Directory(file)
        members = ((at, member_path(info), info) for at, info in directory.members())
        listing = _by_name(directory, members, is_inside=False)
        if listing.found and all(
            member.nature == DAMAGED for found in listing.found.values() for member in found
        ):
            bounded_zip(file, MAX_DIRECTORY, MAX_MEMBERS)  # says why
    return listing


def _inside(top: _Listing, outer: str) -> _Listing:
    """Return the listing of a folder at the top of a zip; what the top has of it is dropped."""
    left = deque(top.found.pop(outer, ()))

    def infos() -> Iterator[tuple[int, str, ZipInfo]]:
        while piece := [left.popleft() for _ in range(min(len(left), _AT_ONCE))]:
            for member, info in zip(piece, top.directory.infos(piece), strict=True):
                yield member.at, member.rest, info

    return _by_name(top.directory, infos(), is_inside=True)


def _by_name(
    directory: _Directory, members: Iterable[tuple[int, str, ZipInfo]], *, is_inside: bool
) -> _Listing:
    found: dict[str, list[_Listed]] = {}
    rests: dict[str, str] = {}  # a class has most of them in common
    for at, below, info in members:
        is_path = below not in ("", _OFF) and not isinstance(info, _Damaged)
        top, _, rest = below.partition("/") if is_path else _off(info, is_inside)
        if top:  # a learner may put a line end into a name
            member = _Listed(rests.setdefault(rest, rest), "" if rest else _alone(info), at)
            found.setdefault(safe_name(top), []).append(member)
    return _Listing(directory, found)


def _off(info: ZipInfo, is_inside: bool) -> tuple[str, str, str]:  # noqa: FBT001  # see `_inside`
    """Return where a member without a usable path belongs: to its folder, or it is an entry."""
    name = info.orig_filename.replace("\\", "/").removeprefix("./")
    name = name.partition("/")[2] if is_inside else name
    top, sign, _ = name.partition("/")
    is_entry = (
        isinstance(info, _Damaged) or top in ("", ".", "..") or top[1:2] == ":" or "\0" in top
    )
    return (name, "", "") if is_entry else (top, sign, _OFF * bool(sign))


def _records(data: bytes, at: int = 0) -> Iterator[bytes]:
    """Yield the records of a directory; where one is damaged, the next one is looked for."""

    def behind(at: int) -> int:
        lengths = (int.from_bytes(data[at + n : at + n + 2], "little") for n in (28, 30, 32))
        return at + 46 + sum(lengths)

    def begins(at: int) -> bool:
        return at == len(data) or data.startswith(_RECORD, at)

    while 0 <= at < len(data):
        after = behind(at)
        if not (begins(after) or begins(behind(after))):
            after = data.find(_RECORD, at + 4)
        yield data[at : after if after > 0 else len(data)]
        at = after


def _parsed(records: Sequence[bytes], before: int) -> list[ZipInfo]:
    """Return the members of records, read as those of one zip, or each as the only one."""
    data, count = b"".join(records), len(records).to_bytes(2, "little")
    end = _END + bytes(4) + 2 * count + len(data).to_bytes(4, "little") + bytes(6)
    try:
        infos = zipfile.ZipFile(BytesIO(data + end)).filelist
    except Exception:  # noqa: BLE001  # hostile bytes make the library raise anything
        infos = []
    if len(infos) != len(records) > 1:
        return [info for record in records for info in _parsed([record], before)]
    if len(infos) != 1 == len(records):
        name = data[46 : 46 + int.from_bytes(data[28:30], "little")]
        infos = [_Damaged(name.decode("utf-8", "replace").partition("\0")[0] or "?")]
    for info in infos:
        info.header_offset = getattr(info, "header_offset", 0) + before
    return infos


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


def _nature_of(members: Sequence[_Listed]) -> str:
    """Return what an entry is, empty for nothing: two files with the same path do not count."""
    natures = [member.nature for member in members if not member.rest]
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


def _wrapper(listing: _Listing) -> str:
    """Return the one folder around all entries, empty where there is none."""
    members = listing.found
    natures = {name: _nature_of(members[name]) for name in members if not ignored(name)}
    tops = [name for name, nature in natures.items() if nature not in REFUSED]
    folders = [name for name in tops if natures[name] == FOLDER]
    if len(folders) != 1 or any(map(archive_suffix, tops)):
        return ""
    below = {member.rest.partition("/")[0] for member in members[folders[0]]}
    return "" if below & _WORK else folders[0]


def stamp_of(file: str | int) -> Stamp:
    """Return a stamp that changes when another file takes the place; raises `OSError`."""
    status = os.stat(file)
    return (status.st_ino, status.st_size, status.st_mtime_ns)


def open_in_zip(container: str, places: Sequence[str], stamp: Stamp) -> Files:
    """Open entries of a zip as one; raises `NoSubmission`, `Unresolved`, `CollectionChanged`."""
    place = places[0]
    outer, _, name = place.rpartition("/")
    directory, found = _kept(container, stamp, outer)
    listed = [*found.get(name, [])]
    if len(places) > 1:
        names = [path.rpartition("/")[2] for path in places]
        listed = [
            member._replace(rest=f"{at}/{member.rest}" if member.rest else at)
            for at in names
            for member in found.get(at, [])
        ]
    nature = _nature_of(listed)
    if name not in found:
        raise NoSubmission("is no longer in the archive")
    if nature == TWICE:
        raise Unresolved(f"{named(name)} {UNCLEAR}")
    members = [*zip((member.rest for member in listed), directory.infos(listed), strict=True)]
    file = _opened(container, stamp)
    if nature != FOLDER:
        with file:
            return open_nested(name, zip_member(file, members[0][1]).stream, place)
    off = any(path.endswith(_OFF) and not _has_debris(info) for path, info in members)
    usable = (("" if path.endswith(_OFF) else path, info) for path, info in members if path)
    below = ((path, zip_member(file, info)) for path, info in usable)
    return Members(place, below, file.close, may_be_empty=not off)
