"""The work that a commit belongs to: where it begins and ends, its merge, its changed files."""

from __future__ import annotations

import stat
from functools import partial
from itertools import islice, takewhile
from typing import TYPE_CHECKING, NamedTuple

from pipeline.display import named
from pipeline.reading import MISSING, Unreadable
from verify.history.objects import Beyond, TreeEntry

if TYPE_CHECKING:
    from verify.history.history import History

MAX_BASES = 100  # commits at which work may begin
MAX_CALLED = 8  # refs of one short name that are walked through, those of one commit counted once
MAX_ENTRIES = 100_000  # of folders that are compared
MAX_CHANGED = 5_000  # files
FILE, FOLDER, SUBMODULE = "file", "folder", "submodule"
_MAX_LEVELS = 64
_MOVED = "git cannot tell where the work begins: {} already has it, or a part of it"
_LOST = "git cannot tell what came of the commit: no branch has it, as after a squash or a rebase"


class Work(NamedTuple):
    """The commits of a branch up to `tip`; `main` is the default branch, if a branch has the work.

    `bases` are the commits after which they may begin, the empty one for before the first: a single
    one where git can tell, none where there are too many or the tip is not known. `merge` is the
    commit that merged the work, empty for none. `doubt` says in one line what git cannot tell.
    """

    tip: str
    main: str
    bases: tuple[str, ...]
    merge: str = ""
    doubt: str = ""


def work_on(history: History, branch: str, commit: str) -> Work | None:
    """Return the work on a branch that a commit belongs to, None where it is not on that branch.

    Where no branch has the name, it counts as merged and deleted if the commit is on the main
    branch, and as squashed away if it is on none. Of the main branches of many remotes, the first
    `MAX_CALLED` count. Raises `Unreadable`, also where there is no default branch.
    """
    return history.once(("work", branch, commit), partial(_work_on, history, branch, commit))


def _work_on(history: History, branch: str, commit: str) -> Work | None:
    ref, tip = holder(history, branch, commit)
    if not ref and history.branches.called(branch):
        return None
    main = history.branches.default()
    heads = [head for _, head in history.branches.called(main)[:MAX_CALLED]]
    if not heads:
        raise Unreadable(MISSING, "has no main branch to compare the work with")
    if not ref:
        heads = [head for head in heads if history.past(head).holds(commit)]
        if not heads:
            tips = {*history.branches.refs.values()}
            is_elsewhere = any(history.past(each).holds(commit) for each in tips)
            return None if is_elsewhere else Work(commit, "", (), doubt=_LOST)
    found = [_against(history, head, tip, commit)._replace(main=main) for head in heads]
    apart = [work for work in found if work.bases]
    work = max(apart, key=lambda each: _age(history, each.bases[0]), default=found[0])
    if len(apart) < len(found):
        work = work._replace(bases=_between(history, "".join(work.bases[:1]), tip) if ref else ())
    return work if len(work.bases) == 1 else work._replace(doubt=_MOVED.format(named(main, 60)))


def holder(history: History, branch: str, commit: str) -> tuple[str, str]:
    """Return the full name and tip of the branch that has a commit, both empty for none."""
    for index, (ref, tip) in enumerate(history.branches.called(branch)):
        if index >= MAX_CALLED:
            raise Beyond(f"it has more than {MAX_CALLED} branches of one name")
        if history.past(tip).holds(commit):
            return ref, tip
    return "", ""


def _age(history: History, commit: str) -> int:
    """Return how many commits come before one: its date is what its author says."""
    return len(history.past(commit).found) if commit else 0


def _against(history: History, head: str, tip: str, commit: str) -> Work:
    """Return the work compared with one main branch, without bases where that was moved along it.

    A branch that was deleted has no `tip`: the merge of `commit` shows where it ended.
    """
    merge = _merge(history, head, tip or commit)
    if merge == (tip or commit):
        return Work(merge, "", ())
    if not tip:
        sides = history.commit(merge).parents[1:]
        tip = next((side for side in sides if history.past(side).holds(commit)), commit)
    before = next(iter(history.commit(merge).parents), "") if merge else head
    return Work(tip, "", _bases(history, before, tip), merge)


def _merge(history: History, head: str, tip: str) -> str:
    """Return the commit of a branch's own line that brought another one in, empty for none."""
    after = history.past(head).through(tip)
    line = list(takewhile(after.__contains__, history.own_line(head)))
    return line[-1] if line else ""


def _bases(history: History, before: str, tip: str) -> tuple[str, ...]:
    """Return where a branch began: at the last commit of the main one's own line that it has.

    What it shares with the main branch after that came there by a merge, of others' work or of its
    own first part: git cannot tell.
    """
    past = history.past(tip)
    line = [name for name in islice(filter(past.holds, history.own_line(before)), 1) if before]
    shared = past.found.keys() & (history.past(before).found if before else ())
    last = [each for each in past.found if each in shared and shared.isdisjoint(past.found[each])]
    return tuple(dict.fromkeys([*line, *last])) or ("",)


def _between(history: History, first: str, tip: str) -> tuple[str, ...]:
    """Return the commits from one to before another, none where they are too many."""
    past = history.past(tip)
    before = history.past(first).found.keys() - {first} if first else ()
    found = [each for each in (past.found if first else (*past, "")) if each not in before]
    found.remove(tip)
    return tuple(found) if len(found) <= MAX_BASES else ()


def commits_of(history: History, work: Work) -> tuple[str, ...]:
    """Return the commits of a work, the latest first along each parent; raises `Unreadable`.

    Where git cannot tell where it begins, that is the last one alone.
    """
    if len(work.bases) != 1:
        return (work.tip,)
    before = history.past(work.bases[0]) if work.bases[0] else None
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
