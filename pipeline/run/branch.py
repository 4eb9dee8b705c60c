"""An issue's branch: its name, its base, its commit if it has one, and why it cannot be used."""

from __future__ import annotations

import os
import re
import unicodedata
from typing import TYPE_CHECKING, NamedTuple

from pipeline.protocol.patterns import BRANCH
from pipeline.run import history
from pipeline.run.assignment import issue_of
from pipeline.run.message import references
from pipeline.terminal.display import listed, named, visible
from pipeline.terminal.fault import unusable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pipeline.git import Repository
    from pipeline.run.context import Run

_BRANCHES = "refs/heads/"
# Messages alone, in UTF-8 and without signatures, whatever the user's settings are.
LOG = ("log", "--no-show-signature", "--encoding=UTF-8")
_BASES = ("main", "master", "origin/main", "origin/master")
_SHORT = 10  # digits of a hash that is shown
_WORDS = 5  # of the title, in the branch's name
_LETTERS = 40  # of the title's part of the slug
_WORD = re.compile(r"[a-z0-9]+")
_APOSTROPHE = re.compile(r"['’]")  # noqa: RUF001  # as typographers and phones write it
_SMALL = {"a", "an", "and", "at", "by", "for", "from", "in", "of", "on", "or", "the", "to", "with"}
_LOCK = re.compile(r"\.lock(?:/|$)")  # git has no branch with such a name

# Files in git's folder that show that a git command is in progress, as git-prompt.sh reads them.
_WAITING = {
    *("MERGE_HEAD", "rebase-merge", "rebase-apply", "CHERRY_PICK_HEAD", "REVERT_HEAD"),
    "BISECT_LOG",
}


class Reference(NamedTuple):
    """A git branch."""

    sha: str  #: its commit
    alias_of: str  #: the branch that it is an alias of
    work_tree: str  #: where it is checked out


class BranchState(NamedTuple):
    """An issue's branch and its base, read from the repository at one moment."""

    name: str  #: the issue's branch, there or not
    base: str  #: the branch to merge into
    base_ref: str  #: its full name
    head: str  #: the branch that is checked out
    sha: str  #: the commit that is checked out
    tip: str  #: the commit of the issue's branch, empty where that does not exist
    commit: str  #: that of the work
    foreign: tuple[str, ...]  #: if there is none, the branch's other commits
    changes: dict[str, str]  #: the state of each path that differs from `sha`
    references: Mapping[str, Reference]
    since: str = ""  #: what a further round began at: older commits are not of its work

    @property
    def is_checked_out(self) -> bool:
        """Whether HEAD is on the work's branch."""
        return self.head == self.name


def branch_for(issue: str, title: str) -> str:
    """Return the branch of an issue: its id, and the title's first five words in ASCII letters.

    The title's part has 40 characters at most and no small word at its end; it may be empty.
    """
    plain = unicodedata.normalize("NFKD", _APOSTROPHE.sub("", title))
    found = _WORD.findall(plain.encode("ascii", "ignore").decode().lower())
    words = [word[:_LETTERS] for word in found[:_WORDS]]
    while words and (words[-1] in _SMALL or len("-".join(words)) > _LETTERS):
        words.pop()
    return f"feature/{'-'.join((issue.lower(), *words))}"


def base_key(branch: str) -> str:
    """Return the setting that remembers a branch's base; git drops it with the branch."""
    return f"branch.{branch}.pipelineBase"


def remembered_base(repository: Repository, branch: str) -> str:
    """Return the base that a run has kept of a branch, empty where none has."""
    return repository.setting(base_key(branch))


def read_branch_state(run: Run) -> BranchState:
    """Return the issue's branch as it is now; nothing is changed."""
    repository = run.repository
    head, sha, changes, _ = repository.status()
    if not sha:
        raise unusable(
            "the repository has no commit yet: make a first commit "
            "(git commit --allow-empty -m 'chore: begin')"
        )
    known = _references(repository, run.remote)
    name = _name(run, head, known)
    base, base_ref = _found(_base(run, head, name, known), run.remote, known)
    branch = known.get(_BRANCHES + name)
    tip = branch.sha if branch else ""
    rounds = history.rounds(run.about.folder_on_disk)
    begun = rounds[-1]["since"] if rounds and tip else ""
    since = begun if begun and repository.has(begun, tip) else ""
    span = f"{since or base_ref}..{tip}"
    commit, foreign = _commits(repository, run.about.issue, span) if tip else ("", ())
    if since:
        foreign = ()
    return BranchState(name, base, base_ref, head, sha, tip, commit, foreign, changes, known, since)


def _found(base: str, remote: str, known: Mapping[str, Reference]) -> tuple[str, str]:
    """Return a base's short and full name: a branch here, or at the remote (`origin/main`)."""
    theirs = f"refs/remotes/{remote}/"
    for full in (_BRANCHES + base, theirs + base, f"refs/remotes/{base}"):
        if full in known:
            return full.removeprefix(_BRANCHES).removeprefix(theirs), full
    where = f"of this repository or of {visible(remote)}"
    raise unusable(f"the base {named(base)} is not a branch {where}: choose one (--base main)")


def _references(repository: Repository, remote: str) -> dict[str, Reference]:
    """Return the branches here and at a remote, by their full names."""
    form = "--format=%(refname)%00%(objectname)%00%(symref)%00%(worktreepath)%00"
    printed = repository.run("for-each-ref", form, _BRANCHES, f"refs/remotes/{remote}/")
    fields = (record.split("\0") for record in printed.split("\0\n") if record)
    return {name: Reference(*rest) for name, *rest in fields}


def _name(run: Run, head: str, known: Mapping[str, Reference]) -> str:
    """Return the work's branch: asked for, checked out, or made by a run with a different title."""
    issue = run.about.issue
    if run.branch:
        if not re.match(BRANCH.pattern, run.branch) or _LOCK.search(run.branch):
            raise unusable(f"--branch {named(run.branch)} is not of the form {BRANCH.expected}")
        return run.branch
    if issue_of(head) == issue and head != run.base:
        return head
    derived = branch_for(issue, run.about.title)
    if _BRANCHES + derived in known:
        return derived
    for name in known:
        branch = name.removeprefix(_BRANCHES)
        if issue_of(branch) == issue and references(message_of(run.repository, name), issue):
            return branch
    return derived


def message_of(repository: Repository, commit: str) -> str:
    """Return the message of a commit, by its hash or a full name."""
    return repository.run(*LOG, "-1", "--format=%B", "--end-of-options", commit, "--").strip()


def merged_into(repository: Repository, branch: str, sha: str, files: Iterable[str]) -> str:
    """Return the usual base that has published work, also after a squash; empty if none has."""
    for base in dict.fromkeys((remembered_base(repository, branch), *_BASES)):
        if base and (tip := repository.commit(base)):
            words = ("diff", "--quiet", sha, tip, "--", *files)
            if repository.has(sha, tip) or repository.attempt(*words).returncode == 0:
                return base
    return ""


def has_lost(repository: Repository, sha: str) -> bool:
    """Return whether no branch, here or at a remote, has a commit."""
    words = ("for-each-ref", "--count=1", f"--contains={sha}", _BRANCHES, "refs/remotes/")
    return not repository.attempt(*words).stdout


def is_open(run: Run, branch: str, sha: str, files: Iterable[str]) -> bool:
    """Return whether a local pull request is as it was left, or is merged.

    Where it is not, the run makes again what is missing; a branch that is gone costs turns, though.
    """
    tip = run.repository.commit(_BRANCHES + branch)
    if merged_into(run.repository, branch, sha, files):
        return True
    if not has_lost(run.repository, sha):
        return not tip or run.forge.has_page(run.repository, branch)
    if tip:
        return False
    raise unusable(
        f"the branch {named(branch)} with the commit {sha[:12]} is gone: if its work is merged, "
        f"nothing is left to do; else make the branch again (git branch {visible(branch)} "
        f"{sha[:12]}), or move {run.about.folder} away to work on the issue again"
    )


def _base(run: Run, head: str, branch: str, known: Mapping[str, Reference]) -> str:
    if known_base := run.base or remembered_base(run.repository, branch):
        return known_base
    if head == branch:
        theirs = f"refs/remotes/{run.remote}/"
        default = known.get(f"{theirs}HEAD")
        if default and default.alias_of:
            return default.alias_of.removeprefix(theirs)
        usual = [name for name in ("main", "master") if _BRANCHES + name in known]
        if len(usual) == 1:
            return usual[0]
        raise unusable(f"the base of {named(branch)} is not known: choose one (--base main)")
    if not head:
        raise unusable(
            "HEAD is detached: switch to a branch (git switch main) or choose a base (--base main)"
        )
    if issue := issue_of(head):
        raise unusable(
            f"the checked-out branch {named(head)} belongs to {issue}, so it is not used as the "
            f"base: switch to the base (git switch main), or add --base {visible(head)}"
        )
    return head


def _commits(repository: Repository, issue: str, span: str) -> tuple[str, tuple[str, ...]]:
    """Return the newest commit of a span that refers to the issue, or else all its commits."""
    entries = repository.entries(*LOG, "-z", "--format=%H%n%B", "--end-of-options", span, "--")
    commits = [entry.partition("\n") for entry in entries]
    ours = next((sha for sha, _, message in commits if references(message, issue)), "")
    return ours, () if ours else tuple(sha[:_SHORT] for sha, _, _ in commits)


def refuse_unfit(run: Run, state: BranchState, paths: tuple[str, ...]) -> None:
    """Refuse what would prevent the branch or the commit, or add other changes to the commit.

    `paths` are the files of the work, which may be staged; empty if they are not known yet.
    """
    if state.foreign:
        raise unusable(
            f"the branch {named(state.name)} has commits, but none says 'Refs: {run.about.issue}'"
            f" ({listed(state.foreign)}): rename it (git branch -m {state.name} NAME), or use a "
            "different one (--branch)"
        )
    if state.commit:
        return
    if not run.repository.identity():
        raise unusable(
            "git does not know who you are: set your name and e-mail address"
            " (git config user.name NAME; git config user.email ADDRESS)"
        )
    if _WAITING & set(os.listdir(run.repository.git_folder)):
        raise unusable(
            "a merge, a rebase or another git command is in progress: finish or abort it first "
            "(git status says how)"
        )
    if not state.is_checked_out:
        _refuse_other_start(run, state)
    if paths or not state.is_checked_out:  # else a run was stopped between staging and commit
        _refuse_staged(paths, state.changes)


def _refuse_other_start(run: Run, state: BranchState) -> None:
    """Refuse a branch that cannot be made or used, or a base that is not what the agents see.

    A detached HEAD may be at an older commit of the base: so is a work tree that is continued.
    """
    branch = state.references.get(_BRANCHES + state.name)
    if branch and branch.work_tree:  # git 2.39 would take the branch from under that work tree
        raise unusable(
            f"the branch {named(state.name)} is checked out in another work tree: run the issue "
            f"there ({visible(branch.work_tree, 300)})"
        )
    for reference in state.references:  # git keeps a branch as a file or as a folder
        full = _BRANCHES + state.name
        if full.startswith(f"{reference}/") or reference.startswith(f"{full}/"):
            name = visible(reference.removeprefix(_BRANCHES))
            raise unusable(
                f"git cannot make the branch {named(state.name)} while there is a branch "
                f"{named(name)}: rename that one (git branch -m {name} NAME)"
            )
    base = state.references[state.base_ref].sha
    is_older = not state.head and run.repository.has(state.sha, base)
    if base != state.sha and not is_older:
        is_here = state.base_ref.startswith(_BRANCHES)
        place = (
            state.base if is_here else f"--detach {state.base_ref.removeprefix('refs/remotes/')}"
        )
        raise unusable(
            f"the commit that is checked out is not the base {named(state.base)}: switch to the "
            f"base first (git switch {visible(place)})"
        )


def _refuse_staged(work: tuple[str, ...], changes: Mapping[str, str]) -> None:
    """Refuse conflicts, and what is staged but not part of this work."""
    found = []
    for path, state in changes.items():
        in_conflict = "U" in state or state in {"AA", "DD"}
        if in_conflict or (state[0] not in ".?" and path not in work):
            found.append(path)
    if found:
        raise unusable(
            "there are staged changes that do not belong to this issue, or conflicts: "
            f"{listed(found)}; commit or unstage the changes (git restore --staged PATH), and "
            "resolve the conflicts"
        )


def refuse_diverged(run: Run, state: BranchState) -> None:
    """Refuse a remote that cannot be reached, or that has commits which are not here.

    The user learns why a push would fail, and what else it would publish, before any agent works.
    """
    repository, remote = run.repository, run.forge.remote
    if not remote:
        return
    branch, base = (_BRANCHES + name for name in (state.name, state.base))
    done = repository.attempt("ls-remote", "--quiet", "--", remote, branch, base)
    if done.returncode and run.forge.name == "local":
        return  # the local forge has yet to make its repository
    if done.returncode:
        printed = visible(" | ".join(done.stderr.split("\n")[:3]).rstrip(" |"), 300)
        raise unusable(f"{named(remote)} cannot be reached: {printed}")
    theirs = {name: sha for sha, _, name in (x.partition("\t") for x in done.stdout.splitlines())}
    pushed = theirs.get(branch, "")
    if pushed and not repository.has(pushed, state.tip or state.sha):
        pull = f"get them (git pull --ff-only {visible(remote)} {state.name})"
        other = "delete it there if it is not needed, or use a different one (--branch)"
        raise unusable(
            f"{visible(remote)} already has the branch {named(state.name)}, with commits that "
            f"you do not have ({pushed[:_SHORT]}): {pull if state.since else other}"
        )
    fetched = state.references.get(f"refs/remotes/{remote}/{state.base}")
    if not fetched or base not in theirs:
        return
    ours = state.references[state.base_ref].sha
    related = ((theirs[base], ours), (ours, theirs[base]), (ours, fetched.sha))  # ahead or behind
    if not any(repository.has(*pair) for pair in related):
        raise unusable(
            f"{named(state.base)} and {visible(remote)}/{visible(state.base)} have diverged: bring "
            f"them together first (git switch {visible(state.base)}; git pull --rebase "
            f"{visible(remote)} {visible(state.base)})"
        )
    _confirm_base(run, state, theirs[base])


def _confirm_base(run: Run, state: BranchState, at_remote: str) -> None:
    """Say what the base has that its remote has not, or the reverse: both show in what is merged.

    `at_remote` is the base's commit at the remote, which may not be here.
    """
    remote, ours = visible(run.forge.remote), state.references[state.base_ref].sha
    base, place = visible(state.base), f"{remote}/{visible(state.base)}"
    if at_remote == ours:
        return
    if run.repository.has(at_remote, ours):
        span = f"{at_remote}..{ours}"
        words = (*LOG, "-z", "--format=%s", "--end-of-options", span, "--")
        found = run.repository.entries(*words)
        run.confirm(
            f"the pull request will also contain what is on {base} and not on {place}: "
            f"{listed(found)}",
            f"Push these commits first (git push {remote} {base}), or begin at {place} "
            f"(git switch --detach {place}) and add --base {place}.",
        )
    else:
        run.confirm(
            f"{base} is behind {place}: the work will begin at an older commit",
            f"Update it first (git switch {base}; git pull --ff-only {remote} {base}).",
        )
