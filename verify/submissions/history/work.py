"""The work on a branch: where it begins and ends, and what became of a commit since."""

from __future__ import annotations

from collections import deque
from itertools import islice, takewhile
from typing import TYPE_CHECKING, NamedTuple

from pipeline.files import DENIED, Unreadable
from pipeline.terminal.display import named
from verify.submissions.history.faults import NO_MAIN, once, way_out

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from verify.submissions.history.history import FileChange, History
    from verify.submissions.history.objects import Commit

MAX_BASES = 300  # commits at which work may begin, the nearest ones
_SHORT = 7  # digits of a hash that may be a word, too
_ARTIFACTS = ".pipeline/"
_UNCLEAR = "git cannot tell where the work begins, because"
_MOVED = f"{_UNCLEAR} {{}} already contains all or part of it"
_CUT_OFF = "it does not include the beginning of the work, because {}"


class BranchWork(NamedTuple):
    """The commits of a branch up to `tip`."""

    commit: str  #: the one that is meant: the claimed one, or what it became since (an amendment,
    #: a rebase, a cherry-pick or a squash)
    tip: str
    main: str = ""  #: the default branch
    bases: tuple[str, ...] = ()  #: the commits after which the work may begin, the empty one for
    #: before the first: one if git can tell, none for any after `first`
    merge: str = ""  #: the commit that merged the work, empty for none
    doubt: str = ""  #: what git cannot tell
    first: str = ""


@once
def work_on(history: History, branch: str, commit: str) -> BranchWork | None:
    """Return the work on a branch that a commit belongs to, None where the branch lacks it.

    Where no branch has the name, it counts as merged and deleted if the commit, or what it became,
    is on the main branch.
    """
    branches = history.branches
    main = branches.default()
    heads = branches.tips_of(main)
    if not heads:
        refuse_cut(history)
    now = place_of(history, branch, commit)
    if not now:
        return None
    tip = history.tip_with(branch, now)
    if not heads:
        return BranchWork(now, tip or now, doubt=f"{_UNCLEAR} {NO_MAIN}. {way_out(NO_MAIN)}")
    if not tip:
        heads = [head for head in heads if now in history.ancestors(head)]
    found = [_against(history, head, tip, now) for head in heads]
    apart = [work for work in found if work.bases]
    work = max(apart, key=lambda w: len(history.ancestors(w.bases[0])), default=found[0])
    work = work._replace(main=main)
    if len(apart) < len(found):
        work = work._replace(first="".join(work.bases[:1]))
        near = tuple(islice(_any_before(history, tip or now, work.first), 2))
        work = work._replace(bases=near if work.first and len(near) == 1 else ())
        if now != commit and not tip and _is_squash(history, heads[0], commit, now):
            work = work._replace(bases=(_first_parent(history, now),))
    return work if len(work.bases) == 1 else work._replace(doubt=_MOVED.format(named(main, 60)))


@once
def place_of(history: History, branch: str, commit: str) -> str:
    """Return a commit if its branch, or for a deleted one the default branch, has it.

    Else return what it became there, empty for nothing. Nothing is looked for if the branch does
    not exist and another one has the commit.
    """
    branches = history.branches
    named_tips = branches.tips_of(branch)
    tips = named_tips or branches.tips_of(branches.default())
    if any(commit in history.ancestors(tip) for tip in tips):
        return commit
    elsewhere = () if named_tips else dict.fromkeys(branches.refs.values())
    if any(commit in history.ancestors(tip) for tip in elsewhere):
        return ""
    return _successor(history, commit, tips)


def _successor(history: History, commit: str, tips: Sequence[str]) -> str:
    old, past = history.commit(commit), history.ancestors(commit)
    newer = dict.fromkeys(name for tip in tips for name in history.ancestors(tip))
    later = [name for name in newer if name not in past]
    same = (name for name in later if _is_rewritten(old, history.commit(name)))
    squash = (name for name in later[:MAX_BASES] if _is_squash(history, tips[0], commit, name))
    before = _first_parent(history, commit)
    whole = (tip for tip in tips if _is_squash(history, before, tip, commit))
    return next((name for found in (same, squash, whole) for name in found), "")


def _is_rewritten(old: Commit, new: Commit) -> bool:
    """Return whether a commit was amended, rebased or picked, or has the tree of another one."""
    is_beside = bool(old.parents) and old.parents == new.parents
    is_same_time = old.authored == new.authored
    if old.message != new.message:  # an amendment is made later than it was written
        is_amended = is_beside and is_same_time and new.authored < new.committed
        return old.tree == new.tree or is_amended or old.id in new.message
    return old.tree == new.tree or is_beside or is_same_time


def _is_squash(history: History, main: str, tip: str, squash: str) -> bool:
    """Return whether one commit makes the changes of all commits of a branch from `main`.

    If others changed the files, too, it changes the same files, and has the subject of the branch.
    """
    many = _without_artifacts(history.changes(_bases(history, main, tip)[0], tip))
    before, path = _first_parent(history, squash), next(iter(many), "")
    if not many or history.entry_at(squash, path) == history.entry_at(before, path):
        return False  # most commits: the rest takes longer
    single = _without_artifacts(history.changes(before, squash))
    if many.keys() != single.keys():
        return False
    subject, message = history.commit(tip).message.split("\n")[0], history.commit(squash).message
    is_named = bool(subject) and subject in message
    return is_named or all(many[path].new == single[path].new for path in many)


def _first_parent(history: History, commit: str) -> str:
    return next(iter(history.commit(commit).parents), "")


def successor_by_words(history: History, branch: str, sha: str, subject: str) -> str:
    """Return what became of a commit that git does not have any more, empty for nothing.

    That is a commit of the branch that was made after it was written (amended, rebased), or, if
    the branch was deleted, one of the default branch; it has the subject, or the hash.
    """
    named_tips = history.branches.tips_of(branch)
    tips = named_tips or history.branches.tips_of(history.branches.default())
    for name in dict.fromkeys(name for tip in tips for name in history.ancestors(tip)):
        commit = history.commit(name)
        lines = [line.lstrip(" *\t").partition(" (#")[0] for line in commit.message.split("\n")]
        is_named = subject in lines or (len(sha) > _SHORT and sha in commit.message)
        if is_named and (not named_tips or commit.authored < commit.committed):
            return name
    return ""


def commits_of(history: History, work: BranchWork) -> list[str]:
    """Return the commits of a work, the last one only where its beginning is not clear."""
    if len(work.bases) != 1:
        return [work.tip]
    before = history.ancestors(work.bases[0])
    return [name for name in history.ancestors(work.tip) if name not in before]


def changes_of(
    history: History, work: BranchWork, tip: str, paths: Sequence[str], most: int
) -> Iterator[tuple[str, dict[str, FileChange]]]:
    """Yield the commits at which a work may begin, the nearest ones, and what changed since.

    Where git cannot tell, only the first one may have left one of these paths as it is, and more
    than `most` files are not all found. A branch begins at a commit: nothing is before the first.
    Artifacts of the pipeline do not count: they may have their own commit.
    """
    limit = () if len(work.bases) == 1 else (most,)
    plain = [(path, history.entry_at(tip, path)) for path in paths if path.isascii()]
    found = work.bases or islice(_any_before(history, tip, work.first), MAX_BASES)
    for at, base in enumerate(found):
        if not (at and any(history.entry_at(base, path) == entry for path, entry in plain)):
            yield base, _without_artifacts(history.changes(base, tip, *limit))


def _any_before(history: History, tip: str, first: str) -> Iterator[str]:
    """Yield the commits before another, the nearest first, to a first one; else all."""
    before = history.ancestors(first).keys() - {first} if first else set()
    pending, seen = deque([tip]), {tip}
    while pending:
        for parent in history.commit(pending.popleft()).parents:
            if parent not in seen and parent not in before:
                seen.add(parent)
                pending.append(parent)
                yield parent


def left_after(history: History, work: BranchWork) -> list[str]:
    """Return the files that only later commits of the branch change, none where git cannot tell.

    A later change of a file of the work is a fix, as a review asks for.
    """
    if len(work.bases) != 1 or work.commit == work.tip:
        return []
    began = _bases(history, work.bases[0], work.commit)[0]
    whole = _without_artifacts(history.changes(work.bases[0], work.tip))
    return sorted(whole.keys() - history.changes(began, work.commit).keys())


def without_content(history: History, commit: str) -> tuple[str, dict[str, FileChange]] | None:
    """Return the first parent of a commit that changes no content since, and what it changes."""
    before = _first_parent(history, commit)
    changes = _without_artifacts(history.changes(before, commit))
    is_content = any(change.old[1] != change.new[1] for change in changes.values())
    return None if is_content else (before, changes)


def is_unrelated(history: History, work: BranchWork) -> bool:
    """Return whether no commit of the main branch is before a commit: no forge can compare them."""
    past = history.ancestors(work.commit).keys()
    before = [past.isdisjoint(history.ancestors(base)) for base in work.bases]
    if all(before) if before else len(past) == 1:
        refuse_cut(history)
        return True
    return False


def _without_artifacts(changes: dict[str, FileChange]) -> dict[str, FileChange]:
    return {path: c for path, c in changes.items() if f"/{_ARTIFACTS}" not in f"/{path}"}


def _against(history: History, head: str, tip: str, commit: str) -> BranchWork:
    """Return the work compared with one main branch, without bases where it moved along it.

    A branch that was deleted has no `tip`: the merge of `commit` shows where it ended.
    """
    merged = history.between(tip or commit, head)
    merge = "".join(list(takewhile(merged.__contains__, history.first_parents(head)))[-1:])
    if merge == (tip or commit):
        return BranchWork(commit, merge)
    if not tip:
        sides = history.commit(merge).parents[1:]
        tip = next((side for side in sides if commit in history.ancestors(side)), commit)
    before = _first_parent(history, merge) if merge else head
    return BranchWork(commit, tip, bases=_bases(history, before, tip), merge=merge)


@once
def _bases(history: History, before: str, tip: str) -> tuple[str, ...]:
    """Return where a branch began: at the last commit of the main one's own line that it has.

    What it shares with the main branch after that came there by a merge, of others' work or of
    its own first part: git cannot tell.
    """
    past, main_line = history.ancestors(tip), history.ancestors(before)
    line = islice(filter(past.__contains__, history.first_parents(before)), 1)
    last = [name for name in past if name in main_line and main_line.keys().isdisjoint(past[name])]
    if not last:
        refuse_cut(history)
    return tuple(dict.fromkeys([*line, *last])) or ("",)


def refuse_cut(history: History) -> None:
    """Refuse to answer where the beginning of a work may be among what a clone lacks."""
    if history.cut:
        raise Unreadable(DENIED, _CUT_OFF.format(history.cut))
