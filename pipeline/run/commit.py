"""Puts a worker's files, exactly these, on the issue's branch as one commit."""

from __future__ import annotations

import os
import re
import stat
from typing import TYPE_CHECKING

from pipeline.files import size_of
from pipeline.git import GitFault
from pipeline.run import guard
from pipeline.run.branch import base_key
from pipeline.run.message import is_message, with_reference
from pipeline.terminal.display import listed, named, visible
from pipeline.terminal.fault import Fault

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pipeline.git import Repository
    from pipeline.run.branch import BranchState
    from pipeline.run.dispatch import Run

MAX_PUBLISHED = 10 << 20  # bytes of one file
_UNSIGNED = re.compile(
    r"failed to sign|signing failed|failed to write commit object|gpg\.", re.IGNORECASE
)


def commit_work(
    run: Run,
    work: tuple[str, ...],
    message: str,
    state: BranchState,
    seen: guard.Snapshot | None,
) -> str:
    """Make the branch and the commit of the work's paths, and return the commit's full hash.

    `seen` is what the reviewer approved of: nothing else is committed.
    """
    if not is_message(message):
        raise Fault(f"{named(message)} does not follow Conventional Commits 1.0.0")
    repository = run.repository
    paths = changed_files(run, work, state.changes)
    if not state.is_checked_out:  # one left behind without a commit begins anew at HEAD
        repository.run("config", base_key(state.name), state.base)
        create = "-C" if state.tip else "-c"
        repository.run("switch", "--quiet", "--no-track", create, state.name)
        run.tell("progress", "publish", f"switched to {state.name}, from {state.base}")
    staged = "".join(f"{path}\0" for path in paths)
    repository.run("update-index", "--add", "--remove", "--replace", "-z", "--stdin", text=staged)
    if not repository.attempt("diff-index", "--cached", "--quiet", "HEAD", "--").returncode:
        raise Fault(f"nothing to commit: {listed(paths)} as before, once filtered by git")
    if seen:
        _refuse_changed_since_review(repository.root, paths, seen)
    text = with_reference(message, run.about.issue) + "\n"
    try:
        repository.run("commit", "--quiet", "--cleanup=whitespace", "--file=-", text=text)
    except GitFault as fault:
        raise Fault(_why_refused(fault)) from None
    sha = repository.commit("HEAD")
    names = repository.run("diff-tree", "-r", "-z", "--name-only", "--no-renames", state.sha, sha)
    more = sorted(set(names.split("\0")) - {"", *work})
    if more:
        text = f"a git hook committed more files: {listed(more)}"
        run.tell("progress", "publish", text)
    run.tell("progress", "publish", f"committed {sha[:10]} on {state.name}")
    return sha


def _refuse_changed_since_review(root: str, paths: list[str], seen: guard.Snapshot) -> None:
    """Refuse what has changed since the review, by a program that still runs, say."""
    other = [path for path in paths if seen.files.get(path) != guard.mark(root, path)]
    if other:
        raise Fault(
            f"files have changed since they were reviewed: {listed(other)}; nothing was committed",
            "Check whether a program that an agent started is still running, then run the same "
            "command again: the work is reviewed again.",
        )


def _why_refused(fault: GitFault) -> str:
    if "index.lock" in fault.printed:
        return str(fault)
    made = "made: a git hook refused it"
    what = "signed" if _UNSIGNED.search(fault.printed) else made
    printed = fault.printed or "the hook printed nothing"
    return (
        f"the commit could not be {what}: {printed}; the files are staged: fix it, run this again"
    )


def refuse_changed_since(work: tuple[str, ...], state: BranchState) -> None:
    """Refuse to publish a commit that is not what the files are by now."""
    since = sorted(set(work) & state.changes.keys()) if state.is_checked_out else []
    if since:
        raise Fault(
            f"{named(state.name)} has this work's commit, but {listed(since)} changed since: "
            f"commit that on the branch or undo it (git restore), then run this again"
        )


def changed_files(run: Run, work: tuple[str, ...], changes: dict[str, str]) -> list[str]:
    """Return the work's paths that are new, changed or deleted, relative to the repository."""
    repository = run.repository
    changed, same = [], []
    for path in work:
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
        run.tell("progress", "publish", f"as before, so not in the commit: {listed(same)}")
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
                f"{named(path)} is a link that points outside the repository "
                f"({visible(goal, 200)}): it is not published; replace it with a file, then run "
                f"this again"
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
            f"git would not commit {named(path, 200)}: expected a changed file of this "
            f"repository that is not ignored and not behind a link"
        )
