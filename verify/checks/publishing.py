"""Checks of a git agent's result beyond its schema."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pipeline.display import quoted
from pipeline.problems import Problem
from verify.verdicts import PASSED, Verdict

if TYPE_CHECKING:
    from pipeline.schema import GitResult
    from verify.attempt import Attempt, CheckFunction, Source


_NUMBERS = re.compile(r"[0-9]+")


def names_the_issue(source: Source) -> CheckFunction:
    """Pass where the branch's slug holds the issue's number (specification, section 2.4)."""

    def check(attempt: Attempt) -> Verdict:
        artifact = attempt.artifact(source)
        result: GitResult = artifact.value
        number = source.issue_in(attempt.exercise).rpartition("-")[2]
        if number in _NUMBERS.findall(result["branch"]):
            return PASSED
        problem = Problem(
            "branch",
            ("branch",),
            "the branch does not name its issue",
            f"a slug with {number} in it",
            quoted(result["branch"]),
        )
        return artifact.failed_at([problem])

    return check


def has_pull_request(source: Source) -> CheckFunction:
    """Pass where the address of the pull request is given, and is one."""

    def check(attempt: Attempt) -> Verdict:
        artifact = attempt.artifact(source)
        if "pr_url" in artifact.value:
            return artifact.failed([p for p in artifact.problems if p.rule == "pr-url"])
        problem = Problem(
            "pr-url", ("pr_url",), "the pull request's address is not given", "an http(s) address"
        )
        return artifact.failed_at([problem])

    return check
