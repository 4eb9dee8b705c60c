"""Which files of the repository a turn's role may read and write."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from pipeline.files import is_inside

if TYPE_CHECKING:
    from pipeline.drivers.base import Turn

_GIT = {".git", "git~1"}  # its config may hold credentials, and its hooks run by themselves
_NOT_OF_WORK = {*_GIT, ".pipeline"}  # and other agents' artifacts


class Rights(NamedTuple):
    """What a turn's role may read and write."""

    turn: Turn
    folder: str  #: where relative paths start

    def at(self, path: str) -> Rights | None:
        """Return the rights of commands run in a folder; None if it is not in the repository."""
        folder = os.path.realpath(os.path.join(self.folder, path))
        is_seen = self.may_read(path) and os.path.isdir(folder)
        return self._replace(folder=folder) if is_seen else None

    def may_read(self, path: str) -> bool:
        """Return whether a path really leads into the repository, and not into git's own files."""
        found = self._inside(self.turn.root, path)
        return bool(found) and _GIT.isdisjoint(_parts(found))

    def may_write(self, path: str) -> bool:
        """Return whether the role may change a file."""
        found = self._inside(self.turn.root, path)
        if not found or found == self._artifact():
            return bool(found)
        if self.turn.writes != "project" or not _NOT_OF_WORK.isdisjoint(_parts(found)):
            return False
        target = os.path.join(self.turn.root, self.turn.target)
        return self._inside(target, path) not in {"", os.curdir}

    def is_in(self, path: str) -> bool:
        """Return whether commands run exactly in a folder, relative to the repository's root."""
        return self.folder == os.path.realpath(os.path.join(self.turn.root, path))

    def _artifact(self) -> str:
        if not self.turn.artifact or self.turn.writes == "nothing":
            return ""
        return self._inside(self.turn.root, os.path.join(self.turn.root, self.turn.artifact))

    def _inside(self, folder: str, path: str) -> str:
        """Return where a path really leads, relative to a folder; empty if outside of it."""
        if "\0" in path:
            return ""
        real, base = os.path.realpath(os.path.join(self.folder, path)), os.path.realpath(folder)
        return os.path.relpath(real, base) if is_inside(real, base) else ""


def _parts(path: str) -> list[str]:
    """Return a path's names as any system may read them: Windows opens `.git` for `.GIT.:x`."""
    names = (name.partition(":")[0].rstrip(" .") for name in path.casefold().split(os.sep))
    return ["".join(filter(str.isprintable, name)) for name in names]
