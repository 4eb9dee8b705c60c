"""The work that a commit belongs to: where it begins and ends, its merge, its changed files."""

from __future__ import annotations

import stat
from functools import partial
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

from pipeline.reading import MISSING, Unreadable
from verify.history.objects import Beyond, TreeEntry

if TYPE_CHECKING:
    from verify.history.history import History

MAX_CALLED = 8  # refs of one short name that are walked through, those of one commit counted once
MAX_ENTRIES = 100_000  # of folders that are compared
MAX_CHANGED = 5_000  # files
FILE, FOLDER, SUBMODULE = "file", "folder", "submodule"
_MAX_LEVELS = 64


class Work(NamedTuple):
    """The commits of a branch after `base`, up to `tip`.

    `ref` is the branch's full name, empty where it was deleted after a merge. `main` is the full
    name of the branch that it is compared with, `merge` the commit that merged it there, empty for
    none; `forwarded` means that its commits are on the main branch's own line.
    """

    ref: str
    tip: str
    main: str
    base: str
    merge: str
    forwarded: bool


def work_on(history: History, branch: str, commit: str) -> Work | None:
    """Return the work on a branch that a commit belongs to, None where it is not on that branch.

    Where no branch has the name, it counts as merged and deleted if the commit is on the main
    branch. The work begins where the main branch's own line and the branch meet; a branch that the
    main one was moved along has its last commit only. Of the main branches of many remotes, the
    first `MAX_CALLED` count. Raises `Unreadable`, also where there is no default branch.
    """
    return history.once(("work", branch, commit), partial(_work_on, history, branch, commit))


def _work_on(history: History, branch: str, commit: str) -> Work | None:
    ref, tip = holder(history, branch, commit)
    if not ref and history.branches.called(branch):
        return None
    mains = history.branches.called(history.branches.default())[:MAX_CALLED]
    if not mains:
        raise Unreadable(MISSING, "has no main branch to compare the work with")
    found = [_against(history, each, ref, tip or commit) for each in mains]
    found = [work for work in found if ref or work.merge or work.forwarded]
    if not found:
        return None
    apart = [work for work in found if not work.forwarded]
    times = {work.base: history.commit(work.base).committed if work.base else -1 for work in found}
    best = max(apart or found, key=lambda work: times[work.base])
    return best._replace(forwarded=len(apart) < len(found))


def holder(history: History, branch: str, commit: str) -> tuple[str, str]:
    """Return the full name and tip of the branch that has a commit, both empty for none."""
    for index, (ref, tip) in enumerate(history.branches.called(branch)):
        if index >= MAX_CALLED:
            raise Beyond(f"it has more than {MAX_CALLED} branches of one name")
        if history.past(tip).holds(commit):
            return ref, tip
    return "", ""


def _against(history: History, main: tuple[str, str], ref: str, tip: str) -> Work:
    """Return the work up to a commit, compared with one branch."""
    name, head = main
    base = _base(history, head, tip)
    if base == tip:
        parent = next(iter(history.commit(tip).parents), "")
        return Work(ref, tip, name, parent, "", forwarded=True)
    merge = _merge(history, head, tip)
    if merge and not ref:  # the branch is gone: what was merged shows where it ended
        sides = history.commit(merge).parents[1:]
        tip = next((side for side in sides if history.past(side).holds(tip)), tip)
        base = _base(history, head, tip)
    return Work(ref, tip, name, base, merge, forwarded=False)


def _base(history: History, head: str, tip: str) -> str:
    """Return the last commit of a branch's own line that another one has, else what they share."""
    past = history.past(tip)
    shared = (name for name in history.own_line(head) if past.holds(name))
    return next(shared, "") or _shared(history, head, tip)


def _shared(history: History, head: str, tip: str) -> str:
    """Return what a branch had of another one by merges, before it brought that one in itself."""
    merge = _merge(history, head, tip)
    before = next(iter(history.commit(merge).parents), "") if merge else head
    if not before:
        return ""
    shared = set(history.past(before))
    return next((each for each in history.past(tip) if each in shared), "")


def _merge(history: History, head: str, tip: str) -> str:
    """Return the commit of a branch's own line that brought another one in, empty for none."""
    after = history.past(head).through(tip)
    line = list(takewhile(after.__contains__, history.own_line(head)))
    return line[-1] if line else ""


def commits_of(history: History, work: Work) -> tuple[str, ...]:
    """Return the commits of a work, the latest first along each parent; raises `Unreadable`."""
    before = history.past(work.base) if work.base else None
    found: dict[str, None] = {}
    pending = [work.tip]
    while pending:
        name = pending.pop()
        if name in found or (before is not None and before.holds(name)):
            continue
        found[name] = None
        pending += history.commit(name).parents
    return tuple(found)


def changed(history: History, before: str, after: str) -> tuple[str, ...]:
    """Return the sorted paths of the files in which two commits differ; `before` may be empty.

    A file that was renamed is two: the one that is gone, and the new one. A link is a file, as it
    is in git; a submodule is not. Raises `Unreadable`, and `Beyond` at the limits.
    """
    return history.once(("changed", before, after), partial(_changed, history, before, after))


def _changed(history: History, before: str, after: str) -> tuple[str, ...]:
    trees = (history.commit(before).tree if before else "", history.commit(after).tree)
    found: list[str] = []
    pending, looked = [("", *trees)], 0
    while pending:
        folder, *pair = pending.pop()
        if folder.count("/") > _MAX_LEVELS:
            raise Beyond(f"it has folders more than {_MAX_LEVELS} deep")
        old, new = (history.tree(each) if each else {} for each in pair)
        looked += len(old) + len(new)
        for name in (name for name in old.keys() | new.keys() if old.get(name) != new.get(name)):
            path = folder + name.decode("utf-8", "surrogateescape")
            entries = [tree[name] for tree in (old, new) if name in tree]
            kinds = [_kind(entry) for entry in entries]
            if FOLDER in kinds:
                pending.append((f"{path}/", _tree_id(old.get(name)), _tree_id(new.get(name))))
            if FILE in kinds:
                found.append(path)
        if looked > MAX_ENTRIES or len(found) > MAX_CHANGED:
            raise Beyond(f"it has changes in more than {MAX_CHANGED:,} files or too many folders")
    return tuple(sorted(found))


def kind_at(history: History, commit: str, path: str) -> str:
    """Return what a commit has at a path, empty for nothing; raises `Unreadable`."""
    entry = TreeEntry(stat.S_IFDIR, history.commit(commit).tree)
    for name in path.encode("utf-8", "replace").split(b"/"):
        below = history.tree(entry.id).get(name) if _kind(entry) == FOLDER else None
        if below is None:
            return ""
        entry = below
    return _kind(entry)


def _kind(entry: TreeEntry) -> str:
    if stat.S_ISDIR(entry.mode):
        return FOLDER
    return FILE if stat.S_ISREG(entry.mode) or stat.S_ISLNK(entry.mode) else SUBMODULE


def _tree_id(entry: TreeEntry | None) -> str:
    return entry.id if entry is not None and _kind(entry) == FOLDER else ""
