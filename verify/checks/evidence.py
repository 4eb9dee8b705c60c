"""Checks of what artifacts claim about git, against the history in the submission."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.protocol.layout import composed, in_target
from pipeline.protocol.problems import Problem
from pipeline.terminal.display import listed, named
from verify.checks.validity import WHOLE_HISTORY, with_history
from verify.history import SUBMODULE, BeyondLimits
from verify.model import PASSED, Finding, Verdict, failed, not_checked

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pipeline.schema import GitResult
    from verify.artifacts import Artifact, ArtifactRef, Context
    from verify.history.history import History, Work

_ARTIFACTS = ".pipeline/"
_SLACK = 3_600  # seconds by which the clocks of two honest machines may differ
_CUT = "part of it is missing: the clone is shallow or partial, or needs another clone's objects"
_FETCH = "Fetch the branch (git fetch), submit the clone with the work, or publish the work again."
_PUBLISH = (
    "Have the git agent publish the work again and write git-result.json from what git shows."
)
_AMENDED = f"An amended or rebased commit has a new hash. {_PUBLISH}"
_COMPARE = (
    "Compare the list with what `git diff --name-only {} {}` prints. If the work is complete, have"
    " the agent that wrote this artifact write it again; if not, commit the rest and publish again."
)
_UNLISTED = "git shows a change to a file that is not listed"
_EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"  # what git compares a first commit with
_LAST_YEAR = 253_402_300_799  # the last second that has a date of four digits


def _commit_of(history: History, result: GitResult) -> str:
    """Return the id of the one commit that is meant: `names_a_commit` has already passed."""
    found = history.find(result["commit_sha"])
    return next(name for name, kind in found.items() if kind == "commit")


def _short(name: str) -> str:
    return name[:10]


def _problem(field: str, message: str, expected: str, found: str, action: str = "") -> Problem:
    return Problem("evidence", (field,), message, expected, found, action=action)


@with_history
def names_a_commit(_: Context, artifact: Artifact, history: History) -> Verdict:
    """Pass if `commit_sha`, abbreviated or not, is one commit of the history."""
    written = artifact.value["commit_sha"]
    found = history.find(written)
    commits = [name for name, kind in found.items() if kind == "commit"]
    if len(commits) == 1:
        return PASSED
    if commits:
        message, expected = "the hashes of several commits begin with these digits", "more digits"
        problem = _problem("commit_sha", message, expected, listed(commits))
    elif found:
        message = f"this is the hash of a {next(iter(found.values()))}, not of a commit"
        problem = _problem("commit_sha", message, "the hash of a commit", named(written))
    else:
        message, cut = "git has no commit with this hash", f" ({_CUT})" if history.cut else ""
        expected, action = f"a commit in the history{cut}", WHOLE_HISTORY if cut else _FETCH
        problem = _problem("commit_sha", message, expected, named(written), action)
    return artifact.failed_at([problem])


@with_history
def lies_on_its_branch(_: Context, artifact: Artifact, history: History) -> Verdict:
    """Pass if the commit is on `branch`, local or of a remote, and was made for it.

    If the branch was deleted, the commit must be on the default branch: it was merged. The check is
    not asked if no branch has the commit any more, or if the default branch has a part of it.
    """
    branch, commit = artifact.value["branch"], _commit_of(history, artifact.value)
    refs, main = history.branches.tips_of(branch), history.branches.default()
    if refs and not history.tip_with(branch, commit):
        message, expected = "the commit is not on the branch", f"a branch with {_short(commit)}"
        ends = f"{named(branch, 60)} ends at {_short(refs[0])}"
        return artifact.failed_at([_problem("branch", message, expected, ends, _AMENDED)])
    work = history.work_on(branch, commit) if main else None
    if work is None:
        return PASSED if refs else artifact.failed_at([_nowhere(history, branch, commit, main)])
    later = history.between(commit, work.tip)
    before = [base in later for base in work.bases]
    if before and all(before):
        message = f"the commit was on {named(main, 60)} before the branch began"
        expected = f"a commit after {_short(work.bases[0])}"
        problem = _problem("commit_sha", message, expected, _short(commit), _PUBLISH)
        return artifact.failed_at([problem])
    is_known = bool(before) or (work.main and commit == work.tip)
    return not_checked(work.doubt) if work.doubt and (any(before) or not is_known) else PASSED


def _nowhere(history: History, branch: str, commit: str, main: str) -> Problem:
    there = sorted({ref.split("/", 2)[2] for ref in history.branches.refs})
    message = "git has no such branch, and the commit was not merged"
    expected = f"{named(branch, 60)}, or {_short(commit)} on {named(main or 'main', 60)}"
    return _problem(
        "branch",
        message,
        expected,
        f"branches {listed(there)}" if there else "no branches",
        _PUBLISH,
    )


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
    its, theirs = named(message_in_git, 300), named(result["commit_message"], 300)
    problem = _problem("commit_message", "git has a different message", f"git: {its}", theirs)
    return artifact.failed_at([problem])


@with_history
def has_times_in_order(_: Context, artifact: Artifact, history: History) -> Verdict:
    """Pass if no commit of the work is dated before its parent, or committed before it was written.

    Only commits are compared with each other, with an hour for clocks that differ. Whoever makes a
    commit writes its times: order shows no more than that nothing contradicts itself.
    """
    work = history.work_on(artifact.value["branch"], _commit_of(history, artifact.value))
    return artifact.failed_at(list(_disorder(history, work)) if work else [])


def _disorder(history: History, work: Work) -> Iterator[Problem]:
    for name in (*history.commits_of(work), *([work.merge] if work.merge else [])):
        commit = history.commit(name)
        if commit.authored > commit.committed + _SLACK:
            message = f"commit {_short(name)} has an author date after its commit date"
            yield _problem(
                "commit_sha",
                message,
                f"{_date(commit.committed)} or earlier",
                _date(commit.authored),
            )
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
    context: Context, artifact: Artifact, history: History, field: str, git_source: ArtifactRef
) -> Verdict:
    """Pass if a field lists exactly the files that differ between the branch and its beginning.

    The branch begins where it left the default one. If git cannot tell, the check is not asked,
    unless the list is wrong wherever the branch may have begun. Artifacts of the pipeline do not
    count: they may have their own commit.
    """
    result: GitResult = context.artifact(git_source).value
    work = history.work_on(result["branch"], _commit_of(history, result))
    if work is None:
        return PASSED  # the check of the branch says so
    target, written = context.exercise.target or ".", artifact.value[field]
    claimed = {composed(in_target(target, file)): index for index, file in enumerate(written)}
    base = _closest(history, work, target, set(claimed))
    if base is None:
        return PASSED if len(work.bases) == 1 else not_checked(work.doubt)
    real = _changed(history, base, work.tip, target)
    known, shown = set(real), [_within(target, file) for file in real]
    changed, lists = f"git: {listed(shown) or 'no file'}", listed(written) or "no file"
    action = _COMPARE.format(_short(base) or _EMPTY_TREE, _short(work.tip))
    problems = [
        Problem("evidence", (field, index), _why_not(history, work, path), changed, named(path))
        for path, index in claimed.items()
        if path not in known
    ]
    problems += [
        _problem(field, _UNLISTED, f"git: {named(file)}", lists)
        for path, file in zip(real, shown, strict=True)
        if path not in claimed
    ]
    return artifact.failed_at(problems).advising(action)


def _closest(history: History, work: Work, target: str, claimed: set[str]) -> str | None:
    """Return the beginning of a work at which a list is wrong in the fewest files.

    None if the list may be right: at one beginning, or if git has none or too many.
    """
    differences: dict[str, int] = {}
    for base in work.bases:
        try:
            differences[base] = len(claimed ^ {*_changed(history, base, work.tip, target)})
        except BeyondLimits:
            if len(work.bases) == 1:
                raise
            return None
        if not differences[base]:
            return None
    return min(differences, key=differences.__getitem__, default=None)


def _changed(history: History, base: str, tip: str, target: str) -> list[str]:
    """Return the changed files as they are read from the submission's root, without artifacts."""
    own = (_ARTIFACTS, in_target(target, _ARTIFACTS))
    return [composed(p) for p in history.changed(base, tip) if not p.startswith(own)]


def _why_not(history: History, work: Work, path: str) -> str:
    """Return why a path is not among the changed files."""
    if history.mode_at(work.tip, path) == SUBMODULE:
        return "this is a submodule, not a file"
    return "git shows no change to this file"


def _within(target: str, path: str) -> str:
    """Return a path as it is read from the target project, one outside as it is."""
    return path.removeprefix(in_target(target, "")) if target != "." else path


@with_history
def leaves_artifacts_out(
    context: Context, artifact: Artifact, history: History, sources: Sequence[ArtifactRef]
) -> Verdict:
    """Pass if the commit of the work has none of its artifacts."""
    commit = _commit_of(history, artifact.value)
    paths = [source.located(context.exercise) for source in sources]
    there = f"in commit {_short(commit)}"
    message = "this artifact is in the same commit as the work"
    return failed(
        *[
            Finding(message, "only the files of the work", there, path)
            for path in paths
            if history.has_file(commit, path)
        ]
    )
