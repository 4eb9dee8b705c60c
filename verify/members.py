"""The files of an archive by their paths, as a folder would have them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple
from unicodedata import normalize

from pipeline.files import (
    DENIED,
    MAX_ARCHIVE_FOLDERS,
    MAX_ARCHIVE_MEMBERS,
    MAX_ARCHIVE_NAMES,
    MAX_BYTES,
    MAX_FOLDER_ENTRIES,
    MISSING,
    NOT_REGULAR,
    Unreadable,
    size_of,
)
from pipeline.terminal.display import named
from verify.files import SUBMIT, Unresolved, checked_parts, reached_by_link

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

FILE, FOLDER, LINK = "a file", "a folder", "a link"
TWICE = "twice"
REPACK = "Pack the folder again as a .zip (method Deflate) or .tar.gz without a password."
OUTSIDE = "its names are not paths within it (such as ../x and /x), or are what a system leaves"
UNCLEAR = "is in the archive more than once: which one counts is unclear"


class Locked(Unreadable):
    """A file of an archive is there and cannot be unpacked: a person has to look."""


class Member(NamedTuple):
    """What an archive has at a path: FILE or what else it is, and how to read it.

    `read` takes the most bytes to return; it raises `Unreadable`.
    """

    nature: str
    read: Callable[[int], bytes]


class Members:
    """The files of an archive, or any others, by their paths.

    Of several members with one path none counts; those without a path are ignored.

    Raises:
        Unresolved: there is no file, or there are more members or folders than are read.
    """

    def __init__(
        self,
        root: str,
        members: Iterable[tuple[str, Member]],
        closed: Callable[[], object] | None = None,
        *,
        may_be_empty: bool = False,
    ) -> None:
        self.root = root
        self._closed = closed
        self._may_be_empty = may_be_empty
        self._members: dict[str, Member] = {}
        self._folders: dict[str, set[str]] = {"": set()}
        self._composed: dict[str, str] | None = None
        self._index(members)

    def read(self, path: str, limit: int = MAX_BYTES) -> bytes:
        """Return the bytes of the regular file at a path.

        Raises:
            Unreadable: missing, not regular, reached through a link, there twice, damaged in the
                archive, too large.
            Unresolved: it is encrypted, or packed by a method that is not read.
        """
        path = self._own(path)
        member = self._members.get(path)
        if member is None:
            if path in self._folders:
                raise _refused(FOLDER)
            raise Unreadable(MISSING, "does not exist")
        if member.nature != FILE:
            raise _refused(member.nature)
        try:
            return member.read(limit)
        except Locked as fault:
            raise Unresolved(f"{named(path)} {fault}", REPACK) from None

    def is_file(self, path: str) -> bool:
        """Return whether there is a regular file at the path, reached without a link."""
        try:
            member = self._members.get(self._own(path))
        except Unreadable:
            return False
        return member is not None and member.nature == FILE

    def names(self, path: str, most: int = MAX_FOLDER_ENTRIES) -> list[str]:
        """Return the sorted names in a folder, at most so many; raises `Unreadable`."""
        path = self._own(f"{path}/name")[: -len("/name")] if path else ""
        if path not in self._folders:
            raise Unreadable(MISSING, "does not exist")
        return sorted(self._folders[path])[:most]

    def close(self) -> None:
        """Close the archive, where it belongs to these members."""
        if self._closed is not None:
            self._closed()

    def _index(self, members: Iterable[tuple[str, Member]]) -> None:
        characters = ignored = 0
        for number, (path, member) in enumerate(members):
            if number >= 2 * MAX_ARCHIVE_MEMBERS:  # with those that are ignored
                raise _too_much(f"more than {2 * MAX_ARCHIVE_MEMBERS:,} files")
            if not path:
                ignored += 1
                continue
            self._enlist(path, is_folder=member.nature == FOLDER)
            if member.nature == FOLDER:
                continue
            characters += len(path)
            twice = path in self._members
            self._members[path] = Member(TWICE, member.read) if twice else member
            if len(self._members) > MAX_ARCHIVE_MEMBERS:
                raise _too_much(f"more than {MAX_ARCHIVE_MEMBERS:,} files")
            if characters > MAX_ARCHIVE_NAMES:
                raise _too_much(f"names of more than {size_of(MAX_ARCHIVE_NAMES)} together")
        if not self._members and not self._may_be_empty:
            why = f": {OUTSIDE}" if ignored else ""
            raise Unresolved(f"the archive has no file{why}", SUBMIT)

    def _enlist(self, path: str, *, is_folder: bool) -> None:
        if is_folder:
            self._folders.setdefault(path, set())
        folder, _, name = path.rpartition("/")
        while folder and folder not in self._folders:
            self._folders[folder] = {name}
            folder, _, name = folder.rpartition("/")
        self._folders[folder].add(name)
        if len(self._folders) > MAX_ARCHIVE_FOLDERS:
            raise _too_much(f"more than {MAX_ARCHIVE_FOLDERS:,} folders")

    def _own(self, path: str) -> str:
        """Return a path as the archive spells it; raises `Unreadable` for one through no folder."""
        folder, _ = checked_parts(path)
        if path not in self._members and not path.isascii():
            path = self._spelling(path)
            folder = path.rpartition("/")[0]
        while folder:
            if folder in self._members:
                raise self._not_through(folder, path)
            folder = folder.rpartition("/")[0]
        return path

    def _spelling(self, path: str) -> str:
        """Return the one path that differs in Unicode's composition only.

        Archives made on macOS spell letters and accents apart, where others have one character.
        """
        if self._composed is None:
            self._composed = {}
            for own in sorted(self._members):
                composed = normalize("NFC", own)
                self._composed[composed] = "" if composed in self._composed else own
        own = self._composed.get(normalize("NFC", path), path)
        if not own:
            raise Unreadable(DENIED, UNCLEAR)
        return own

    def _not_through(self, folder: str, path: str) -> Unreadable:
        nature = self._members[folder].nature
        if nature == LINK:
            return reached_by_link()
        if path in self._members or nature == TWICE:  # no file system has both
            return Unreadable(DENIED, UNCLEAR)
        return Unreadable(MISSING, "does not exist")


def _refused(nature: str) -> Unreadable:
    if nature == TWICE:
        return Unreadable(DENIED, UNCLEAR)
    return Unreadable(NOT_REGULAR, f"is {nature}, not a regular file")


def _too_much(what: str) -> Unresolved:
    return Unresolved(f"the archive has {what}, the most that is read", SUBMIT)
