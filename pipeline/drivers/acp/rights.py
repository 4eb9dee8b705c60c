"""Where a role may read and write: paths as they really lead, links followed."""

from __future__ import annotations

import os
from glob import iglob
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pipeline.drivers.base import Turn

_OWN = (".git", ".pipeline")  # git's, and other agents' artifacts
_MOST = 1_000  # files that a pattern may name


class Rights:
    """What a turn's role may read and write; relative paths start at `folder`."""

    def __init__(self, turn: Turn, folder: str = "") -> None:
        self.turn = turn
        self.folder = folder or turn.root

    def at(self, path: str) -> Rights | None:
        """Return the rights of commands run in a folder; None if it is not in the repository."""
        folder = os.path.join(self.folder, path)
        if not self.may_read(path) or not os.path.isdir(folder):
            return None
        return Rights(self.turn, os.path.realpath(folder))

    def may_read(self, path: str) -> bool:
        """Return whether a path, or all that a pattern names, is in the repository."""
        return all(self._inside(self.turn.root, each) is not None for each in self._named(path))

    def may_write(self, path: str) -> bool:
        """Return whether the role may change a file, or all that a pattern names."""
        return all(map(self._may_write, self._named(path)))

    def may_make(self, path: str) -> bool:
        """Return whether the role may make a folder: its own, or one on the way to its artifact."""
        made = self._inside(self.turn.root, path)
        artifact = self._artifact()
        on_the_way = made is not None and bool(artifact) and f"{artifact}/".startswith(f"{made}/")
        return on_the_way or self.may_write(path)

    def _may_write(self, path: str) -> bool:
        found = self._inside(self.turn.root, path)
        if found is None:
            return False
        if found == self._artifact():
            return True
        if self.turn.writes != "project" or _is_reserved(found):
            return False
        below = self._inside(os.path.join(self.turn.root, self.turn.target), path)
        return below is not None and below != os.curdir

    def _artifact(self) -> str | None:
        if not self.turn.artifact or self.turn.writes == "nothing":
            return None
        return self._inside(self.turn.root, os.path.join(self.turn.root, self.turn.artifact))

    def _named(self, path: str) -> Iterator[str]:
        yield path
        if "*" in path or "?" in path:
            pattern = os.path.join(self.folder, path)
            found = list(islice(iglob(pattern), _MOST + 1))
            yield from found if len(found) <= _MOST else [os.pardir]

    def _inside(self, folder: str, path: str) -> str | None:
        """Return where a path really leads, relative to a folder; None if that is outside of it."""
        if "\0" in path:
            return None
        real, base = os.path.realpath(os.path.join(self.folder, path)), os.path.realpath(folder)
        if real != base and not real.startswith(os.path.join(base, "")):
            return None
        return os.path.relpath(real, base)


def _is_reserved(path: str) -> bool:
    return any(part.casefold() in _OWN for part in path.split(os.sep))
