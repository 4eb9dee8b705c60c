"""Whether a repository is fit for a branch and a commit, before anything in it is changed."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pipeline.git import GitFault
from pipeline.publishing.work import CannotPublish
from pipeline.terminal.display import listed, named, visible

if TYPE_CHECKING:
    from pipeline.git import Repository
    from pipeline.publishing.standing import Standing
    from pipeline.publishing.work import Work

# Files of git's folder that tell of a command that waits for its user (contrib/completion,
# git-prompt.sh, reads the same ones), with how that command is ended.
_UNDER_WAY = {
    "MERGE_HEAD": ("a merge", "git merge --continue, or --abort"),
    "rebase-merge": ("a rebase", "git rebase --continue, or --abort"),
    "rebase-apply": ("a rebase or git am", "--continue, or --abort"),
    "CHERRY_PICK_HEAD": ("a cherry-pick", "git cherry-pick --continue, or --abort"),
    "REVERT_HEAD": ("a revert", "git revert --continue, or --abort"),
    "BISECT_LOG": ("a bisection", "git bisect reset"),
}


def refuse_no_work_tree(repository: Repository, target: str) -> None:
    """Refuse a folder that is not the root of a work tree, and a target that is another's.

    Raises:
        CannotPublish: there is no repository, or a bare one; the target is a submodule.
    """
    root = visible(repository.root, 300)
    try:
        top = repository.toplevel(repository.root)
    except GitFault as fault:
        raise CannotPublish(_why_none(root, str(fault)), usage=True) from None
    if not _same(repository.root, top):
        message = f"{root} is a folder of the repository {visible(top, 300)}: run it there"
        raise CannotPublish(message, usage=True)
    folder = os.path.join(repository.root, target)
    if os.path.isdir(folder) and not _same(repository.toplevel(folder), top):
        raise CannotPublish(
            f"the target {named(target)} is a repository of its own (a submodule): run it in there",
            usage=True,
        )


def _same(first: str, second: str) -> bool:
    return os.path.realpath(first) == os.path.realpath(second)


def _why_none(root: str, said: str) -> str:
    if "not a git repository" in said:
        return f"{root} is in no git repository: make one (git init) with a first commit"
    if "must be run in a work tree" in said or "bare repository" in said:
        return f"{root} is a bare repository, without files: run it in a clone"
    return said


def refuse_unfit(repository: Repository, work: Work, standing: Standing) -> None:
    """Refuse what would stop the branch or the commit, or mix others' changes into it.

    Raises:
        CannotPublish: each with what to do.
        GitFault: git failed.
    """
    if standing.foreign:
        raise CannotPublish(
            f"the branch {named(standing.branch)} has commits, and none says 'Refs: {work.issue}'"
            f" ({listed(standing.foreign)}): rename it (git branch -m), or name another (--branch)",
            usage=True,
        )
    if standing.ours:
        return
    _refuse_unfinished(repository)
    _refuse_other_start(repository, standing)
    _refuse_nobody(repository)
    if work.files or not standing.checked_out:  # else a run was cut between staging and commit
        _refuse_staged(repository, work)


def _refuse_unfinished(repository: Repository) -> None:
    folder = repository.run("rev-parse", "--absolute-git-dir").removesuffix("\n")
    for name, (what, end) in _UNDER_WAY.items():
        if os.path.lexists(os.path.join(folder, name)):
            raise CannotPublish(f"{what} is under way: end it first ({end})", usage=True)


def _refuse_other_start(repository: Repository, standing: Standing) -> None:
    """Refuse a branch that cannot be made, or not from the files that the agents see."""
    if standing.checked_out:
        return
    folder = standing.branch.partition("/")[0]
    if folder != standing.branch and repository.commit(f"refs/heads/{folder}"):
        raise CannotPublish(
            f"a branch {named(folder)} leaves no room for {named(standing.branch)}: rename it"
            f" (git branch -m {visible(folder)} other)",
            usage=True,
        )
    name = f"refs/heads/{standing.branch}"
    elsewhere = repository.run("for-each-ref", "--format=%(worktreepath)", name).strip()
    if elsewhere:  # git 2.39 would take the branch from under that work tree
        raise CannotPublish(
            f"the branch {named(standing.branch)} is checked out in another work tree: run it there"
            f" ({visible(elsewhere, 300)})",
            usage=True,
        )
    if repository.commit(standing.base_ref) != standing.head.sha:
        raise CannotPublish(
            f"the base {named(standing.base)} is another commit than the one that is checked out:"
            f" switch to it first (git switch {visible(standing.base)})",
            usage=True,
        )


def _refuse_nobody(repository: Repository) -> None:
    for who in ("GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"):
        if repository.attempt("var", who).returncode:
            raise CannotPublish(
                "git does not know whose commit it would be: set it (git config user.name NAME;"
                " git config user.email ADDRESS)",
                usage=True,
            )


def _refuse_staged(repository: Repository, work: Work) -> None:
    own = set(work.paths())
    changes = repository.changes()
    unmerged = [path for path, state in changes.items() if "U" in state or state in {"AA", "DD"}]
    if unmerged:
        message = f"files are in conflict: {listed(unmerged)}; settle that first (git status)"
        raise CannotPublish(message, usage=True)
    staged = [path for path, state in changes.items() if state[0] not in ".?" and path not in own]
    if staged:
        raise CannotPublish(
            f"there are staged changes that are not this issue's: {listed(staged)}; commit them, or"
            " take them off the index (git restore --staged PATH)",
            usage=True,
        )
