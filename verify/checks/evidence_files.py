"""Checks of the files that artifacts name against those that git says the work changed."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from pipeline.protocol.layout import in_target
from pipeline.protocol.names import composed
from pipeline.protocol.problems import Problem
from pipeline.terminal.display import listed, named
from verify.checks.evidence import work_of
from verify.checks.histories import asking, commit_of, short
from verify.verdicts import PASSED, Finding, Verdict, failed, unasked

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from verify.attempt import Artifact, Attempt, CheckFunction, Source
    from verify.history.history import History
    from verify.history.work import Work

_ARTIFACTS = ".pipeline/"


def names_the_changed_files(source: Source, field: str, git_source: Source) -> CheckFunction:
    """Pass where a field lists exactly the files that differ between the branch and its beginning.

    The branch begins where it left the default one. Where git cannot tell, the check is not asked,
    unless the list is wrong wherever the branch may have begun. Artifacts of the pipeline do not
    count: they may have a commit of their own.
    """

    def question(attempt: Attempt, artifact: Artifact, history: History) -> Verdict:
        work = work_of(attempt.artifact(git_source).value, history)
        if work is None:
            return PASSED  # the check of the branch says so
        target, written = attempt.exercise.target or ".", artifact.value[field]
        claimed = {composed(in_target(target, file)) for file in written}
        base = _closest(history, work, target, claimed)
        if base is None:
            return PASSED if len(work.bases) == 1 else unasked(work.doubt)
        real = _changed(history, base, work.tip, target)
        problems = _differences(written, field, real, target, partial(_why_not, history, work))
        return artifact.failed_at(problems).advising(_advice(written, problems, base, work.tip))

    return asking(source, question)


def _closest(history: History, work: Work, target: str, claimed: set[str]) -> str | None:
    """Return the beginning of a work at which a list is wrong in the fewest files.

    None where it may be right: at one beginning, or where git has none or too many.
    """
    from verify.history.objects import Beyond  # few exercises ask a history

    differences: dict[str, int] = {}
    for base in work.bases:
        try:
            differences[base] = len(claimed ^ {*_changed(history, base, work.tip, target)})
        except Beyond:
            if len(work.bases) == 1:
                raise
            return None
        if not differences[base]:
            return None
    return min(differences, key=differences.__getitem__, default=None)


def _changed(history: History, base: str, tip: str, target: str) -> list[str]:
    """Return the changed files as they are read from the submission's root, without artifacts."""
    from verify.history.work import changed  # few exercises ask a history

    own = (_ARTIFACTS, in_target(target, _ARTIFACTS))
    return [composed(p) for p in changed(history, base, tip) if not p.startswith(own)]


def _why_not(history: History, work: Work, path: str) -> str:
    """Return why a path is not among the changed files."""
    from verify.history.work import SUBMODULE, mode_at  # few exercises ask a history

    if mode_at(history, work.tip, path) == SUBMODULE:
        return "this is a submodule, not a file"
    return "git has no change of this file"


def _differences(
    written: Sequence[str],
    field: str,
    real: Sequence[str],
    target: str,
    why_not: Callable[[str], str],
) -> list[Problem]:
    claimed = {composed(in_target(target, file)): index for index, file in enumerate(written)}
    shown = [_within(target, file) for file in real]
    says, known = f"git: {listed(shown) or 'no file'}", set(real)
    problems = [
        Problem("evidence", (field, index), why_not(path), says, named(path))
        for path, index in claimed.items()
        if path not in known
    ]
    message, lists = "git has a change of a file that is not listed", listed(written) or "no file"
    problems += [
        Problem("evidence", (field,), message, f"git: {named(_within(target, path))}", lists)
        for path in real
        if path not in claimed
    ]
    return problems


def _advice(written: Sequence[str], problems: Sequence[Problem], base: str, tip: str) -> str:
    extra = sum(len(problem.path) > 1 for problem in problems)
    counts = f"{len(written) - extra} match, {extra} too many, {len(problems) - extra} missing"
    span = f"{short(base)} {short(tip)}" if base else short(tip)
    return (
        f"Compare with git diff --name-only {span} ({counts}). If the work is complete, have the"
        " agent of this artifact write it again; if not, commit the rest and publish again."
    )


def _within(target: str, path: str) -> str:
    """Return a path as it is read from the target project, one outside as it is."""
    return path.removeprefix(in_target(target, "")) if target != "." else path


def leaves_artifacts_out(git_source: Source, sources: Sequence[Source]) -> CheckFunction:
    """Pass where the commit of the work has none of its artifacts."""

    def question(attempt: Attempt, artifact: Artifact, history: History) -> Verdict:
        from verify.history.work import is_file, mode_at  # few exercises ask a history

        commit = commit_of(history, artifact.value["commit_sha"])
        paths = [source.located(attempt.exercise) for source in sources]
        there = f"in commit {short(commit)}"
        message = "the artifact is part of the work's commit"
        return failed(
            *[
                Finding(message, "the files of the work only", there, path)
                for path in paths
                if is_file(mode_at(history, commit, path))
            ]
        )

    return asking(git_source, question)
