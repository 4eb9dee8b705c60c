"""Walks a folder by descriptors: no link is followed, nothing outside it is opened."""

from __future__ import annotations

import errno
import os
import stat
from functools import lru_cache
from typing import TYPE_CHECKING

from pipeline.limits import MAX_BYTES, MAX_FOLDER_ENTRIES, MAX_FOLDER_LEVELS
from pipeline.reading import (
    MISSING,
    NO_FOLLOW_FLAGS,
    NOT_REGULAR,
    OUR_FAULTS,
    Unreadable,
    read_descriptor,
    unreadable,
)

if TYPE_CHECKING:
    from typing_extensions import Self

MAX_HELD = 128  # folders open at a time
_CACHED_PATH = 200  # characters: longer paths are not worth holding in memory

_FOLDER_FLAGS = NO_FOLLOW_FLAGS | getattr(os, "O_DIRECTORY", 0)
_LINK = "is reached through a link, which is not followed"


class NoSubmission(Exception):
    """The submission's root is missing, is not a folder, or may not be opened."""


class Walk:
    """The files of a folder, walked by descriptors: each step is opened below the last one.

    Raises:
        NoSubmission: the root cannot be opened as a folder.
    """

    def __init__(self, root: str) -> None:
        self.root = root
        try:
            # Whoever grades names the root, and may name it by a link.
            descriptor = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except (OSError, ValueError) as error:
            raise NoSubmission(_reason(error)) from None
        self._folders = {"": descriptor}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close every folder that was opened."""
        self._let_go()

    def _let_go(self) -> None:
        while self._folders:
            os.close(self._folders.popitem()[1])

    def read(self, path: str, limit: int = MAX_BYTES) -> bytes:
        """Return the bytes of the regular file at a path.

        Raises:
            Unreadable: missing, a link or reached through one, not regular, denied, too large.
        """
        folder, name = _parted(path)
        try:
            held = self._folders.get(folder) or self._folder(folder)
            descriptor = os.open(_checked(name), NO_FOLLOW_FLAGS, dir_fd=held)
        except (OSError, ValueError) as error:
            raise unreadable(error) from None
        return read_descriptor(descriptor, limit)

    def is_file(self, path: str) -> bool:
        """Tell whether a regular file stands at the path, reached without a link."""
        folder, name = _parted(path)
        try:
            held = self._folder(folder)
            status = os.stat(_checked(name), dir_fd=held, follow_symlinks=False)
        except (OSError, ValueError, Unreadable) as error:
            return _absent(error)
        return stat.S_ISREG(status.st_mode)

    def names(self, path: str, most: int = MAX_FOLDER_ENTRIES) -> list[str]:
        """Return the sorted names in a folder, at most so many; raises `Unreadable`."""
        return self.entries(path, most)

    def entries(self, path: str, most: int) -> list[str]:
        """Return the sorted names in a folder, at most so many; raises `Unreadable`."""
        try:
            with os.scandir(self._folder(path)) as entries:
                return sorted(entry.name for entry, _ in zip(entries, range(most)))  # noqa: B905
        except (OSError, ValueError) as error:
            raise unreadable(error) from None

    def descriptor(self, path: str) -> int:
        """Return a descriptor of what stands at a path, whatever it is; raises `Unreadable`."""
        folder, name = checked_parts(path)
        try:
            return os.open(name, NO_FOLLOW_FLAGS, dir_fd=self._folder(folder))
        except (OSError, ValueError) as error:
            raise unreadable(error) from None

    def _folder(self, path: str) -> int:
        held = self._folders.get(path)
        if held is not None:
            return held
        names = path.split("/")
        if len(names) > MAX_FOLDER_LEVELS:
            raise Unreadable(MISSING, f"lies more than {MAX_FOLDER_LEVELS} folders deep")
        if len(self._folders) > MAX_HELD:
            self._release()
        held, walked = self._folders[""], ""
        for name in names:
            _checked(name)
            walked = f"{walked}/{name}" if walked else name
            below = self._folders.get(walked)
            if below is None:
                below = self._folders[walked] = _opened_below(held, name)
            held = below
        return held

    def _release(self) -> None:
        """Close all folders but the root: a submission may name more than a process may open."""
        root = self._folders.pop("")
        self._let_go()
        self._folders[""] = root


def _absent(error: OSError | ValueError | Unreadable) -> bool:
    """Return False for a file that is not there or out of reach; raise what is our own fault."""
    if isinstance(error, OSError) and error.errno in OUR_FAULTS:
        raise error
    return False


def _opened_below(above: int, name: str) -> int:
    try:
        return os.open(name, _FOLDER_FLAGS, dir_fd=above)
    except OSError as error:
        if error.errno == errno.ENOTDIR and _is_link(name, above):
            raise Unreadable(NOT_REGULAR, _LINK) from None
        raise


class PortableWalk(Walk):
    """The same where the system opens nothing relative to a descriptor (Windows).

    Every step is looked at before the file is opened: a link that is swapped in between would be
    followed, which the walk by descriptors rules out.
    """

    def __init__(self, root: str) -> None:  # pylint: disable=super-init-not-called
        self.root = root
        self._folders = {}
        try:
            os.listdir(root)
        except (OSError, ValueError) as error:
            raise NoSubmission(_reason(error)) from None

    def read(self, path: str, limit: int = MAX_BYTES) -> bytes:
        """Return the bytes of the regular file at a path; raises `Unreadable`."""
        try:
            descriptor = os.open(self._walked(path), NO_FOLLOW_FLAGS)
        except (OSError, ValueError) as error:
            raise unreadable(error) from None
        return read_descriptor(descriptor, limit)

    def is_file(self, path: str) -> bool:
        """Tell whether a regular file stands at the path, reached without a link."""
        try:
            return stat.S_ISREG(os.lstat(self._walked(path)).st_mode)
        except (OSError, ValueError, Unreadable):
            return False

    def names(self, path: str, most: int = MAX_FOLDER_ENTRIES) -> list[str]:
        """Return the sorted names in a folder, at most so many; raises `Unreadable`."""
        return self.entries(path, most)

    def entries(self, path: str, most: int) -> list[str]:
        """Return the sorted names in a folder, at most so many; raises `Unreadable`."""
        try:
            return sorted(os.listdir(self._walked(path) if path else self.root))[:most]
        except (OSError, ValueError) as error:
            raise unreadable(error) from None

    def descriptor(self, path: str) -> int:
        """Return a descriptor of what stands at a path, whatever it is; raises `Unreadable`."""
        try:
            return os.open(self._walked(path), NO_FOLLOW_FLAGS)
        except (OSError, ValueError) as error:
            raise unreadable(error) from None

    def _walked(self, path: str) -> str:
        if path.count("/") > MAX_FOLDER_LEVELS:
            raise Unreadable(MISSING, f"lies more than {MAX_FOLDER_LEVELS} folders deep")
        walked = self.root
        for name in path.split("/"):
            walked = os.path.join(walked, _checked(name))
            status = os.lstat(walked)
            reparse = getattr(status, "st_reparse_tag", 0)  # junctions are links by another name
            if stat.S_ISLNK(status.st_mode) or reparse:
                raise Unreadable(NOT_REGULAR, _LINK)
        return walked


def _parted(path: str) -> tuple[str, str]:
    """Return a path's folder and its last name, which is empty for `/name`: no path of ours."""
    folder, slash, name = path.rpartition("/")
    return (folder, name) if folder or not slash else ("", "")


def checked_parts(path: str) -> tuple[str, str]:
    """Return a path's folder and last name, every step of which is a name.

    Raises:
        Unreadable: a step is empty, `.` or `..`, or the file lies too deep.
    """
    return _checked_short(path) if len(path) <= _CACHED_PATH else _checked_parts(path)


def _checked_parts(path: str) -> tuple[str, str]:
    folder, name = _parted(path)
    _checked(name)
    names = folder.split("/") if folder else []
    if len(names) > MAX_FOLDER_LEVELS:
        raise Unreadable(MISSING, f"lies more than {MAX_FOLDER_LEVELS} folders deep")
    for each in names:
        _checked(each)
    return folder, name


_checked_short = lru_cache(maxsize=4096)(_checked_parts)  # a cohort's paths come back


def _checked(name: str) -> str:
    if name in ("", ".", "..") or "\\" in name:
        raise Unreadable(MISSING, "is not a path within the submission")
    return name


def _is_link(name: str, above: int) -> bool:
    return stat.S_ISLNK(os.stat(name, dir_fd=above, follow_symlinks=False).st_mode)


def _reason(error: OSError | ValueError) -> str:
    number = getattr(error, "errno", None)
    if number == errno.ENOTDIR:
        return "is not a folder"
    return str(unreadable(error))
