"""Opens one learner's archive, and finds the submission in it: within a folder, or one deeper."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Any, Protocol

from pipeline.limits import MAX_NESTED_ARCHIVE, size_of
from pipeline.reading import MISSING, Unreadable
from verify.course import FOLDERS
from verify.sources.archive_bytes import Damaged, MemoryBytes
from verify.sources.archive_door import FILE, FOLDER, ArchiveDoor
from verify.sources.archive_names import UNREAD_SUFFIXES, archive_suffix
from verify.sources.archive_packed import GZIP, XZ, unpacked
from verify.sources.tar_members import tar_members, tar_reader
from verify.sources.zip_members import zip_contents
from verify.submission import NoSubmission, Submission

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from verify.history.history import History
    from verify.sources.archive_bytes import Bytes
    from verify.sources.archive_door import Member

ZIP_MARKS = (b"PK\3\4", b"PK\5\6")  # a first member, or the end of an empty archive
_PACKED_MARKS = (GZIP, XZ)
_USTAR = slice(257, 262)  # where a .tar says that it is one
_TOLD = 262


def opened(
    root: str, members: Iterable[Member], read_member: Callable[[Any, int], bytes]
) -> Submission:
    """Return the door to a submission whose files are members of an archive of many.

    Where it is one archive, that one is opened; further ones in it are files like any other.

    Raises:
        NoSubmission: it is an archive that cannot be opened.
    """
    door = ArchiveDoor(root, members, read_member)
    tops = door.tops()
    own = own_archive(tops, door.member)
    if not own:
        return through_folder(door, tops)
    return opened_archive(root, own, _nested(door, own))


def opened_archive(root: str, name: str, data: Bytes) -> Submission:
    """Return the door to a submission that is an archive of its own, by its file's name.

    Raises:
        NoSubmission: it is damaged, too large, or none that is read.
    """
    suffix = archive_suffix(name)
    if suffix in UNREAD_SUFFIXES:
        raise NoSubmission(f"is a {suffix} archive, which is not read: .zip and .tar.gz are")
    try:
        door = ArchiveDoor(root, *_contents(data, suffix))
        return through_folder(door, door.tops())
    except Damaged as error:
        raise NoSubmission(str(error)) from None


def own_archive(tops: list[str], member: Callable[[str], Member | None]) -> str:
    """Return the archive that a learner handed in instead of a folder, empty where there is none.

    It is the only archive, with no folder beside it, and no .json file: those may be the work.
    """
    found = [name for name in tops if archive_suffix(name)]
    if len(found) != 1:
        return ""
    others = [name for name in tops if name != found[0]]
    natures = [each.nature for each in map(member, others) if each is not None]
    beside = FOLDER in natures or len(natures) < len(others)  # some folders only paths tell of
    own = member(found[0])
    if beside or any(name.lower().endswith(".json") for name in others):
        return ""
    return found[0] if own is not None and own.nature == FILE else ""


def _nested(door: ArchiveDoor, name: str) -> Bytes:
    member = door.member(name)
    if member is None:
        raise NoSubmission("is not there any more")
    try:
        return MemoryBytes(door.bytes_of(member, MAX_NESTED_ARCHIVE))
    except Unreadable as error:
        raise NoSubmission(f"is an archive that {error}") from None


def _contents(data: Bytes, suffix: str) -> tuple[Iterable[Member], Callable[[Any, int], bytes]]:
    start = data.read(0, _TOLD)
    packed = start.startswith(_PACKED_MARKS)
    # A program may stand before a .zip; what is none at all is told as what it is called.
    called = suffix == ".zip" and not packed and start[_USTAR] != b"ustar"
    if start.startswith(ZIP_MARKS) or called:
        return zip_contents(data)
    if packed:
        if data.size > MAX_NESTED_ARCHIVE:
            raise Damaged(_too_large())
        data = _unpacked(data.read(0, MAX_NESTED_ARCHIVE))
    return tar_members(data), tar_reader(data)


def _too_large() -> str:
    most = size_of(MAX_NESTED_ARCHIVE)
    return f"is an archive of more than {most}, the most that is unpacked"


def _unpacked(packed: bytes) -> Bytes:
    content = unpacked(BytesIO(packed), MAX_NESTED_ARCHIVE + 1)
    if len(content) > MAX_NESTED_ARCHIVE:
        del content  # or the fault's traceback would hold it
        raise Damaged(_too_large())
    return MemoryBytes(content)


def through_folder(door: ArchiveDoor, tops: list[str]) -> Submission:
    """Return the door, seen through the one folder that all its files lie in, if there is one.

    `tops` are the names at the door's root.

    Raises:
        NoSubmission: there are no files.
    """
    if not tops:
        raise NoSubmission("is an archive without a file")
    if len(tops) > 1 or not may_surround(tops[0]) or door.is_file(tops[0]):
        return door
    return ThroughFolder(door, tops[0])


def may_surround(name: str) -> bool:
    """Tell whether a folder may be superfluous: no hidden one, and none of the repository's own."""
    return not name.startswith(".") and name not in FOLDERS


class Rooted(Submission, Protocol):
    """A submission whose history may stand below a folder of it."""

    def history(self, root: str = "") -> History | None:
        """Return the history below `root`, which ends with a slash; raises `Unreadable`."""


class ThroughFolder:
    """A submission whose only top entry is a folder: what it lacks is looked for in that folder.

    The folder may be superfluous (what was packed was the project's folder) or part of the paths
    (`sandbox`), so a path counts as it is first. A hidden folder (`.pipeline`) never is.
    """

    def __init__(self, door: Rooted, folder: str) -> None:
        self.root = door.root
        self._door = door
        self._folder = folder

    def read(self, path: str) -> bytes:
        """Return a regular file's bytes; raises `Unreadable`."""
        try:
            return self._door.read(path)
        except Unreadable as error:
            if error.reason != MISSING:
                raise
            return self._door.read(self._below(path))

    def is_file(self, path: str) -> bool:
        """Tell whether a regular file stands at the path, reached without a link."""
        return self._door.is_file(path) or self._door.is_file(self._below(path))

    def names(self, path: str) -> list[str]:
        """Return a folder's sorted entry names; raises `Unreadable`."""
        try:
            return self._door.names(path)
        except Unreadable as error:
            if error.reason != MISSING:
                raise
            return self._door.names(self._below(path))

    def history(self) -> History | None:
        """Return the history that came with the submission; raises `Unreadable`."""
        return self._door.history() or self._door.history(self._below(""))

    def close(self) -> None:
        """Release what is held open."""
        self._door.close()

    def _below(self, path: str) -> str:
        return f"{self._folder}/{path}"
