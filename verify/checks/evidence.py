"""Checks of what a git result claims of its commit, against the history: there, where, what."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.protocol.problems import Problem
from pipeline.terminal.display import around_difference, listed, named
from verify.checks.histories import asking, commit_of, commits_in, short
from verify.verdicts import PASSED, Verdict, unasked

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pipeline.schema import GitResult
    from verify.attempt import Artifact, Attempt, CheckFunction, Source
    from verify.history.history import History
    from verify.history.work import Work

_SLACK = 3_600  # seconds by which the clocks of two honest machines may differ
_CUT = "and a part of it is not here: the clone is shallow, or borrows from another one"
_FETCH = "Fetch the branch (git fetch), or submit the clone in which the work was done."
_PUBLISH = "Have the git agent publish the work, and write git-result.json from what git then has."
_AMENDED = f"An amended or rebased commit has a new hash. {_PUBLISH}"
_LAST_YEAR = 253_402_300_799  # the last second that has a date of four digits


def names_a_commit(source: Source) -> CheckFunction:
    """Pass where `commit_sha`, abbreviated or not, is one commit of the history."""

    def question(_: Attempt, artifact: Artifact, history: History) -> Verdict:
        written = artifact.value["commit_sha"]
        found = history.find(written)
        commits, kinds = commits_in(found), list(found.values())
        if len(commits) == 1:
            return PASSED
        if commits:
            message = "git has several commits whose names begin so"
            problem = _of("commit_sha", message, "more of the digits", listed(list(commits)))
        elif kinds:
            message = f"git knows this as a {kinds[0]}, not as a commit"
            problem = _of("commit_sha", message, "the name of a commit", named(written))
        else:
            message = "git has no commit of this name"
            cut = f" ({_CUT})" if history.cut else ""
            expected = f"a commit of the history{cut}"
            problem = _of("commit_sha", message, expected, named(written), _FETCH)
        return artifact.failed_at([problem])

    return asking(source, question)


def lies_on_its_branch(source: Source) -> CheckFunction:
    """Pass where the commit is on `branch`, local or of a remote, and was made for it.

    Where the branch is gone, the commit must be on the default branch: merged, then deleted. It is
    not asked where no branch has the commit any more, or where the default branch has a part of it.
    """

    def question(_: Attempt, artifact: Artifact, history: History) -> Verdict:
        result: GitResult = artifact.value
        commit = commit_of(history, result["commit_sha"])
        problem = _misplacement(history, result["branch"], commit)
        if isinstance(problem, str):
            return unasked(problem) if problem else PASSED
        return artifact.failed_at([problem])

    return asking(source, question)


def _misplacement(history: History, branch: str, commit: str) -> Problem | str:
    """Return what is wrong with a commit's place, else what git cannot tell: empty for nothing."""
    from verify.history.work import holder, work_on  # few exercises ask a history

    refs, main = history.branches.called(branch), history.branches.default()
    if refs and not holder(history, branch, commit):
        ends = f"{named(branch, 60)} ends at {short(refs[0])}"
        message = "the commit is not on the branch"
        return _of("branch", message, f"a branch with {short(commit)}", ends, _AMENDED)
    work = work_on(history, branch, commit) if main else None
    if work is None:
        return "" if refs else _nowhere(history, branch, commit, main)
    later = history.between(commit, work.tip)
    before = [base in later for base in work.bases]
    if before and all(before):
        message = f"the commit was on {named(main, 60)} before the branch began"
        expected = f"a commit after {short(work.bases[0])}"
        return _of("commit_sha", message, expected, short(commit), _PUBLISH)
    is_known = bool(before) or (work.main and commit == work.tip)
    return work.doubt if any(before) or not is_known else ""


def _nowhere(history: History, branch: str, commit: str, main: str) -> Problem:
    there = sorted({ref.split("/", 2)[2] for ref in history.branches.refs})
    message = "git has no such branch, and the commit was not merged"
    expected = f"{named(branch, 60)}, or {short(commit)} on {named(main or 'main', 60)}"
    return _of("branch", message, expected, f"branches {listed(there) or 'none'}", _PUBLISH)


def says_its_message(source: Source) -> CheckFunction:
    """Pass where `commit_message` is the commit's: the whole, or its first paragraphs.

    Clients add lines of their own at the end (`Co-authored-by: …`), so what follows an empty line
    may be left out.
    """

    def question(_: Attempt, artifact: Artifact, history: History) -> Verdict:
        result: GitResult = artifact.value
        said = history.commit(commit_of(history, result["commit_sha"])).message
        lines, claimed = _lines(said), _lines(result["commit_message"])
        rest = lines[len(claimed) :]
        if lines[: len(claimed)] == claimed and not (rest and rest[0]):
            return PASSED
        its, theirs = around_difference(said, result["commit_message"])
        message = "git has another message"
        problem = _of("commit_message", message, f'git: "{its}"', f'"{theirs}"')
        return artifact.failed_at([problem])

    return asking(source, question)


def has_times_in_order(source: Source) -> CheckFunction:
    """Pass where no commit of the work is dated before what it builds on, nor made before written.

    Only commits are compared with each other, with an hour for clocks that differ. Whoever makes a
    commit writes its times: order shows no more than that nothing contradicts itself.
    """

    def question(_: Attempt, artifact: Artifact, history: History) -> Verdict:
        work = work_of(artifact.value, history)
        if work is None:
            return PASSED
        return artifact.failed_at(list(_disorder(history, work)))

    return asking(source, question)


def _disorder(history: History, work: Work) -> Iterator[Problem]:
    from verify.history.work import commits_of  # few exercises ask a history

    for name in (*commits_of(history, work), *([work.merge] if work.merge else [])):
        commit = history.commit(name)
        if commit.authored > commit.committed + _SLACK:
            message = f"commit {short(name)} was written after it was made"
            yield _of(
                "commit_sha", message, f"at most {_date(commit.committed)}", _date(commit.authored)
            )
        for parent in map(history.commit, commit.parents):
            if parent.committed > commit.committed + _SLACK:
                message = (
                    f"commit {short(name)} is dated before {short(parent.id)}, which it follows"
                )
                expected = f"{_date(parent.committed)} or later"
                yield _of("commit_sha", message, expected, _date(commit.committed))


def work_of(result: GitResult, history: History) -> Work | None:
    """Return the work that a git result is about, None where its commit is not on its branch.

    Raises:
        Unreadable: the history cannot be read.
    """
    from verify.history.work import work_on  # few exercises ask a history

    return work_on(history, result["branch"], commit_of(history, result["commit_sha"]))


def _of(field: str, message: str, expected: str, found: str, action: str = "") -> Problem:
    return Problem("evidence", (field,), message, expected, found, action=action)


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.replace("\r\n", "\n").strip().split("\n")]


def _date(seconds: int) -> str:
    if seconds > _LAST_YEAR:
        return f"{seconds} seconds after 1970"
    from datetime import datetime, timezone  # only on failure

    return datetime.fromtimestamp(seconds, timezone.utc).strftime("%Y-%m-%d %H:%M:%S UTC")
