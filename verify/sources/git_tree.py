"""A submission as one commit holds it: its files are read from the commit, not from a work tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.limits import MAX_FOLDER_ENTRIES
from pipeline.reading import DENIED, MISSING, NOT_REGULAR, Unreadable
from verify.history.deltas import DamagedObject
from verify.history.objects import FOLDER_MODE as _TREE
from verify.history.objects import KIND_OF_MODE as _KIND
from verify.submission import MAX_HELD, checked_parts

if TYPE_CHECKING:
    from verify.history.history import History
    from verify.history.objects import TreeEntry
    from verify.sources.git_opening import Opened

_FILE, _LINK, _MODULE = 0o100000, 0o120000, 0o160000
_NATURES = {
    _TREE: "is a folder, not a regular file",
    _LINK: "is a link, not a regular file",
    _MODULE: "is a submodule, not a regular file",
}
_BEHIND = {
    _LINK: "is reached through a link, which is not followed",
    _MODULE: "lies in a submodule, which is not part of the commit",
}


class CommitTree:
    """The files of a commit, by their POSIX paths relative to its root.

    Raises:
        Unreadable: the commit is damaged or lacking.
    """

    def __init__(self, root: str, repository: Opened) -> None:
        objects = repository.objects
        self.root = root
        self.commit = objects.commit(repository.commit)
        self._objects = objects
        self._past = repository.past
        self._history: History | None = None
        self._top = objects.tree_of(self.commit)
        self._trees: dict[str, dict[bytes, TreeEntry]] = {}

    def close(self) -> None:
        """Close the repository."""
        self._objects.close()

    def read(self, path: str) -> bytes:
        """Return the bytes of the regular file at a path.

        Raises:
            Unreadable: missing, no regular file, behind a link or a submodule, too large, damaged.
        """
        entry = self._entry(path)
        if entry.mode & _KIND != _FILE:
            raise Unreadable(NOT_REGULAR, _NATURES.get(entry.mode & _KIND, "is no regular file"))
        return self._objects.blob(entry.id)

    def is_file(self, path: str) -> bool:
        """Tell whether a regular file stands at the path, reached without a link."""
        try:
            return self._entry(path).mode & _KIND == _FILE
        except Unreadable:
            return False

    def names(self, path: str) -> list[str]:
        """Return a folder's sorted entry names, at most `folder_entries`; raises `Unreadable`."""
        if path:
            checked_parts(f"{path}/name")
        return sorted(name.decode("utf-8", "surrogateescape") for name in self._tree(path))[
            :MAX_FOLDER_ENTRIES
        ]

    def history(self) -> History:
        """Return the repository's own history; raises `Unreadable`."""
        if self._history is None:
            try:
                self._history = self._past()
            except DamagedObject as error:
                raise Unreadable(DENIED, f"the repository cannot be read: {error}") from None
        return self._history

    def _entry(self, path: str) -> TreeEntry:
        folder, name = checked_parts(path)
        found = self._tree(folder).get(name.encode("utf-8", "surrogateescape"))
        if found is None:
            raise _missing()
        return found

    def _tree(self, path: str) -> dict[bytes, TreeEntry]:
        held = self._trees.get(path)
        if held is None:
            held = self._objects.tree(self._tree_id(path) if path else self._top)
            if len(self._trees) >= MAX_HELD:
                self._trees.clear()
            self._trees[path] = held
        return held

    def _tree_id(self, path: str) -> str:
        entry = self._entry(path)
        kind = entry.mode & _KIND
        if kind == _TREE:
            return entry.id
        raise Unreadable(NOT_REGULAR, _BEHIND[kind]) if kind in _BEHIND else _missing()


def _missing() -> Unreadable:
    return Unreadable(MISSING, "does not exist")
