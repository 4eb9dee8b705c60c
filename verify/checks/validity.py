"""Checks that an artifact is there, is strict JSON, and follows its schema and rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.files import DENIED, MISSING, NOT_REGULAR, TOO_LARGE
from pipeline.protocol.problems import JSON_RULE
from verify.verdicts import PASSED, Finding, Verdict, failed

if TYPE_CHECKING:
    from collections.abc import Callable

    from pipeline.files import Unreadable
    from pipeline.protocol.problems import Problem
    from verify.attempt import Attempt, CheckFunction, Source

_TO_DO = {
    NOT_REGULAR: "Put a regular file there: no link, no pipe, no folder.",
    TOO_LARGE: "Write it again: an artifact has a few kilobytes.",
    DENIED: "Make the file readable: chmod u+r.",
}


class OfProblems:
    """A check of one artifact's problems alone: it passes where the artifact is read and has none.

    A cohort is graded sooner for knowing which checks these are.
    """

    __slots__ = ("_check", "source")

    def __init__(self, source: Source, check: CheckFunction) -> None:
        self.source = source
        self._check = check

    def __call__(self, attempt: Attempt) -> Verdict:
        """Return the verdict on an attempt."""
        return self._check(attempt)


def is_there(source: Source) -> CheckFunction:
    """Pass where the artifact is a regular file that can be read."""

    def check(attempt: Attempt) -> Verdict:
        artifact = attempt.artifact(source)
        if artifact.unreadable is None:
            return PASSED
        return _missing(artifact.unreadable, artifact.file, attempt, source)

    return OfProblems(source, check)


def _missing(unreadable: Unreadable, file: str, attempt: Attempt, source: Source) -> Verdict:
    if unreadable.reason != MISSING:
        message, expected = f"{source.name} {unreadable}", "a readable file"
        return failed(Finding(message, expected, file=file, action=_TO_DO[unreadable.reason]))
    from verify.checks.misplaced import found_instead  # only where something is missing

    instead = found_instead(attempt, source)
    verb = "Rename" if instead.rpartition("/")[0] == file.rpartition("/")[0] else "Move"
    action = f"{verb} {instead} to {file}." if instead else f"Write it to {file}."
    message, found = f"{source.name} is missing", instead or "no such file"
    return failed(Finding(message, "the file", found, file, action=action))


def is_json(source: Source) -> CheckFunction:
    """Pass where the artifact is strict JSON: UTF-8, no key twice, finite numbers."""

    def check(attempt: Attempt) -> Verdict:
        artifact = attempt.artifact(source)
        problems = artifact.problems
        if not problems or problems[0].rule != JSON_RULE:
            return PASSED
        return artifact.failed(problems)

    return OfProblems(source, check)


def is_there_as_json(source: Source) -> CheckFunction:
    """Pass where the artifact is there and is strict JSON."""
    return all_of(is_there(source), is_json(source))


def has_no_problem(source: Source, concerns: Callable[[Problem], bool]) -> CheckFunction:
    """Pass where validation finds nothing that concerns the check."""

    def check(attempt: Attempt) -> Verdict:
        artifact = attempt.artifact(source)
        if not artifact.problems:
            return PASSED
        return artifact.failed([problem for problem in artifact.problems if concerns(problem)])

    return OfProblems(source, check)


def follows_schema(
    source: Source, *, apart_from: frozenset[str] = frozenset(), apart_field: str = ""
) -> CheckFunction:
    """Pass where validation finds nothing, apart from what has a check of its own.

    That is the problems of some rules (`apart_from`) and of one field (`apart_field`).
    """
    return has_no_problem(
        source, lambda p: p.rule not in apart_from and p.path[:1] != (apart_field,)
    )


def keeps_rules(source: Source, *rules: str) -> CheckFunction:
    """Pass where validation finds nothing against these rules."""
    return has_no_problem(source, lambda problem: problem.rule in rules)


def is_sound(source: Source) -> CheckFunction:
    """Pass where the artifact is there, is strict JSON and is valid: three checks as one."""
    return all_of(is_there(source), is_json(source), follows_schema(source))


def all_of(*parts: CheckFunction) -> CheckFunction:
    """Pass where every part passes; the first that does not is the verdict."""

    def check(attempt: Attempt) -> Verdict:
        for part in parts:
            verdict = part(attempt)
            if verdict is not PASSED:
                return verdict
        return PASSED

    sources = {part.source if isinstance(part, OfProblems) else None for part in parts}
    source = sources.pop() if len(sources) == 1 else None
    return OfProblems(source, check) if source else check
