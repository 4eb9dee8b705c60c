"""The files of a submission: their interface, and a folder read by descriptors, without links."""

from __future__ import annotations

import errno
import os
import re
import stat
from contextlib import AbstractContextManager
from itertools import islice
from typing import BinaryIO, Protocol

from pipeline.files import (
    MAX_BYTES,
    MISSING,
    NO_FOLLOW_FLAGS,
    NOT_REGULAR,
    Unreadable,
    is_link,
    nature_of,
    read_descriptor,
    unreadable,
)

SUBMIT = "Submit the folder of the project, or one .zip or .tar.gz of it."
MAX_FOLDER_ENTRIES = 1_000  # in which a misspelt name is looked for
MAX_FOLDER_LEVELS = 64

HEAD = 512  # bytes that tell what a file is

_SUFFIX = re.compile(  # a browser adds the second one until a download is complete
    r"\.(?:zip|(?:tar\.?)?(?:gz|xz|bz2|zst)|tar|tgz|txz|tbz2?|tzst|7z|rar)"
    r"(?:\.(?:crdownload|download|part|tmp))?\Z",
    re.IGNORECASE,
)
_LONGEST_SUFFIX = 19
# how archives begin: a .zip with its first member or the end of an empty one, what is packed as a
# whole, and what is not read
ZIP_STARTS = (b"PK\3\4", b"PK\5\6")
GZIP, XZ, BZIP2 = b"\x1f\x8b", b"\xfd7zXZ", b"BZh"
UNREAD = {b"7z\xbc\xaf": "7z", b"Rar!": "RAR", b"\x28\xb5\x2f\xfd": "Zstandard"}
_PACKED = (*ZIP_STARTS, GZIP, XZ, BZIP2, *UNREAD)
_ZIP_OF_A_PROGRAM = re.compile(
    r"\.(?:apk|docx|epub|ipa|jar|key|nupkg|numbers|od[pst]|pages|pptx|vsix|war|whl|xlsx|xpi)\Z",
    re.IGNORECASE,
)
_DOCUMENT = re.compile(  # a project never consists of these alone
    r"\A(?:read.?me|licen[cs]e)(?:\..*)?\Z|\.(?:docx?|epub|gif|heic|html?|jpe?g|key|lnk|log|md|mov|mp4|numbers|od[pst]|pages|pdf|png"
    r"|pptx?|rtf|svg|txt|url|web(?:loc|p)|xlsx?)\Z",
    re.IGNORECASE,
)
_FOLDER_FLAGS = NO_FOLLOW_FLAGS | getattr(os, "O_DIRECTORY", 0)
_NO_STEP = frozenset({"", ".", ".."})
_DEBRIS = frozenset(
    ("__MACOSX", ".DS_Store", "Thumbs.db", "thumbs.db", "ehthumbs.db", "desktop.ini", "Desktop.ini")
)


class NoSubmission(Exception):
    """The path that the user named is missing or cannot be opened; the message is one line."""


class Unresolved(Exception):
    """A person has to look: `reason` is what was found, `step` what to submit instead."""

    def __init__(self, reason: str, step: str = SUBMIT) -> None:
        super().__init__(reason, step)
        self.reason, self.step = reason, step

    def __str__(self) -> str:
        return self.reason


class Readable(Protocol):
    """Files by their POSIX paths: those of a submission, or of a commit."""

    def read(self, path: str) -> bytes:
        """Return a regular file's bytes; raises `Unreadable`."""

    def is_file(self, path: str) -> bool:
        """Return whether there is a regular file at the path, reached without a link."""

    def names(self, path: str) -> list[str]:
        """Return a folder's sorted entry names, not too many; raises `Unreadable`."""


class Files(Readable, Protocol):
    """The files of a folder or an archive, before its root is known."""

    root: str

    def read(self, path: str, limit: int = MAX_BYTES) -> bytes:
        """Return a regular file's bytes, at most `limit`; raises `Unreadable`."""

    def head(self, path: str) -> bytes:
        """Return the first bytes of a regular file, at most `HEAD`; raises `Unreadable`."""

    def stream(self, path: str) -> BinaryIO:
        """Return an open archive; raises `Unreadable`."""

    def names(self, path: str, most: int = MAX_FOLDER_ENTRIES) -> list[str]:
        """Return a folder's sorted entry names, at most so many; raises `Unreadable`."""

    def close(self) -> None:
        """Release what is open."""


def is_debris(name: str) -> bool:
    """Return whether a system left a file of this name: it is not a learner's work."""
    return name.startswith("._") or name in _DEBRIS


def archive_suffix(name: str) -> str:
    """Return an archive's suffix as the name has it, also of kinds that cannot be read, or ""."""
    found = _SUFFIX.search(name[-_LONGEST_SUFFIX:]) if "." in name else None
    return found[0] if found and len(found[0]) < len(name) else ""


def is_archive(name: str, head: bytes) -> bool:
    """Return whether a file is an archive, by its name or its first bytes."""
    if archive_suffix(name):
        return True
    is_packed = head.startswith(_PACKED) or head[257:262] == b"ustar"
    return is_packed and not _ZIP_OF_A_PROGRAM.search(name)


def is_document(name: str) -> bool:
    """Return whether a file alone, or beside others of its kind, cannot be a project."""
    return _DOCUMENT.search(name) is not None


def checked_parts(path: str) -> tuple[str, str]:
    """Return a path's folder and last name.

    Raises `Unreadable`: a step is empty, `.` or `..`, or the file is too many folders deep.
    """
    steps = path.split("/")
    if not _NO_STEP.isdisjoint(steps) or "\\" in path:
        raise Unreadable(MISSING, "is not a path within the submission")
    if len(steps) > MAX_FOLDER_LEVELS + 1:
        raise Unreadable(MISSING, f"is more than {MAX_FOLDER_LEVELS} folders deep")
    return path.rpartition("/")[0], steps[-1]


def reached_by_link() -> Unreadable:
    """Return the refusal of a file behind a link."""
    return Unreadable(NOT_REGULAR, "is reached through a link, which is not followed")


class Folder(AbstractContextManager["Folder"]):
    """The files of a folder: each step is opened below the one before it; raises `NoSubmission`."""

    def __init__(self, root: str) -> None:
        self.root = root
        self._opened: list[int] = []  # the root, and each folder on the way to the last one
        self._last: str | None = ""
        try:
            self._open_root()
        except (OSError, ValueError) as error:
            is_other = getattr(error, "errno", None) == errno.ENOTDIR
            raise NoSubmission("is not a folder" if is_other else str(unreadable(error))) from None

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close every folder that is open."""
        while self._opened:
            os.close(self._opened.pop())

    def read(self, path: str, limit: int = MAX_BYTES) -> bytes:
        """Return the bytes of the regular file at a path; raises `Unreadable`."""
        return read_descriptor(self._descriptor(path), limit)

    def head(self, path: str) -> bytes:
        """Return the first bytes of a regular file; raises `Unreadable`."""
        with self.stream(path) as file:
            return file.read(HEAD)

    def stream(self, path: str) -> BinaryIO:
        """Return an open regular file; raises `Unreadable`."""
        file = os.fdopen(self._descriptor(path), "rb", 0)
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            file.close()
            raise Unreadable(NOT_REGULAR, f"is {nature_of(status.st_mode)}, not a regular file")
        return file

    def _descriptor(self, path: str) -> int:
        """Return a descriptor of anything at a path; raises `Unreadable`."""
        try:
            name, folder = self._place(path)
            return os.open(name, NO_FOLLOW_FLAGS, dir_fd=folder)
        except (OSError, ValueError) as error:
            raise unreadable(error) from None

    def is_file(self, path: str) -> bool:
        """Return whether there is a regular file at the path, reached without a link."""
        try:
            name, folder = self._place(path)
            status = os.stat(name, dir_fd=folder, follow_symlinks=False)
        except Unreadable:
            return False
        except (OSError, ValueError) as error:
            unreadable(error)  # raises our own faults
            return False
        return stat.S_ISREG(status.st_mode)

    def names(self, path: str, most: int = MAX_FOLDER_ENTRIES) -> list[str]:
        """Return the sorted names in a folder, at most so many; raises `Unreadable`."""
        try:
            if path:
                checked_parts(f"{path}/name")
            with os.scandir(self._folder(path)) as entries:
                return sorted(entry.name for entry in islice(entries, most))
        except (OSError, ValueError) as error:
            raise unreadable(error) from None

    def _open_root(self) -> None:
        # the user names the root, and may do so by a link
        self._opened.append(os.open(self.root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))

    def _place(self, path: str) -> tuple[str, int | None]:
        """Return a path's last name, and a descriptor of the folder that it is in."""
        folder, name = checked_parts(path)
        return name, self._folder(folder)

    def _folder(self, path: str) -> int:
        if path != self._last:
            self._last = None
            while len(self._opened) > 1:
                os.close(self._opened.pop())
            for name in filter(None, path.split("/")):
                self._opened.append(_opened_below(self._opened[-1], name))
            self._last = path
        return self._opened[-1]


class PortableFolder(Folder):
    """The same for a system that cannot open files relative to a descriptor (Windows).

    A link that is swapped in between checking a step and opening the file would be followed.
    """

    def _open_root(self) -> None:
        os.listdir(self.root)

    def _place(self, path: str) -> tuple[str, int | None]:
        checked_parts(path)
        return self._folder(path), None

    def _folder(self, path: str) -> str:  # type: ignore[override]  # both can be listed
        walked = self.root
        for name in filter(None, path.split("/")):
            walked = os.path.join(walked, name)
            if is_link(os.lstat(walked)):
                raise reached_by_link()
        return walked


def folder_at(path: str) -> Folder:
    """Return the files of a folder; raises `NoSubmission`."""
    return Folder(path) if os.open in os.supports_dir_fd else PortableFolder(path)


def _opened_below(above: int, name: str) -> int:
    try:
        return os.open(name, _FOLDER_FLAGS, dir_fd=above)
    except OSError as error:
        status = os.stat(name, dir_fd=above, follow_symlinks=False)
        if error.errno == errno.ENOTDIR and stat.S_ISLNK(status.st_mode):
            raise reached_by_link() from None
        raise
