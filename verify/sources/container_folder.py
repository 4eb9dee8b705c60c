"""A folder of archives, one a learner, folders among them: an unpacked download of a platform."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, Any, NamedTuple

from pipeline.display import visible
from pipeline.limits import MAX_FOLDER_ENTRIES
from pipeline.reading import NO_FOLLOW_FLAGS, read_descriptor, unreadable
from verify.sources.archive_bytes import Damaged, FileBytes
from verify.sources.archive_door import FILE, FOLDER, UNKNOWN, ArchiveDoor, Member
from verify.sources.archive_layout import Layout, Place, Within
from verify.sources.archive_names import is_noise
from verify.sources.archive_opening import (
    ThroughFolder,
    may_surround,
    opened_archive,
    own_archive,
    through_folder,
)
from verify.sources.base import Near, UnusableSource, without_submission
from verify.sources.folder import folder_door
from verify.submission import NoSubmission

if TYPE_CHECKING:
    from collections.abc import Iterator

    from typing_extensions import Self

    from verify.sources.base import Entry
    from verify.submission import Submission

KIND = "archives"


class Standing(NamedTuple):
    """What a worker is sent: the entries of one submission, each with its path within it."""

    inner: str
    names: tuple[str, ...]
    paths: tuple[str, ...]


class ArchivesSource:
    """The archives and folders directly in a folder, by their names; links are passed over.

    Raises:
        UnusableSource: it cannot be listed, or holds no submission.
    """

    kind = KIND

    def __init__(self, path: str, naming: str = "") -> None:
        self.container = os.path.abspath(path)
        self._names = listing(self.container)
        above = os.path.basename(self.container)
        self._layout = Layout(self._places, above, naming, around=False)

    def entries(self) -> Iterator[Entry]:
        """Yield one entry a submission, sorted by name; raises `UnusableSource` for none."""
        empty = True
        for entry in self._layout.entries():
            empty = False
            yield entry
        if empty:
            raise without_submission(self.container)

    def payload(self, inner: str) -> Standing:
        """Return the names of what stands in the folder for a submission."""
        payload = self._layout.payload(inner)
        within = Within(payload)
        found = [
            (name, within.path(name, is_folder=is_folder), is_folder)
            for start, end in payload.stretches
            for name, is_folder in self._names[start:end]
        ]
        mine = [(name, path) for name, path, is_folder in found if path or is_folder]
        return Standing(inner, tuple(n for n, _ in mine), tuple(p for _, p in mine))

    def close(self) -> None:
        """Hold nothing."""

    def _places(self, _: str) -> Iterator[Place]:
        for index, (name, is_folder) in enumerate(self._names):
            yield Place(name, is_folder, index, index + 1)


def listing(folder: str) -> list[tuple[str, bool]]:
    """Return the names of the files and folders in a folder, sorted, with which are folders.

    Raises:
        UnusableSource: it cannot be listed.
    """
    return sorted(listed(folder))


def listed(folder: str) -> Iterator[tuple[str, bool]]:
    """Yield the same as `listing`, in the order of the disk; raises as it does."""
    try:
        with os.scandir(folder) as found:
            for each in found:
                if each.name[0] == "." or is_noise(each.name) or each.is_symlink():
                    continue
                is_folder = each.is_dir()
                if is_folder or each.is_file():
                    yield each.name, is_folder
    except OSError as error:
        told = f"{visible(folder, 300)} cannot be listed"
        raise UnusableSource(f"{told}: {(error.strerror or 'unknown').lower()}") from None


class ArchivesBackend(Near):
    """The folder as a worker opens it."""

    def __init__(self, container: str) -> None:
        self._container = container
        self._open: list[FileBytes] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        while self._open:
            self._open.pop().close()

    def submission(self, payload: Standing) -> Submission:
        """Return the door to a submission; raises `NoSubmission`."""
        self.__exit__()  # one archive is open at a time
        folders = [
            name for name, path in zip(payload.names, payload.paths, strict=True) if not path
        ]
        if folders:
            return self._in_folder(payload.inner, os.path.join(self._container, folders[0]))
        members = [
            Member(path, FILE, os.path.join(self._container, name))
            for name, path in zip(payload.names, payload.paths, strict=True)
        ]
        door = ArchiveDoor(payload.inner, members, _read_file)
        tops = door.tops()
        own = own_archive(tops, door.member)
        if not own:
            return through_folder(door, tops)
        return self._in_archive(payload.inner, members[0].handle)

    def _in_folder(self, root: str, path: str) -> Submission:
        tops = _tops(path)
        natures = {member.path: member for member in tops}
        own = own_archive(list(natures), natures.get)
        if own:
            return self._in_archive(root, os.path.join(path, own))
        door = folder_door(path)
        if len(tops) == 1 and tops[0].nature == FOLDER and may_surround(tops[0].path):
            return ThroughFolder(door, tops[0].path)
        return door

    def _in_archive(self, root: str, path: str) -> Submission:
        try:
            data = FileBytes(path, follow=False)
        except OSError as error:
            raise NoSubmission(str(unreadable(error))) from None
        except Damaged as error:
            raise NoSubmission(str(error)) from None
        self._open.append(data)
        return opened_archive(root, os.path.basename(path), data)


def _tops(path: str) -> list[Member]:
    """Return the entries of a learner's folder, which may be anything; raises `NoSubmission`."""
    try:
        with os.scandir(path) as found:
            entries = [each for each, _ in zip(found, range(MAX_FOLDER_ENTRIES), strict=False)]
        return [
            Member(each.name, _nature(each), None) for each in entries if not is_noise(each.name)
        ]
    except OSError as error:
        raise NoSubmission(str(unreadable(error))) from None


def _nature(entry: os.DirEntry[str]) -> str:
    mode = entry.stat(follow_symlinks=False).st_mode
    return FILE if stat.S_ISREG(mode) else FOLDER if stat.S_ISDIR(mode) else UNKNOWN


def _read_file(path: Any, limit: int) -> bytes:
    try:
        descriptor = os.open(path, NO_FOLLOW_FLAGS)
    except (OSError, ValueError) as error:
        raise unreadable(error) from None
    return read_descriptor(descriptor, limit)
