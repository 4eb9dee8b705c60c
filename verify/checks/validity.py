"""Checks that an artifact is there, is strict JSON, and follows its schema and rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.problems import JSON_RULE
from verify.verdicts import PASSED, Finding, Verdict, failed

if TYPE_CHECKING:
    from collections.abc import Callable

    from pipeline.problems import Problem
    from verify.attempt import Artifact, Attempt, CheckFunction, Source

_UNREADABLE = "Put a regular file there: no link, no pipe, no folder."
_NOT_JSON = (
    "Mend the JSON at this place first; until it can be parsed, nothing else can be checked."
)


def is_there(source: Source) -> CheckFunction:
    """Pass where the artifact is a regular file that can be read."""

    def check(attempt: Attempt) -> Verdict:
        artifact = attempt.artifact(source)
        return _missing(artifact, attempt, source) if artifact.reason else PASSED

    return check


def _missing(artifact: Artifact, attempt: Attempt, source: Source) -> Verdict:
    if artifact.reason != "does not exist":
        return failed(
            Finding(f"{source.name} {artifact.reason}", file=artifact.file, next_step=_UNREADABLE)
        )
    elsewhere = _elsewhere(attempt, source)
    step = f"Move {elsewhere} to {artifact.file}." if elsewhere else ""
    return failed(
        Finding(f"{source.name} is missing", found=elsewhere, file=artifact.file, next_step=step)
    )


def _elsewhere(attempt: Attempt, source: Source) -> str:
    """Return where a misplaced artifact stands: in the other target project, or in no folder."""
    from pipeline.layout import artifact_folder  # only where an artifact is missing

    issue = source.issue or attempt.exercise.issue
    if source.path or not issue:
        return ""
    folders = [artifact_folder(target, issue) for target in (".", "sandbox")]
    places = [f"{folder}/{source.name}" for folder in (*folders, ".pipeline", "sandbox/.pipeline")]
    expected = source.located(attempt.exercise)
    submission = attempt.submission
    return next((p for p in places if p != expected and submission.is_file(p)), "")


def is_json(source: Source) -> CheckFunction:
    """Pass where the artifact is strict JSON: UTF-8, no key twice, finite numbers."""

    def check(attempt: Attempt) -> Verdict:
        artifact = attempt.artifact(source)
        problems = artifact.problems
        if not problems or problems[0].rule != JSON_RULE:
            return PASSED
        refused = artifact.failed(problems, artifact.total)
        findings = tuple(f._replace(next_step=_NOT_JSON) for f in refused.findings)
        return refused._replace(findings=findings)

    return check


def is_there_as_json(source: Source) -> CheckFunction:
    """Pass where the artifact is there and is strict JSON."""
    return _all_of(is_there(source), is_json(source))


def has_no_problem(source: Source, concerns: Callable[[Problem], bool]) -> CheckFunction:
    """Pass where validation finds nothing that concerns the check."""

    def check(attempt: Attempt) -> Verdict:
        artifact = attempt.artifact(source)
        if not artifact.problems:
            return PASSED
        return artifact.failed([problem for problem in artifact.problems if concerns(problem)])

    return check


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
    return _all_of(is_there(source), is_json(source), follows_schema(source))


def _all_of(*parts: CheckFunction) -> CheckFunction:
    def check(attempt: Attempt) -> Verdict:
        for part in parts:
            verdict = part(attempt)
            if verdict is not PASSED:
                return verdict
        return PASSED

    return check
