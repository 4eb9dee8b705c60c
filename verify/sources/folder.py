"""A folder of folders: one a learner, each read where it stands."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

from pipeline.display import visible
from pipeline.limits import MAX_BYTES, MAX_FOLDER_ENTRIES
from pipeline.reading import MISSING, NO_FOLLOW_FLAGS, Unreadable, read_descriptor, unreadable
from verify.beneath import folder_opener
from verify.folder import MAX_HELD, Folder, PortableFolder
from verify.sources.archive_names import is_noise
from verify.sources.archive_opening import may_surround
from verify.sources.base import BARE, REPOSITORY, Entry, Near, UnusableSource
from verify.sources.kept_names import kept
from verify.submission import NoSubmission, checked_parts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from typing_extensions import Self

    from verify.history.history import History
    from verify.submission import Submission

KIND = "folder"
_AT_ONCE = 1 << 16  # bytes that one call reads: more is read on, within the limit of all artifacts
_FEW = 8  # entries that tell whether a folder stands alone, with what a system adds
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)
_SUBFOLDER = _FOLDER | getattr(os, "O_NOFOLLOW", 0)


class FolderSource:
    """The folders directly in a folder; links and names that begin with a dot are passed over.

    Raises:
        UnusableSource: the folder is missing, is none, or may not be read.
    """

    kind = KIND

    def __init__(self, path: str) -> None:
        self.container = os.path.abspath(path)
        if not os.path.isdir(self.container):
            raise UnusableSource(f"{visible(path, 300)} is not a folder")

    def entries(self) -> Iterator[Entry]:
        """Yield one entry a folder, sorted by name.

        Raises:
            UnusableSource: the folder cannot be listed.
        """
        try:
            with os.scandir(self.container) as found:
                names = sorted(entry.name for entry in found if _is_submission(entry))
        except OSError as error:
            told = f"{visible(self.container, 300)} cannot be listed"
            raise UnusableSource(f"{told}: {(error.strerror or 'unknown').lower()}") from None
        for name in names:
            told = kept(name)
            yield Entry(told, told)

    def payload(self, inner: str) -> str:
        """Return the folder's name."""
        if "\\" not in inner:
            return inner
        with os.scandir(self.container) as found:
            return next((entry.name for entry in found if kept(entry.name) == inner), inner)

    def close(self) -> None:
        """Hold nothing."""


def _is_submission(entry: os.DirEntry[str]) -> bool:
    return not entry.name.startswith(".") and entry.is_dir(follow_symlinks=False)


class FolderBackend(Near):
    """The folder as a worker opens it; entering raises `UnusableSource` where it is gone."""

    def __init__(self, container: str) -> None:
        self._container = container
        self._opened = folder_opener()
        self._base = -1

    def __enter__(self) -> Self:
        if self._opened is not None:
            try:
                self._base = os.open(self._container, _FOLDER)
            except OSError as error:
                told = f"{visible(self._container, 300)} {unreadable(error)}"
                raise UnusableSource(f"the folder of submissions {told}") from None
        return self

    def __exit__(self, *_: object) -> None:
        if self._base >= 0:
            os.close(self._base)
            self._base = -1

    def submission(self, payload: str) -> Submission:
        """Return the door to one folder; that it is gone is told by its first use."""
        if self._opened is None:
            return folder_door(os.path.join(self._container, payload))
        return FolderBeneath(self._opened, self._base, payload)


class FolderWithHistory(Folder):
    """A folder that is a submission: its root is the folder itself, or the one it is asked for."""

    _histories: dict[str, History | None] | None = None

    def history(self, root: str = "") -> History | None:
        """Return the history below `root`; raises `Unreadable`."""
        if self._histories is None:
            self._histories = {}
        if root not in self._histories:
            from verify.history.opening import history_of

            self._histories[root] = history_of(self, root)
        return self._histories[root]

    def close(self) -> None:
        """Close every folder that was opened."""
        self._histories = None
        super().close()


class PortableWithHistory(PortableFolder, FolderWithHistory):
    """The same where the system opens nothing relative to a descriptor."""


def folder_door(root: str) -> FolderWithHistory:
    """Return the door to a submission in a folder; raises `NoSubmission`."""
    return FolderWithHistory(root) if os.open in os.supports_dir_fd else PortableWithHistory(root)


class FolderBeneath(FolderWithHistory):
    """A submission in a folder below an open one: its own folders open in one call each.

    What that call refuses is walked step by step as `Folder` does, to say why. The walk begins at
    the submission's own folder, which raises `NoSubmission` where it is gone.

    Where all that is handed in lies in one folder, what is missing is looked for there too: people
    unpack an archive into a folder of its name, and the folder is in the archive as well.
    """

    def __init__(  # pylint: disable=super-init-not-called
        self, opened: Callable[[int, bytes], int], base: int, name: str
    ) -> None:
        self.root = name
        self._opened = opened
        self._base = base
        self._folders = {}
        self._around: str | None = None  # the one folder around everything, empty where none is

    def read(self, path: str, limit: int = MAX_BYTES) -> bytes:
        """Return the bytes of the regular file at a path; raises `Unreadable`.

        A small regular file takes one call: pipes refuse to be read from a place, and a device has
        nothing or no end, which the careful reading then tells.
        """
        folder, name = checked_parts(path)
        try:
            held = self._folders.get(folder) or self._folder(folder)
            descriptor = os.open(name, NO_FOLLOW_FLAGS, dir_fd=held)
        except (OSError, ValueError, Unreadable) as error:
            return self._read_within(path, error, limit)
        try:
            data = os.pread(descriptor, _AT_ONCE + 1, 0)
        except OSError:
            return read_descriptor(descriptor, limit)
        if 0 < len(data) <= min(_AT_ONCE, limit):
            os.close(descriptor)
            return data
        return read_descriptor(descriptor, limit)

    def is_file(self, path: str) -> bool:
        """Tell whether a regular file stands at the path, reached without a link."""
        stands = super().is_file
        return stands(path) or (bool(self._within()) and stands(f"{self._within()}/{path}"))

    def names(self, path: str, most: int = MAX_FOLDER_ENTRIES) -> list[str]:
        """Return a folder's sorted names, at most so many; raises `Unreadable`."""
        try:
            return super().names(path, most)
        except Unreadable as error:
            if error.reason != MISSING or not self._within():
                raise
            return super().names(f"{self._within()}/{path}", most)

    def history(self, root: str = "") -> History | None:
        """Return the history that came with the submission; raises `Unreadable`."""
        found = super().history(root)
        if found is None and self._within():
            return super().history(f"{self._within()}/")
        return found

    def _read_within(
        self, path: str, error: OSError | ValueError | Unreadable, limit: int
    ) -> bytes:
        fault = error if isinstance(error, Unreadable) else unreadable(error)
        if fault.reason != MISSING or not self._within():
            raise fault from None
        return super().read(f"{self._within()}/{path}", limit)

    def _within(self) -> str:
        """Return the one visible folder that everything lies in, empty where there is none."""
        if self._around is None:
            self._refuse_repository()
            with os.scandir(self._folder("")) as found:
                entries = [entry for entry, _ in zip(found, range(_FEW), strict=False)]
            shown = [entry for entry in entries if not is_noise(entry.name)]
            lone = len(shown) == 1 and _is_submission(shown[0]) and may_surround(shown[0].name)
            self._around = shown[0].name if lone else ""
        return self._around

    def _refuse_repository(self) -> None:
        """Refuse a bare repository: its work is in no file, and that must not count as missing."""
        with suppress(OSError):
            for name in REPOSITORY:
                os.stat(name, dir_fd=self._folder(""), follow_symlinks=False)
            raise NoSubmission(BARE)

    def _folder(self, path: str) -> int:
        held = self._folders.get(path)
        if held is not None:
            return held
        if path and "\0" not in path and len(self._folders) < MAX_HELD:
            checked_parts(f"{path}/name")  # refuses what the walk would refuse
            held = self._opened(self._base, os.fsencode(f"{self.root}/{path}"))
            if held >= 0:
                self._folders[path] = held
                return held
        if "" not in self._folders:
            self._folders[""] = self._own()
        return super()._folder(path) if path else self._folders[""]

    def _own(self) -> int:
        try:
            return os.open(self.root, _SUBFOLDER, dir_fd=self._base)
        except OSError as error:
            raise NoSubmission(str(unreadable(error))) from None
