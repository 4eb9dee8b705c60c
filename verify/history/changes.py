"""The files in which two commits differ: folders that are the same are not looked into."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verify.history.history import Beyond
from verify.history.objects import FOLDER_MODE, KIND_OF_MODE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verify.history.history import History
    from verify.history.objects import TreeEntry

MAX_ENTRIES = 100_000  # of folders that are compared
MAX_CHANGED = 5_000  # files
_MAX_LEVELS = 64


def changed(history: History, before: str, after: str) -> tuple[str, ...]:
    """Return the sorted paths of the files in which two commits differ; `before` may be empty.

    A file that was renamed is two: the one that is gone, and the new one. Submodules and links are
    files here, as they are in git.

    Raises:
        Unreadable: something is damaged or lacking.
        Beyond: more folders or files than are looked at.
    """
    asked = ("changed", before, after)
    if asked not in history.known:
        history.known[asked] = _changed(history, before, after)
    found: tuple[str, ...] = history.known[asked]
    return found


def _changed(history: History, before: str, after: str) -> tuple[str, ...]:
    trees = (history.commit(before).tree if before else "", history.commit(after).tree)
    found: list[str] = []
    waiting, looked = [("", *trees)], 0
    while waiting:
        folder, *pair = waiting.pop()
        if folder.count("/") > _MAX_LEVELS:
            raise Beyond(f"has folders more than {_MAX_LEVELS} deep")
        old, new = (history.tree(each) if each else {} for each in pair)
        looked += len(old) + len(new)
        for name, was, now in _different(old, new):
            path = folder + name
            if _is_folder(was) or _is_folder(now):
                waiting.append((f"{path}/", _tree_id(was), _tree_id(now)))
            if _is_file(was) or _is_file(now):
                found.append(path)
        if looked > MAX_ENTRIES or len(found) > MAX_CHANGED:
            raise Beyond(f"has changes in more than {MAX_CHANGED:,} files or in too many folders")
    return tuple(sorted(found))


def stands_in(history: History, commit: str, path: str) -> bool:
    """Tell whether a commit has a file at a path; raises `Unreadable`."""
    tree = history.commit(commit).tree
    *folders, last = path.encode("utf-8", "surrogateescape").split(b"/")
    for name in folders:
        tree = _tree_id(history.tree(tree).get(name))
        if not tree:
            return False
    return _is_file(history.tree(tree).get(last))


def _different(
    old: dict[bytes, TreeEntry], new: dict[bytes, TreeEntry]
) -> Iterator[tuple[str, TreeEntry | None, TreeEntry | None]]:
    for name in old.keys() | new.keys():
        was, now = old.get(name), new.get(name)
        if was != now:
            yield name.decode("utf-8", "surrogateescape"), was, now


def _is_folder(entry: TreeEntry | None) -> bool:
    return entry is not None and entry.mode & KIND_OF_MODE == FOLDER_MODE


def _is_file(entry: TreeEntry | None) -> bool:
    return entry is not None and entry.mode & KIND_OF_MODE != FOLDER_MODE


def _tree_id(entry: TreeEntry | None) -> str:
    return entry.id if entry is not None and _is_folder(entry) else ""
