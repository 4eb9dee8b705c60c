"""Checks of what artifacts claim about git, against the history in the submission."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from pipeline.protocol.problems import Problem
from pipeline.terminal.display import listed, named
from verify.course.checks.validity import with_history
from verify.grading.model import PASSED, Finding, Verdict, failed, not_checked
from verify.submissions.history.faults import FETCH_ALL, BeyondLimits, way_out
from verify.submissions.history.work import (
    BranchWork,
    changes_of,
    commits_of,
    is_unrelated,
    left_after,
    place_of,
    refuse_cut,
    successor_by_words,
    without_content,
    work_on,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pipeline.schema import GitResult
    from verify.course.checks.changes import Claim
    from verify.grading.artifacts import Artifact, ArtifactRef, Context
    from verify.submissions.history.history import History

_SLACK = 3_600  # seconds by which the clocks of two honest machines may differ
_CUT = "part of it is missing: {}"
_FETCH = f"Fetch all branches ({FETCH_ALL}), or have the git agent publish the work again."
_PUBLISH = (
    "Have the git agent publish the work again and write git-result.json from what git shows."
)
_HASH = "Write the hash of the commit, as git log --format=%H shows it for the branch."
_BRANCH = f"Have the work committed on a branch that is created from the default one. {_PUBLISH}"
_AMENDED = f"An amended or rebased commit has a new hash. {_PUBLISH}"
_BECAME = (
    "git has no commit with this hash, but {} has its message: the commit may have been amended,"
    " rebased or squashed"
)
_FIELD = "files_changed"
_SAME = f"this is the list in {_FIELD}, which differs from what git shows"
_LAST_YEAR = 253_402_300_799  # the last second that has a date of four digits


def _commit_of(history: History, result: GitResult) -> str:
    """Return the id of the one commit that is meant: `names_a_commit` has already passed.

    If git does not have it any more, that is what it became.
    """
    found = history.find(result["commit_sha"])
    commits = (name for name, kind in found.items() if kind == "commit")
    return next(commits, "") or _successor(history, result)


def _successor(history: History, result: GitResult) -> str:
    subject = result["commit_message"].split("\n")[0].strip()
    return successor_by_words(history, result["branch"], result["commit_sha"].lower(), subject)


def _short(name: str) -> str:
    return name[:10]


def _problem(field: str, message: str, expected: str, found: str, action: str = "") -> Problem:
    return Problem("evidence", (field,), message, expected, found, action=action)


def _failed(
    artifact: Artifact, field: str, message: str, expected: str, found: str, action: str
) -> Verdict:
    return artifact.failed_at([_problem(field, message, expected, found, action)])


@with_history
def names_a_commit(_: Context, artifact: Artifact, history: History) -> Verdict:
    """Pass if `commit_sha`, abbreviated or not, is one commit of the history."""
    written = artifact.value["commit_sha"]
    found = history.find(written)
    commits = [name for name, kind in found.items() if kind == "commit"]
    if len(commits) == 1:
        return PASSED
    shown, action, cut = named(written), _HASH, history.cut
    if commits:
        message, expected = "the hashes of several commits begin with these digits", "more digits"
        shown = listed(commits)
    elif found:
        message = f"this is the hash of a {next(iter(found.values()))}, not of a commit"
        expected = "the hash of a commit"
    elif not cut and (now := _successor(history, artifact.value)):
        return not_checked(_BECAME.format(_short(now)))
    else:
        message, action = "git has no commit with this hash", way_out(cut) if cut else _FETCH
        expected = f"a commit in the history{cut and f' ({_CUT.format(cut)})'}"
    return _failed(artifact, "commit_sha", message, expected, shown, action)


@with_history
def lies_on_its_branch(_: Context, artifact: Artifact, history: History) -> Verdict:
    """Pass if the commit is on `branch`, local or of a remote, and is the whole work on it.

    A commit that was amended, rebased, picked or squashed counts as what it became. If the branch
    was deleted, that must be on the default branch: it was merged. The check is not asked if the
    default branch has a part of it.
    """
    branch, commit = artifact.value["branch"], _commit_of(history, artifact.value)
    main = history.branches.default()
    if not place_of(history, branch, commit):
        return artifact.failed_at([_nowhere(history, branch, commit, main)])
    if not main:
        return PASSED
    work = work_on(history, branch, commit)
    assert work is not None  # noqa: S101  # the commit has a place
    if is_unrelated(history, work):
        message, found = f"the work does not begin at a commit of {named(main, 60)}", _short(commit)
        expected = f"a branch that was created from {named(main, 60)}"
        return _failed(artifact, "commit_sha", message, expected, found, _BRANCH)
    later = history.between(work.commit, work.tip)
    before = [base in later for base in work.bases]
    if before and all(before):
        message = f"the commit was on {named(main, 60)} before the branch began"
        expected = f"a commit after {_short(work.bases[0])}"
        return _failed(artifact, "commit_sha", message, expected, _short(commit), _PUBLISH)
    if left := left_after(history, work):
        message = f"only later commits of the branch change {listed(left)}"
        expected, found = f"the last commit of the work ({_short(work.tip)})", _short(commit)
        return _failed(artifact, "commit_sha", message, expected, found, _PUBLISH)
    is_known = bool(before) or work.commit == work.tip
    return not_checked(work.doubt) if work.doubt and (any(before) or not is_known) else PASSED


def _nowhere(history: History, branch: str, commit: str, main: str) -> Problem:
    refs, has = history.branches.tips_of(branch), _short(commit)
    if refs:
        message, expected = "the commit is not on the branch", f"a branch with {has}"
        ends = f"{named(branch, 60)} ends at {_short(refs[0])}"
        return _problem("branch", message, expected, ends, _AMENDED)
    there = sorted({ref.split("/", 2)[2] for ref in history.branches.refs})
    message = "git has no such branch, and the commit was not merged"
    expected = f"{named(branch, 60)}, or {has} on {named(main or 'main', 60)}"
    found = f"branches {listed(there)}" if there else "no branches"
    return _problem("branch", message, expected, found, _PUBLISH)


@with_history
def says_its_message(_: Context, artifact: Artifact, history: History) -> Verdict:
    """Pass if `commit_message` is the commit's: the whole, or its first paragraphs.

    Clients add lines at the end (`Co-authored-by: …`), so what follows an empty line
    may be left out.
    """
    result: GitResult = artifact.value
    message_in_git = history.commit(_commit_of(history, result)).message
    lines, claimed = _lines(message_in_git), _lines(result["commit_message"])
    rest = lines[len(claimed) :]
    if lines[: len(claimed)] == claimed and not (rest and rest[0]):
        return PASSED
    if not history.find(result["commit_sha"]):  # it became another one
        return not_checked(_BECAME.format(_short(_commit_of(history, result))))
    its, theirs = named(message_in_git, 300), named(result["commit_message"], 300)
    message, action = "git has a different message", "Copy the message from git to commit_message."
    return _failed(artifact, "commit_message", message, f"git: {its}", theirs, action)


@with_history
def has_times_in_order(_: Context, artifact: Artifact, history: History) -> Verdict:
    """Pass if no commit of the work is dated before its parent, or committed before it was written.

    Only commits are compared with each other, with an hour for clocks that differ. Whoever makes a
    commit writes its times: order shows no more than that nothing contradicts itself.
    """
    work = work_on(history, artifact.value["branch"], _commit_of(history, artifact.value))
    return artifact.failed_at(list(_disorder(history, work)) if work else [])


def _disorder(history: History, work: BranchWork) -> Iterator[Problem]:
    for name in (*commits_of(history, work), *([work.merge] if work.merge else [])):
        commit = history.commit(name)
        if commit.authored > commit.committed + _SLACK:
            message = f"commit {_short(name)} has an author date after its commit date"
            expected, found = f"{_date(commit.committed)} or earlier", _date(commit.authored)
            yield _problem("commit_sha", message, expected, found)
        for parent in map(history.commit, commit.parents):
            if parent.committed > commit.committed + _SLACK:
                message = f"commit {_short(name)} is dated before its parent {_short(parent.id)}"
                expected = f"{_date(parent.committed)} or later"
                yield _problem("commit_sha", message, expected, _date(commit.committed))


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.replace("\r\n", "\n").strip().split("\n")]


def _date(seconds: int) -> str:
    if seconds > _LAST_YEAR:
        return f"{seconds} seconds after 1970"
    from datetime import datetime, timezone  # only on failure

    return datetime.fromtimestamp(seconds, timezone.utc).strftime("%Y-%m-%d %H:%M:%S UTC")


@with_history
def names_the_changed_files(
    context: Context,
    artifact: Artifact,
    history: History,
    field: str,
    git_source: ArtifactRef,
    reported: ArtifactRef | None = None,
) -> Verdict:
    """Pass if a field lists exactly the files that differ between the branch and its beginning.

    The branch begins where it left the default one. If git cannot tell, the check is not asked,
    unless the list is wrong wherever the branch may have begun. Artifacts of the pipeline do not
    count, and of a renamed file one name is enough. Some listed file has to get content. What is
    wrong with the same list in `reported`, a worker's result, is not repeated.
    """
    from verify.course.checks.changes import Claim, paths_of  # few exercises need it

    result: GitResult = context.artifact(git_source).value
    commit = _commit_of(history, result)
    try:
        work = work_on(history, result["branch"], commit)
    except BeyondLimits as error:  # the commits that are near can be read in any history
        work = BranchWork(commit, commit, doubt=str(error))
    if work is None:
        return PASSED  # the check of the branch says so
    written: list[str] = artifact.value[field]
    claimed = paths_of(written, context.exercise.target or ".")
    for tip in dict.fromkeys((work.commit, work.tip) if work.doubt else (work.tip,)):
        claim = _closest(history, work, tip, Claim(history, field, claimed, tip))
        if claim is not None:
            report = context.artifact(reported) if reported else artifact
            if reported and not report.problems and set(report.value[_FIELD]) == {*written}:
                return _failed(artifact, field, _SAME, "", listed(written), f"Fix {_FIELD} first.")
            return artifact.failed_at(claim.problems())
    return not_checked(work.doubt) if work.doubt else PASSED


def _closest(history: History, work: BranchWork, tip: str, claim: Claim) -> Claim | None:
    """Return a claim compared with the beginning of a work at which it is wrong in fewest files.

    None if it may be right: at one of the beginnings. Where git cannot tell, only the commit
    itself is surely of the work, so it has to change more than modes.
    """
    closest: Claim | None = None
    if work.doubt and (nothing := without_content(history, work.commit)):
        return claim.since(*nothing)
    try:
        for base, changes in changes_of(history, work, tip, [*claim.listed], claim.most):
            found = claim.since(base, changes)
            if found.is_true():
                return None
            if closest is None or found.size < closest.size:
                closest = found
    except BeyondLimits:
        if closest is None or not work.doubt:
            raise
    if work.doubt:
        refuse_cut(history)
    return closest or claim.since("", {})


@with_history
def leaves_artifacts_out(
    context: Context, artifact: Artifact, history: History, sources: Sequence[ArtifactRef]
) -> Verdict:
    """Pass if the commit of the work has none of its artifacts."""
    commit = _commit_of(history, artifact.value)
    paths = [source.located(context.exercise) for source in sources]
    there = [path for path in paths if history.has_file(commit, path)]
    if not there:
        return PASSED
    message = f"the commit of the work contains {listed(there)}"
    expected, names = "only the files of the work", shlex.join(there)
    action = f"Run git rm --cached {names}, and then git commit --amend. {_PUBLISH}"
    return failed(Finding(message, expected, _short(commit), there[0], action=action))
