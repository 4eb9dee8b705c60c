"""The history among an archive's members: a `.git`, or the bundle that was handed in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.limits import MAX_BYTES, MAX_HISTORY
from pipeline.reading import MISSING, NOT_REGULAR, Unreadable
from verify.history.opening import bundled, of_files
from verify.history.places import GIT
from verify.history.readers import MemoryReader

if TYPE_CHECKING:
    from verify.history.history import History
    from verify.history.readers import Reader
    from verify.sources.archive_door import ArchiveDoor


def history_in(door: ArchiveDoor, root: str) -> History | None:
    """Return the history in an archive, below a folder of it (with its slash) or in its root.

    Raises:
        Unreadable: there is one that cannot be read; why, in one line.
    """

    def bundle(path: str) -> bytes:
        return _bytes_of(door, path, MAX_HISTORY)

    if door.is_file(f"{root}{GIT}/HEAD"):
        return of_files(MemberFiles(door, f"{root}{GIT}/"))
    history = bundled(bundle, root)
    if history is None and door.is_file(f"{root}{GIT}"):
        told = f"{root}{GIT} is a file that points to another repository, which is not read"
        raise Unreadable(NOT_REGULAR, told)
    return history


class MemberFiles:
    """The files of a repository as members of an archive, below a prefix."""

    def __init__(self, door: ArchiveDoor, prefix: str) -> None:
        self._door = door
        self._prefix = prefix

    def read(self, path: str, limit: int = MAX_BYTES) -> bytes:
        """Return a member's bytes; raises `Unreadable`."""
        return _bytes_of(self._door, self._prefix + path, limit)

    def reader(self, path: str) -> Reader:
        """Return a reader of a member, which is unpacked for it; raises `Unreadable`."""
        return MemoryReader(self.read(path, MAX_HISTORY))

    def has(self, path: str) -> bool:
        """Tell whether a regular file stands at a path."""
        return self._door.is_file(self._prefix + path)

    def names(self, path: str, most: int) -> list[str]:
        """Return the sorted names in a folder, none where it is missing; raises `Unreadable`."""
        try:
            return self._door.names(self._prefix + path)[:most]
        except Unreadable as error:
            if error.reason == MISSING:
                return []
            raise


def _bytes_of(door: ArchiveDoor, path: str, limit: int) -> bytes:
    if not door.is_file(path):
        return door.read(path)  # says why it cannot be read
    member = door.member(path)
    if member is None:
        raise Unreadable(MISSING, "does not exist")
    return door.bytes_of(member, limit)
