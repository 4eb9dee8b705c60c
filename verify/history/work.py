"""The work that a commit belongs to: where it begins and ends, its merge, its changed files."""

from __future__ import annotations

import stat
from functools import wraps
from itertools import islice, takewhile
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from pipeline.files import DENIED, MISSING, Unreadable
from pipeline.terminal.display import named
from verify.history.objects import BeyondLimits

if TYPE_CHECKING:
    from collections.abc import Callable

    from verify.history.history import History

MAX_BASES = 100  # commits at which work may begin
MAX_ENTRIES = 100_000  # of folders that are compared
MAX_CHANGED = 5_000  # files
SUBMODULE = 0o160000  # git's mode
_MOVED = "git cannot tell where the work begins: {} already has it, or a part of it"
_LOST = "git cannot tell what came of the commit: no branch has it, as after a squash or a rebase"

T = TypeVar("T")


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


def _once(find: Callable[[History, str, str], T]) -> Callable[[History, str, str], T]:
    @wraps(find)
    def cached(history: History, one: str, other: str) -> T:
        question = (find.__name__, one, other)
        if question not in history.answers:
            history.answers[question] = find(history, one, other)
        answer: T = history.answers[question]
        return answer

    return cached


@_once
def work_on(history: History, branch: str, commit: str) -> Work | None:
    """Return the work on a branch that a commit belongs to, None where it is not on that branch.

    Where no branch has the name, it counts as merged and deleted if the commit is on the main
    branch, and as squashed away if it is on none. Raises `Unreadable`, also where there is no
    default branch.
    """
    tip, main = tip_with(history, branch, commit), history.branches.default()
    if not tip and history.branches.tips_of(branch):
        return None
    heads = history.branches.tips_of(main)
    if not heads:
        raise Unreadable(MISSING, "has no main branch to compare the work with")
    if not tip:
        heads = [head for head in heads if commit in history.ancestors(head)]
        if not heads:
            tips = {*history.branches.refs.values()}
            is_elsewhere = any(commit in history.ancestors(each) for each in tips)
            return None if is_elsewhere else Work(commit, "", (), doubt=_LOST)
    found = [_against(history, head, tip, commit)._replace(main=main) for head in heads]
    apart = [work for work in found if work.bases]
    work = max(apart, key=lambda each: _age(history, each.bases[0]), default=found[0])
    if len(apart) < len(found):
        work = work._replace(bases=_between(history, "".join(work.bases[:1]), tip) if tip else ())
    return work if len(work.bases) == 1 else work._replace(doubt=_MOVED.format(named(main, 60)))


def tip_with(history: History, branch: str, commit: str) -> str:
    """Return the tip of the branch that has a commit, empty for none."""
    tips = history.branches.tips_of(branch)
    return next((tip for tip in tips if commit in history.ancestors(tip)), "")


def _age(history: History, commit: str) -> int:
    """Return how many commits come before one: its date is what its author says."""
    return len(history.ancestors(commit)) if commit else 0


def _against(history: History, head: str, tip: str, commit: str) -> Work:
    """Return the work compared with one main branch, without bases where that was moved along it.

    A branch that was deleted has no `tip`: the merge of `commit` shows where it ended.
    """
    merged = history.between(tip or commit, head)
    merge = "".join(list(takewhile(merged.__contains__, history.first_parents(head)))[-1:])
    if merge == (tip or commit):
        return Work(merge, "", ())
    if not tip:
        sides = history.commit(merge).parents[1:]
        tip = next((side for side in sides if commit in history.ancestors(side)), commit)
    before = next(iter(history.commit(merge).parents), "") if merge else head
    return Work(tip, "", _bases(history, before, tip), merge)


def _bases(history: History, before: str, tip: str) -> tuple[str, ...]:
    """Return where a branch began: at the last commit of the main one's own line that it has.

    What it shares with the main branch after that came there by a merge, of others' work or of its
    own first part: git cannot tell.
    """
    past, other = history.ancestors(tip), history.ancestors(before) if before else {}
    line = islice(filter(past.__contains__, history.first_parents(before)), 1)
    last = [each for each in past if each in other and other.keys().isdisjoint(past[each])]
    if not last and history.cut:
        raise Unreadable(DENIED, f"does not have where the work begins: {history.cut}")
    return tuple(dict.fromkeys([*line, *last])) or ("",)


def _between(history: History, first: str, tip: str) -> tuple[str, ...]:
    """Return the commits from one to before another, none where they are too many."""
    before = history.ancestors(first).keys() - {first} if first else ()
    found = [each for each in history.ancestors(tip) if each != tip and each not in before]
    found += [] if first else [""]
    return tuple(found) if len(found) <= MAX_BASES else ()


def commits_of(history: History, work: Work) -> list[str]:
    """Return the commits of a work, the last one alone where git cannot tell where it begins."""
    if len(work.bases) != 1:
        return [work.tip]
    before = history.ancestors(work.bases[0]) if work.bases[0] else {}
    return [each for each in history.ancestors(work.tip) if each not in before]


@_once
def changed(history: History, before: str, after: str) -> tuple[str, ...]:
    """Return the sorted paths of the files in which two commits differ; `before` may be empty.

    A file that was renamed is two: the one that is gone, and the new one. A link is a file, as it
    is in git; a submodule is not. Raises `Unreadable`, and `BeyondLimits` at the limits.
    """
    found: list[bytes] = []
    trees = [history.commit(each).tree if each else "" for each in (before, after)]
    pending, looked = [(b"", trees)], 0
    while pending:
        folder, pair = pending.pop()
        old, new = (history.tree(each) if each else {} for each in pair)
        looked += len(old) + len(new)
        for name in (name for name in old.keys() | new.keys() if old.get(name) != new.get(name)):
            sides = [tree.get(name, (0, "")) for tree in (old, new)]
            below = [of if stat.S_ISDIR(mode) else "" for mode, of in sides]
            if any(below):
                pending.append((folder + name + b"/", below))
            if any(is_file(mode) for mode, _ in sides):
                found.append(folder + name)
        if looked > MAX_ENTRIES or len(found) > MAX_CHANGED:
            raise BeyondLimits(
                f"it has changes in more than {MAX_CHANGED:,} files or too many folders"
            )
    return tuple(path.decode("utf-8", "surrogateescape") for path in sorted(found))


def mode_at(history: History, commit: str, path: str) -> int:
    """Return git's mode of what a commit has at a path, 0 for nothing; raises `Unreadable`."""
    mode, of = stat.S_IFDIR, history.commit(commit).tree
    for name in path.encode("utf-8", "replace").split(b"/"):
        mode, of = history.tree(of).get(name, (0, "")) if stat.S_ISDIR(mode) else (0, "")
    return mode


def is_file(mode: int) -> bool:
    """Return whether git's mode is a file's or a link's: no folder's, no submodule's."""
    return stat.S_ISREG(mode) or stat.S_ISLNK(mode)
