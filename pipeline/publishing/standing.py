"""Where an issue's work stands in the repository: its base, its branch, the commit it may have."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from pipeline.protocol.patterns import BRANCH
from pipeline.publishing.branches import branch_for, issue_of
from pipeline.publishing.message import references
from pipeline.publishing.work import CannotPublish
from pipeline.terminal.display import listed, named, visible

if TYPE_CHECKING:
    from pipeline.git import Head, Repository
    from pipeline.publishing.work import Work

_BRANCHES = "refs/heads/"
_DEFAULTS = ("main", "master")
# Whatever the user has set: messages alone, without what a signature is worth, in UTF-8.
LOG = ("log", "--no-show-signature", "--encoding=UTF-8")
_SHORT = 10  # digits of a hash that is shown


class Standing(NamedTuple):
    """`ours` is the commit that the work has; without one, `foreign` are others' commits.

    `base_ref` is the base's full name, `tip` the branch's commit, empty where there is no branch.
    """

    branch: str
    base: str
    base_ref: str
    head: Head
    tip: str
    ours: str
    foreign: tuple[str, ...]

    @property
    def checked_out(self) -> bool:
        """Tell whether HEAD is on the work's branch."""
        return self.head.branch == self.branch


def base_key(branch: str) -> str:
    """Return the setting that remembers a branch's base; git drops it with the branch."""
    return f"branch.{branch}.pipelineBase"


def look(repository: Repository, work: Work) -> Standing:
    """Find out where the work stands.

    Raises:
        CannotPublish: there is no commit yet, or no base can be settled.
        GitFault: git failed.
    """
    head = repository.head()
    if not head.sha:
        hint = "make a first commit (git commit --allow-empty -m 'chore: begin')"
        raise CannotPublish(f"the repository has no commit yet: {hint}", usage=True)
    branch = _branch(repository, work, head)
    base = _base(repository, work, head, branch)
    base_ref = _reference(repository, base, work.remote)
    tip = repository.commit(_BRANCHES + branch)
    ours, foreign = _commits(repository, work.issue, f"{base_ref}..{tip}") if tip else ("", ())
    return Standing(branch, base, base_ref, head, tip, ours, foreign)


def _branch(repository: Repository, work: Work, head: Head) -> str:
    """Return the work's branch: asked for, checked out, or made by a run with another title."""
    if work.branch:
        if not re.match(BRANCH.pattern, work.branch):
            raise CannotPublish(f"{named(work.branch)} is not {BRANCH.expected}", usage=True)
        return work.branch
    if issue_of(head.branch) == work.issue and head.branch != work.base:
        return head.branch
    derived = branch_for(work.issue, work.title)
    if repository.commit(_BRANCHES + derived):
        return derived
    return _published_before(repository, work) or derived


def _published_before(repository: Repository, work: Work) -> str:
    patterns = (
        f"{_BRANCHES}feature/{work.issue.lower()}",
        f"{_BRANCHES}feature/{work.issue.lower()}-*",
    )
    form = "--format=%(refname)"
    for name in repository.run("for-each-ref", form, *patterns).splitlines():
        message = repository.run(*LOG, "-1", "--format=%B", "--end-of-options", name, "--")
        branch = name.removeprefix(_BRANCHES)
        if issue_of(branch) == work.issue and references(message, work.issue):
            return branch
    return ""


def _base(repository: Repository, work: Work, head: Head, branch: str) -> str:
    remembered = repository.attempt("config", "--get", base_key(branch)).stdout.strip()
    if work.base or remembered:
        _refuse_odd(repository, work.base or remembered)
        return work.base or remembered
    if head.branch == branch:
        return _default(repository, branch, work.remote)
    if not head.branch:
        raise CannotPublish(
            "HEAD is detached: switch to a branch (git switch main) or name the base (--base main)",
            usage=True,
        )
    other = issue_of(head.branch)
    if other:
        raise CannotPublish(
            f"{named(head.branch)} is checked out, the branch of {other}, not of {work.issue}:"
            " switch to the base (git switch main), or build on that branch (--base)",
            usage=True,
        )
    return head.branch


def _default(repository: Repository, branch: str, remote: str) -> str:
    """Return the base of what is checked out: the remote's default, or the only usual branch."""
    theirs = f"refs/remotes/{remote}/"
    found = repository.attempt("symbolic-ref", "--quiet", f"{theirs}HEAD").stdout.strip()
    if found:
        return found.removeprefix(theirs)
    own = repository.attempt("config", "--get", "init.defaultBranch").stdout.strip()
    usual = dict.fromkeys((*_DEFAULTS, own))
    there = [
        name for name in usual if name and name != branch and repository.commit(_BRANCHES + name)
    ]
    if len(there) == 1:
        return there[0]
    candidates = f"found {listed(there)}" if there else "there is no main or master"
    raise CannotPublish(
        f"the base of {named(branch)} is not known ({candidates}): name it (--base main)",
        usage=True,
    )


def _reference(repository: Repository, base: str, remote: str) -> str:
    for reference in (_BRANCHES + base, f"refs/remotes/{remote}/{base}"):
        if repository.commit(reference):
            return reference
    raise CannotPublish(
        f"the base {named(base)} is no branch, here or at {visible(remote)}: name another (--base)",
        usage=True,
    )


def _refuse_odd(repository: Repository, branch: str) -> None:
    checked = repository.attempt("check-ref-format", "--branch", branch)
    if checked.returncode or checked.stdout.removesuffix("\n") != branch:
        raise CannotPublish(f"{named(branch)} is no branch name (git check-ref-format)", usage=True)


def _commits(repository: Repository, issue: str, span: str) -> tuple[str, tuple[str, ...]]:
    """Return the newest commit of a span that refers to the issue, or else all that it holds."""
    printed = repository.run(*LOG, "-z", "--format=%H%n%B", "--end-of-options", span, "--")
    commits = [entry.partition("\n") for entry in printed.split("\0") if entry]
    ours = next((sha for sha, _, message in commits if references(message, issue)), "")
    return ours, () if ours else tuple(sha[:_SHORT] for sha, _, _ in commits)
