"""Puts a worker's files, exactly these, on the issue's branch as one commit."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pipeline.git import GitFault
from pipeline.publishing.files import changed_files
from pipeline.publishing.message import is_message, with_reference
from pipeline.publishing.standing import base_key
from pipeline.publishing.work import CannotPublish
from pipeline.terminal.display import listed, named

if TYPE_CHECKING:
    from collections.abc import Callable

    from pipeline.git import Repository
    from pipeline.publishing.standing import Standing
    from pipeline.publishing.work import Work

_UNSIGNED = re.compile(
    r"failed to sign|signing failed|failed to write commit object|gpg\.", re.IGNORECASE
)


def commit_work(
    repository: Repository,
    work: Work,
    standing: Standing,
    tell: Callable[[str], None],
    confirm: Callable[[], None],
) -> str:
    """Make the branch and the commit, and return the commit's full hash.

    `confirm` is called between staging and commit, and may raise what it wants.

    Raises:
        CannotPublish: a file is not to be committed, nothing is to be, or the commit was refused.
        GitFault: git failed.
    """
    if not is_message(work.message):
        raise CannotPublish(f"{named(work.message)} is no message by Conventional Commits 1.0.0")
    paths = changed_files(repository, work, tell)
    if not standing.checked_out:
        _make_branch(repository, standing, tell)
    staged = "".join(f"{path}\0" for path in paths)
    repository.run("update-index", "--add", "--remove", "--replace", "-z", "--stdin", text=staged)
    if not repository.attempt("diff-index", "--cached", "--quiet", "HEAD", "--").returncode:
        raise CannotPublish(f"nothing to commit: {listed(paths)} as before, once filtered by git")
    confirm()
    return _commit(repository, work, standing, tell)


def refuse_changed_since(repository: Repository, work: Work, standing: Standing) -> None:
    """Refuse to publish a commit that is not what the files are by now.

    Raises:
        CannotPublish: a file of the work has changed since the commit.
        GitFault: git failed.
    """
    if not standing.checked_out or not work.files:
        return
    since = sorted(set(work.paths()) & repository.changes().keys())
    if since:
        raise CannotPublish(
            f"{named(standing.branch)} has this work's commit, but {listed(since)} changed since:"
            " commit that on the branch, or undo it (git restore), then run this again"
        )


def _make_branch(repository: Repository, standing: Standing, tell: Callable[[str], None]) -> None:
    """Switch to a branch that begins at HEAD; one left behind without a commit is reused."""
    repository.run("config", base_key(standing.branch), standing.base)
    repository.run(
        "switch", "--quiet", "--no-track", "-C" if standing.tip else "-c", standing.branch
    )
    tell(f"switched to {standing.branch}, from {standing.base}")


def _commit(
    repository: Repository, work: Work, standing: Standing, tell: Callable[[str], None]
) -> str:
    message = with_reference(work.message, work.issue) + "\n"
    before = repository.commit("HEAD")
    try:
        repository.run("commit", "--quiet", "--cleanup=whitespace", "--file=-", text=message)
    except GitFault as fault:
        raise CannotPublish(_why_refused(fault)) from None
    sha = repository.commit("HEAD")
    names = repository.run("diff-tree", "-r", "-z", "--name-only", "--no-renames", before, sha)
    more = sorted(set(names.split("\0")) - {"", *work.paths()})
    if more:
        tell(f"a hook of the repository committed more: {listed(more)}")
    tell(f"committed {sha[:10]} on {standing.branch}")
    return sha


def _why_refused(fault: GitFault) -> str:
    if "index.lock" in fault.printed:
        return str(fault)
    what = (
        "signed" if _UNSIGNED.search(fault.printed) else "made, a hook of the repository refused it"
    )
    said = fault.printed or "the hook said nothing"
    return f"the commit could not be {what}: {said}; the files are staged: fix it, run this again"
