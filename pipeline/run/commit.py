"""Puts a worker's files, exactly these, on the issue's branch as one commit."""

from __future__ import annotations

import os
import re
import stat
from typing import TYPE_CHECKING

from pipeline.files import size_of
from pipeline.git import GitFault
from pipeline.run.branch import base_key
from pipeline.run.message import is_message, with_reference
from pipeline.terminal.display import listed, named, visible
from pipeline.terminal.fault import Fault

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pipeline.git import Repository
    from pipeline.run.branch import BranchState, Work

MAX_PUBLISHED = 10 << 20  # bytes of one file
_UNSIGNED = re.compile(
    r"failed to sign|signing failed|failed to write commit object|gpg\.", re.IGNORECASE
)


def commit_work(
    repository: Repository,
    work: Work,
    state: BranchState,
    tell: Callable[[str], None],
    confirm: Callable[[list[str]], None],
) -> str:
    """Make the branch and the commit, and return the commit's full hash.

    `confirm` gets the paths between staging and commit; what it raises keeps them uncommitted.
    """
    if not is_message(work.message):
        raise Fault(f"{named(work.message)} is no message by Conventional Commits 1.0.0")
    paths = changed_files(repository, work, state.changes, tell)
    if not state.is_checked_out:  # one left behind without a commit begins anew at HEAD
        repository.run("config", base_key(state.name), state.base)
        create = "-C" if state.tip else "-c"
        repository.run("switch", "--quiet", "--no-track", create, state.name)
        tell(f"switched to {state.name}, from {state.base}")
    staged = "".join(f"{path}\0" for path in paths)
    repository.run("update-index", "--add", "--remove", "--replace", "-z", "--stdin", text=staged)
    if not repository.attempt("diff-index", "--cached", "--quiet", "HEAD", "--").returncode:
        raise Fault(f"nothing to commit: {listed(paths)} as before, once filtered by git")
    confirm(paths)
    return _commit(repository, work, state, tell)


def _commit(
    repository: Repository, work: Work, state: BranchState, tell: Callable[[str], None]
) -> str:
    message = with_reference(work.message, work.issue) + "\n"
    try:
        repository.run("commit", "--quiet", "--cleanup=whitespace", "--file=-", text=message)
    except GitFault as fault:
        raise Fault(_why_refused(fault)) from None
    sha = repository.commit("HEAD")
    names = repository.run("diff-tree", "-r", "-z", "--name-only", "--no-renames", state.sha, sha)
    more = sorted(set(names.split("\0")) - {"", *work.paths()})
    if more:
        tell(f"a hook of the repository committed more: {listed(more)}")
    tell(f"committed {sha[:10]} on {state.name}")
    return sha


def _why_refused(fault: GitFault) -> str:
    if "index.lock" in fault.printed:
        return str(fault)
    made = "made, a hook of the repository refused it"
    what = "signed" if _UNSIGNED.search(fault.printed) else made
    printed = fault.printed or "the hook said nothing"
    return (
        f"the commit could not be {what}: {printed}; the files are staged: fix it, run this again"
    )


def refuse_changed_since(work: Work, state: BranchState) -> None:
    """Refuse to publish a commit that is not what the files are by now."""
    since = sorted(set(work.paths()) & state.changes.keys()) if state.is_checked_out else []
    if since:
        raise Fault(
            f"{named(state.name)} has this work's commit, but {listed(since)} changed since:"
            " commit that on the branch, or undo it (git restore), then run this again"
        )


def changed_files(
    repository: Repository, work: Work, changes: dict[str, str], tell: Callable[[str], None]
) -> list[str]:
    """Return the work's paths that are new, changed or deleted, relative to the repository."""
    changed, same = [], []
    for path in work.paths():
        if path in changes and ("D" in changes[path] or not _is_folder(repository, path)):
            changed.append(path)
        else:
            _refuse_uncommitted(repository, path)
            same.append(path)
    if not changed:
        which = f": {listed(same)} as before" if same else ": no file was named"
        raise Fault(f"nothing to commit{which}")
    refuse_unpublishable(repository.root, changed)
    if same:
        tell(f"as before, so not in the commit: {listed(same)}")
    return changed


def refuse_unpublishable(root: str, paths: Iterable[str]) -> None:
    """Refuse files that became a link to outside of the repository, or are too large."""
    top = os.path.realpath(root)
    for path in paths:
        full = os.path.join(top, path)
        try:
            status = os.lstat(full)
        except OSError:  # deleted
            continue
        goal = os.path.realpath(full)
        if stat.S_ISLNK(status.st_mode) and not f"{goal}{os.sep}".startswith(f"{top}{os.sep}"):
            raise Fault(
                f"{named(path)} is a link to outside of the repository ({visible(goal, 200)}): it"
                " is not published; put a file in its place, then run this again"
            )
        if stat.S_ISREG(status.st_mode) and status.st_size > MAX_PUBLISHED:
            raise Fault(
                f"{named(path)} is larger than {size_of(MAX_PUBLISHED)}: it is not published;"
                " remove it, or commit it yourself, then run this again"
            )


def _is_folder(repository: Repository, path: str) -> bool:
    full = os.path.join(repository.root, path)
    return os.path.isdir(full) and not os.path.islink(full)


def _refuse_uncommitted(repository: Repository, path: str) -> None:
    """Refuse a path that git lists no change of, unless it is a file that is as committed."""
    if repository.attempt("ls-files", "-z", "--", path).stdout != f"{path}\0":
        raise Fault(
            f"git would not commit {named(path, 200)}: expected a changed file of this repository,"
            " that no rule ignores and no link leads to"
        )
