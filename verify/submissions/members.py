"""What an archive has at each path, and how reading it is refused where it is damaged."""

from __future__ import annotations

import lzma
import re
from contextlib import contextmanager
from functools import partial
from io import BytesIO
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from pipeline.files import (
    DENIED,
    FILE,
    FOLDER,
    LINK,
    MAX_BYTES,
    MISSING,
    NOT_REGULAR,
    OUR_FAULTS,
    Unreadable,
    size_of,
    too_large,
)
from verify.submissions.files import (
    HEAD,
    MAX_FOLDER_ENTRIES,
    MAX_FOLDER_LEVELS,
    Unresolved,
    checked_parts,
    is_debris,
    reached_by_link,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

TWICE = "twice"  # the nature of a path that two members have
OUTSIDE = "every file has an unusable path (such as ../x) or was added by the operating system"
UNCLEAR = "is in the archive more than once, so it is unclear which one counts"
_DRIVE = re.compile("[A-Za-z]:")
MAX_NAME = 4_096  # characters
MAX_ARCHIVE_MEMBERS = 50_000
MAX_ARCHIVE_FOLDERS = 20_000  # including those that exist only in paths of members
MAX_ARCHIVE_NAMES = 8 << 20
MAX_NESTED_ARCHIVE = 128 << 20  # a learner's archive within another one, packed or unpacked
XZ_MEMORY = 256 << 20  # bytes: xz -9 takes 65 MiB to unpack
_MAX_LEVELS = MAX_FOLDER_LEVELS + 5  # its name, and folders around the root
CUT = "cannot be read: it is damaged or cut short"
DAMAGED = "cannot be read: it is damaged in the archive"
_LARGE = f"needs more than {size_of(XZ_MEMORY)} of memory to unpack"


class Member(NamedTuple):
    """What an archive has at a path."""

    nature: str  #: file, folder, link or other
    read: Callable[[int], bytes]  #: all of it, at most so many bytes
    head: Callable[[int], bytes] = lambda _: b""  #: its first bytes

    def stream(self) -> BinaryIO:
        """Return an archive that is a member of another one, in memory; raises `Unreadable`."""
        return BytesIO(self.read(MAX_NESTED_ARCHIVE))


_FOLDER = Member(FOLDER, lambda _: b"")


class Members:
    """The files of an archive by their paths.

    If several members have one path, none of them counts; members without a path are ignored.
    Raises `Unresolved` if the archive has no files, or too many members or folders.
    """

    def __init__(
        self,
        root: str,
        members: Iterable[tuple[str, Member]],
        close: Callable[[], None] = lambda: None,
        *,
        may_be_empty: bool = False,
    ) -> None:
        self.root = root
        self.close = close
        self._may_be_empty = may_be_empty
        self._members: dict[str, Member] = {}
        self._folders: dict[str, set[str]] = {"": set()}
        try:
            self._index(members)
        except BaseException:
            self.close()
            raise

    def read(self, path: str, limit: int = MAX_BYTES) -> bytes:
        """Return the bytes of the regular file at a path; raises `Unreadable`, `Unresolved`."""
        member = self._at(path)
        if member.nature == TWICE:
            raise Unreadable(DENIED, UNCLEAR)
        if member.nature != FILE:
            raise Unreadable(NOT_REGULAR, f"is {member.nature}, not a regular file")
        return member.read(limit)

    def head(self, path: str) -> bytes:
        """Return the first bytes of a regular file, none of a damaged one; raises `Unreadable`."""
        member = self._at(path)
        with refusing(partial(Unreadable, DENIED), DAMAGED):
            return member.head(HEAD) if member.nature == FILE else b""

    def stream(self, path: str) -> BinaryIO:
        """Return an archive in the archive, read into memory; raises `Unreadable`."""
        return self._at(path).stream()

    def is_file(self, path: str) -> bool:
        """Return whether there is a regular file at the path, reached without a link."""
        try:
            return self._at(path).nature == FILE
        except Unreadable:
            return False

    def names(self, path: str, most: int = MAX_FOLDER_ENTRIES) -> list[str]:
        """Return the sorted names in a folder, at most so many; raises `Unreadable`."""
        if path:
            self._check_folders(f"{path}/name")
        if path not in self._folders:
            raise Unreadable(MISSING, "does not exist")
        return sorted(self._folders[path])[:most]

    def _index(self, members: Iterable[tuple[str, Member]]) -> None:
        characters = ignored = 0
        for path, member in members:
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
                raise _too_much(f"file names that total more than {size_of(MAX_ARCHIVE_NAMES)}")
        if not self._members and not self._may_be_empty:
            why = f" that count: {OUTSIDE}" if ignored else ""
            raise Unresolved(f"the archive has no files{why}")

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

    def _at(self, path: str) -> Member:
        """Return what is at a path; raises `Unreadable`."""
        self._check_folders(path)
        found = self._members.get(path) or (_FOLDER if path in self._folders else None)
        if found is None:
            raise Unreadable(MISSING, "does not exist")
        return found

    def _check_folders(self, path: str) -> None:
        """Check that each step but the last is a folder; raises `Unreadable`."""
        folder, _ = checked_parts(path)
        while folder and folder not in self._members:
            folder = folder.rpartition("/")[0]
        if not folder:
            return
        nature = self._members[folder].nature
        if nature == LINK:
            raise reached_by_link()
        if path in self._members or nature == TWICE:  # no file system has both
            raise Unreadable(DENIED, UNCLEAR)
        raise Unreadable(MISSING, "does not exist")


def _too_much(what: str) -> Unresolved:
    return Unresolved(f"the archive has {what} (the limit)")


@contextmanager
def refusing(refusal: Callable[[str], Exception], damaged: str = CUT) -> Iterator[None]:
    """Turn what is wrong with an archive or a member into a refusal, but not our own fault."""
    try:
        yield
    except Unresolved as fault:
        raise refusal(str(fault)) from None
    except Exception as error:  # noqa: BLE001  # hostile bytes make the libraries raise anything
        raise_our_own(error)
        is_large = isinstance(error, lzma.LZMAError) and "limit" in str(error)
        raise refusal(_LARGE if is_large else damaged) from None


def raise_our_own(error: BaseException | None) -> None:
    """Raise a fault that is not the archive's: the disk fails, or memory runs out."""
    machine = isinstance(error, OSError) and error.errno in OUR_FAULTS
    if error is not None and (machine or isinstance(error, MemoryError)):
        raise error


def path_of(name: str) -> str:
    """Return the path of a member by its name; empty for debris and for what is not a path."""
    name = name.replace("\\", "/")
    while name.startswith("./"):
        name = name[2:]
    name = name.removesuffix("/")
    if len(name) > MAX_NAME or "\0" in name or _DRIVE.match(name):
        return ""
    steps = name.split("/")
    if len(steps) > _MAX_LEVELS or not {"", ".", ".."}.isdisjoint(steps):
        return ""
    return "" if any(map(is_debris, steps)) else name


def of_stated_size(read: Callable[[], bytes], size: int, limit: int) -> bytes:
    """Return the bytes of a member that states its size; raises `Unreadable`."""
    if size > limit:
        raise too_large(limit)
    with refusing(partial(Unreadable, DENIED), DAMAGED):
        data = read()
        if len(data) != size:
            raise EOFError
    return data
