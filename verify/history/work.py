"""Where the work that a commit belongs to begins and ends, and how it came to the main branch."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pipeline.reading import MISSING, Unreadable
from verify.history.history import Beyond
from verify.history.past import own_line

if TYPE_CHECKING:
    from collections.abc import Iterable

    from verify.history.history import History


MAX_CALLED = 8  # refs of one short name that are walked through, those of one commit counted once


class Work(NamedTuple):
    """The commits of a branch after `base`, up to `tip`.

    `ref` is the branch's full name, empty where it was deleted after a merge. `main` is the full
    name of the branch that it is held against. `merge` is the commit by which it came there, empty
    where it did not or by none of its own; `forwarded` tells that its commits are on the main
    branch's own line, as if they had been made there.
    """

    ref: str
    tip: str
    main: str
    base: str
    merge: str
    forwarded: bool


class NoMain(Unreadable):
    """A history without a branch to hold the work against."""

    def __init__(self) -> None:
        super().__init__(MISSING, "has no main branch to hold the work against")


def work_on(history: History, branch: str, commit: str) -> Work | None:
    """Return the work on a branch that a commit belongs to, None where it is not on that branch.

    Where no branch has the name, it counts as merged and deleted if the commit is on the main
    branch. The work begins where the main branch's own line and the branch meet; a branch that the
    main one was moved along begins at its last commit's first parent: of those before, nothing
    tells which were made on the branch. Of the main branches of many remotes, the first
    `MAX_CALLED` count.

    Raises:
        Unreadable: something of the history is damaged or lacking.
        Beyond: it is too large.
        NoMain: no branch is called as the remote's default one, `main` or `master`.
    """
    asked = ("work", branch, commit)
    if asked not in history.known:
        history.known[asked] = _work_on(history, branch, commit)
    found: Work | None = history.known[asked]
    return found


def _work_on(history: History, branch: str, commit: str) -> Work | None:
    ref, tip = holder(history, branch, commit)
    if not ref and history.branches.called(branch):
        return None
    mains = _apart(history.branches.called(history.branches.default()))[:MAX_CALLED]
    if not mains:
        raise NoMain
    found = [_against(history, each, ref, tip or commit) for each in mains]
    found = [work for work in found if ref or work.merge or work.forwarded]
    if not found:
        return None
    apart = [work for work in found if not work.forwarded]
    best = max(apart or found, key=lambda work: _time(history, work.base))
    return best._replace(forwarded=len(apart) < len(found))


def holder(history: History, branch: str, commit: str) -> tuple[str, str]:
    """Return the branch of that name which has a commit, full name and tip, two empty for none.

    Raises:
        Unreadable: as `work_on`.
        Beyond: more than `MAX_CALLED` have the name, and the first ones lack the commit.
    """
    refs = _apart(history.branches.called(branch))
    for ref, tip in refs[:MAX_CALLED]:
        if history.past(tip).holds(commit):
            return ref, tip
    if len(refs) > MAX_CALLED:
        raise Beyond(f"has more than {MAX_CALLED} branches of one name to look through")
    return "", ""


def _apart(refs: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return refs with their commits, the first one of each commit."""
    first: dict[str, str] = {}
    for ref, tip in refs:
        first.setdefault(tip, ref)
    return [(ref, tip) for tip, ref in first.items()]


def _against(history: History, main: tuple[str, str], ref: str, tip: str) -> Work:
    """Return the work up to a commit, held against one branch."""
    name, head = main
    base = _base(history, head, tip)
    if base == tip:
        parent = next(iter(history.commit(tip).parents), "")
        return Work(ref, tip, name, parent, "", forwarded=True)
    merge = _merge(history, head, tip)
    if merge and not ref:  # the branch is gone: what was merged tells where it ended
        sides = history.commit(merge).parents[1:]
        tip = next((side for side in sides if history.past(side).holds(tip)), tip)
        base = _base(history, head, tip)
    return Work(ref, tip, name, base, merge, forwarded=False)


def _base(history: History, head: str, tip: str) -> str:
    """Return the last commit of a branch's own line that is before another one, or is it.

    Where the own line has none, it is one that was merged into it before, empty only where nothing
    is shared.
    """
    past = history.past(tip)
    later: list[str] = []
    found = ""
    for name in own_line(history, head):
        if past.seems_to_hold(name):
            found = name
            break
        later.append(name)
    # dates may have hidden one; if the earliest of them is not before the tip, none is
    while later and past.holds(later[-1]):
        found = later.pop()
    return found or _shared(history, head, tip)


def _shared(history: History, head: str, tip: str) -> str:
    """Return what a branch had of another one by merges, before it brought that one in itself."""
    merge = _merge(history, head, tip)
    before = next(iter(history.commit(merge).parents), "") if merge else head
    if not before:
        return ""
    shared = set(history.past(before).all_of())
    return next((each for each in history.past(tip).all_of() if each in shared), "")


def _merge(history: History, head: str, tip: str) -> str:
    """Return the commit of a branch's own line that brought another one in, empty for none."""
    after = history.past(head).through(tip)
    found = ""
    for name in own_line(history, head):
        if name not in after:
            break
        found = name
    return found


def _time(history: History, name: str) -> int:
    return history.commit(name).committed if name else -1


def commits_of(history: History, work: Work) -> tuple[str, ...]:
    """Return the commits of a work, the latest first along each parent; raises `Unreadable`."""
    before = history.past(work.base) if work.base else None
    found: dict[str, None] = {}
    waiting = [work.tip]
    while waiting:
        name = waiting.pop()
        if name in found or (before is not None and before.seems_to_hold(name)):
            continue
        found[name] = None
        waiting += history.commit(name).parents
    return tuple(found)
