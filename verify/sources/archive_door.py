"""A submission whose files are members of an archive: it answers as a folder would."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple
from unicodedata import normalize

from pipeline.limits import (
    MAX_ARCHIVE_FOLDERS,
    MAX_ARCHIVE_MEMBERS,
    MAX_ARCHIVE_NAMES,
    MAX_BYTES,
    MAX_FOLDER_ENTRIES,
    size_of,
)
from pipeline.reading import DENIED, MISSING, NOT_REGULAR, Unreadable
from verify.submission import NoSubmission, checked_parts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from verify.history.history import History

FILE, FOLDER, LINK, PIPE, DEVICE = "file", "folder", "a link", "a named pipe", "a device"
SPARSE, UNKNOWN, TWICE = "a sparse file", "of an unknown kind", "twice"

_ABSENT = "does not exist"
_THROUGH_LINK = "is reached through a link, which is not followed"
_UNCLEAR = "stands in the archive more than once: which one counts is unclear"


class Member(NamedTuple):
    """A member of an archive: its path in the submission, what it is, where its bytes are."""

    path: str
    nature: str
    handle: Any


class ArchiveDoor:
    """A submission's files as members of an archive, by their paths in the submission.

    `read_member` returns the bytes of a member's handle, or raises `Unreadable`. Members without
    a path are passed over.

    Raises:
        NoSubmission: it has more members than are read.
    """

    def __init__(
        self, root: str, members: Iterable[Member], read_member: Callable[[Any, int], bytes]
    ) -> None:
        self.root = root
        self._read_member = read_member
        self._members = _indexed(members)
        self._folders: dict[str, list[str]] | None = None
        self._composed: dict[str, str] | None = None
        self._histories: dict[str, History | None] = {}

    def read(self, path: str, limit: int = MAX_BYTES) -> bytes:
        """Return the bytes of the regular file at a path, at most `limit`.

        Raises:
            Unreadable: missing, not regular, reached through a link, there twice, damaged in the
                archive, too large.
        """
        member = self._members.get(self._own_name(path))
        if member is None:
            raise self._not_there(path)
        if member.nature != FILE:
            raise _refused(member.nature)
        return self._read_member(member.handle, limit)

    def is_file(self, path: str) -> bool:
        """Tell whether a regular file stands at the path, reached without a link."""
        try:
            member = self.member(path)
        except Unreadable:
            return False
        return member is not None and member.nature == FILE

    def names(self, path: str, most: int = MAX_FOLDER_ENTRIES) -> list[str]:
        """Return the sorted names in a folder, at most so many; raises `Unreadable`."""
        if path:
            path = self._own_name(f"{path}/name")[: -len("/name")]
        try:
            return self._listing()[path][:most]
        except KeyError:
            raise Unreadable(MISSING, _ABSENT) from None

    def history(self, root: str = "") -> History | None:
        """Return the history that came with the submission, which stands below `root`.

        Raises:
            Unreadable: as `Submission.history`.
        """
        if root not in self._histories:
            from verify.history.opening import history_of  # of few exercises

            self._histories[root] = history_of(self, root)
        return self._histories[root]

    def close(self) -> None:
        """Hold nothing open: the archive belongs to whoever opened it."""

    def member(self, path: str) -> Member | None:
        """Return what stands at a path, None where nothing does.

        Raises:
            Unreadable: the path is none, or leads through what is no folder.
        """
        return self._members.get(self._own_name(path))

    def tops(self) -> list[str]:
        """Return the names at the submission's root."""
        return sorted({path.partition("/")[0] for path in self._members})

    def bytes_of(self, member: Member, limit: int) -> bytes:
        """Return at most `limit` bytes of a member, a larger one is refused by `Unreadable`."""
        return self._read_member(member.handle, limit)

    def _own_name(self, path: str) -> str:
        """Return a path as the archive spells it, every step before the last one a folder."""
        members = self._members
        above = _folders_above(path)
        if path not in members and not path.isascii():
            path = self._spelling(path)
            above = _folders_above(path)
        for folder in above:
            if folder in members and members[folder].nature != FOLDER:
                raise _not_through(members[folder].nature, there=path in members)
        return path

    def _spelling(self, path: str) -> str:
        """Return the one member's path that differs in Unicode's composition only.

        Archives made on macOS spell letters and accents apart, where others have one character.
        """
        if self._composed is None:
            self._composed = {}
            for own in sorted(self._members):
                composed = normalize("NFC", own)
                self._composed[composed] = "" if composed in self._composed else own
        own = self._composed.get(normalize("NFC", path), path)
        if not own:
            raise Unreadable(DENIED, _UNCLEAR)
        return own

    def _not_there(self, path: str) -> Unreadable:
        if self._own_name(path) in self._listing():
            return _refused(FOLDER)
        return Unreadable(MISSING, _ABSENT)

    def _listing(self) -> dict[str, list[str]]:
        """Return the sorted names in every folder, also in those that only paths tell of."""
        if self._folders is None:
            found: dict[str, set[str]] = {"": set()}
            for path, member in self._members.items():
                if member.nature == FOLDER:
                    found.setdefault(path, set())
                _enlist(found, path)
                if len(found) > MAX_ARCHIVE_FOLDERS:
                    raise NoSubmission(
                        f"holds more than {MAX_ARCHIVE_FOLDERS:,} folders, the most that is read"
                    )
            self._folders = {folder: sorted(names) for folder, names in found.items()}
        return self._folders


@lru_cache(maxsize=4096)  # a cohort's paths come back
def _folders_above(path: str) -> tuple[str, ...]:
    """Return the folders that a path leads through; raises `Unreadable` for what is no path."""
    folder, _ = checked_parts(path)
    steps = folder.split("/") if folder else []
    return tuple("/".join(steps[:count]) for count in range(1, len(steps) + 1))


def _enlist(found: dict[str, set[str]], path: str) -> None:
    folder, _, name = path.rpartition("/")
    while folder and folder not in found:
        found[folder] = {name}
        folder, _, name = folder.rpartition("/")
    found[folder].add(name)


_THE_MOST = ", the most that is read"


def _indexed(members: Iterable[Member]) -> dict[str, Member]:
    index: dict[str, Member] = {}
    characters = 0
    for member in members:
        path = member[0]
        if not path:
            continue
        characters += len(path)
        before = index.setdefault(path, member)
        if before is not member and not before.nature == member.nature == FOLDER:
            index[path] = Member(path, TWICE, None)
        if len(index) > MAX_ARCHIVE_MEMBERS:
            raise NoSubmission(f"holds more than {MAX_ARCHIVE_MEMBERS:,} files{_THE_MOST}")
        if characters > MAX_ARCHIVE_NAMES:
            most = size_of(MAX_ARCHIVE_NAMES)
            raise NoSubmission(f"has names of more than {most} together{_THE_MOST}")
    return index


def _refused(nature: str) -> Unreadable:
    if nature == TWICE:
        return Unreadable(DENIED, _UNCLEAR)
    told = "a folder" if nature == FOLDER else nature
    return Unreadable(NOT_REGULAR, f"is {told}, not a regular file")


def _not_through(nature: str, *, there: bool) -> Unreadable:
    if nature == LINK:
        return Unreadable(NOT_REGULAR, _THROUGH_LINK)
    if there or nature == TWICE:  # below a member that is no folder: no file system has both
        return Unreadable(DENIED, _UNCLEAR)
    return Unreadable(MISSING, _ABSENT)
