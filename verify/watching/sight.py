"""What one grading looked at: remembered, so that a later change of it is noticed."""

from __future__ import annotations

import json
import os
import stat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from verify.history.history import History
    from verify.submission import Submission

MAX_PATHS = 256  # a plan may name thousands of files; the exercise's own come first

_OF_HISTORY = (".git/HEAD", ".git/logs/HEAD", ".pipeline/history.bundle")  # change with a commit

Stamp = tuple[int, ...]  # of a file or folder; empty where none stands


class Sight:
    """A submission's door that notes each path and how things stood there just before.

    The root and `paths` are looked at in any case. `stamps` tells things apart from what they are
    later; `incomplete` are files that were missing, empty or no whole JSON: perhaps half-written.
    """

    def __init__(self, submission: Submission, paths: Iterable[str]) -> None:
        self.root = submission.root
        self.stamps: dict[str, Stamp] = {}
        self.incomplete: set[str] = set()
        self._submission = submission
        for path in ("", *paths):
            self._note(path)

    def read(self, path: str) -> bytes:
        """Return a regular file's bytes; raises `Unreadable`."""
        self._note(path)
        self.incomplete.add(path)
        data = self._submission.read(path)
        if _is_whole(path, data):
            self.incomplete.discard(path)
        return data

    def is_file(self, path: str) -> bool:
        """Tell whether a regular file stands at the path, reached without a link."""
        self._note(path)
        found = self._submission.is_file(path)
        if not found:
            self.incomplete.add(path)
        return found

    def names(self, path: str) -> list[str]:
        """Return a folder's sorted entry names; raises `Unreadable`."""
        self._note(path)
        return self._submission.names(path)

    def history(self) -> History | None:
        """Return the history that came with the submission; raises `Unreadable`."""
        for path in _OF_HISTORY:
            self._note(path)
        return self._submission.history()

    def close(self) -> None:
        """Release what is held open."""
        self._submission.close()

    def _note(self, path: str) -> None:
        if len(self.stamps) < MAX_PATHS and path not in self.stamps:
            self.stamps[path] = stamp(self.root, path)


def _is_whole(path: str, data: bytes) -> bool:
    if not path.endswith(".json"):
        return bool(data)
    try:
        json.loads(data)
    except (ValueError, RecursionError):
        return False
    return True


def changed(root: str, stamps: dict[str, Stamp]) -> bool:
    """Tell whether anything is no longer as it was."""
    return any(stamp(root, path) != before for path, before in stamps.items())


def stamp(root: str, path: str) -> Stamp:
    """Return what tells a file's states apart; a link is a thing of its own, never followed.

    The path may be empty, for the root: that changes only by going and coming back.
    """
    steps = list(_way(root, path))
    if len(steps) <= len(_names(path)):
        return ()
    _, status = steps[-1]
    times = (status.st_size, status.st_mtime_ns, status.st_ctime_ns) if path else ()
    return (status.st_mode, status.st_ino, *times)


def folders(root: str, paths: Iterable[str]) -> frozenset[str]:
    """Return the folders that are there on the way to the paths, the root among them."""
    steps = [step for path in paths for step in _way(root, path)]
    return frozenset(place for place, status in steps if stat.S_ISDIR(status.st_mode))


def _way(root: str, path: str) -> Iterator[tuple[str, os.stat_result]]:
    """Yield each step to a path as far as it is there: the root, real folders, its end."""
    place = root
    try:
        status = os.stat(root)  # whoever grades names the root, and may name it by a link
        yield place, status
        for name in _names(path):
            if name in ("", ".", "..") or not stat.S_ISDIR(status.st_mode):
                return
            place = os.path.join(place, name)
            status = os.lstat(place)
            yield place, status
    except (OSError, ValueError):  # not there, out of reach, or no path at all
        return


def _names(path: str) -> list[str]:
    return path.split("/") if path else []
