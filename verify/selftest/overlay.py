"""A submission in memory: a solution's files with a mutant's changes laid over them."""

from __future__ import annotations

import os
from functools import lru_cache
from typing import TYPE_CHECKING

from pipeline.files import MAX_FOLDER_ENTRIES, MISSING, Unreadable, read_file
from verify.history import BUNDLE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from verify.history.history import History


@lru_cache(maxsize=8)  # mutants have the history of their solution
def _opened(data: bytes) -> History:
    from verify.history.history import of_bundle  # few exercises ask a history

    return of_bundle(data)


class Overlay:
    """Files by their paths, some replaced, added or (None) removed; nothing is written to disk."""

    def __init__(
        self, root: str, files: Mapping[str, bytes], changes: Mapping[str, bytes | None] = {}
    ) -> None:
        self.root = root
        self._files = files
        self._changes = changes

    def read(self, path: str) -> bytes:
        """Return the bytes at a path; raises `Unreadable`."""
        data = self._changes[path] if path in self._changes else self._files.get(path)
        if data is None:
            raise Unreadable(MISSING, "does not exist")
        return data

    def is_file(self, path: str) -> bool:
        """Tell whether the path is there after the changes."""
        if path in self._changes:
            return self._changes[path] is not None
        return path in self._files

    def names(self, path: str) -> list[str]:
        """Return the sorted names in a folder, not too many; raises `Unreadable`."""
        below = f"{path}/" if path else ""
        inside = [
            file.removeprefix(below)
            for file in {**self._files, **self._changes}
            if file.startswith(below) and self.is_file(file)
        ]
        if not inside:
            raise Unreadable(MISSING, "does not exist")
        return sorted({name.partition("/")[0] for name in inside})[:MAX_FOLDER_ENTRIES]

    def history(self) -> History | None:
        """Return the history of the bundle among the files; raises `Unreadable`."""
        return _opened(self.read(BUNDLE)) if self.is_file(BUNDLE) else None

    def close(self) -> None:
        """Hold nothing open."""


def files_below(folder: str) -> dict[str, bytes]:
    """Return every file below a folder by its POSIX path relative to it, in sorted order."""
    paths = sorted(os.path.join(path, name) for path, _, names in os.walk(folder) for name in names)
    return {os.path.relpath(path, folder).replace(os.sep, "/"): read_file(path) for path in paths}
