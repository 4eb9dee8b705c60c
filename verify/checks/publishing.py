"""Checks of a git agent's result beyond its schema."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pipeline.protocol.problems import Problem
from pipeline.terminal.display import listed, quoted
from verify.model import PASSED, Verdict

if TYPE_CHECKING:
    from pipeline.schema import GitResult
    from verify.artifacts import ArtifactRef, CheckFunction, Context


_SHOWN = 50  # characters of a slug
_NUMBERS = re.compile(r"[0-9]+")


def names_the_issue(source: ArtifactRef) -> CheckFunction:
    """Pass where the branch's slug holds the issue's number (specification, section 2.4)."""

    def check(context: Context) -> Verdict:
        artifact = context.artifact(source)
        result: GitResult = artifact.value
        number = source.issue_in(context.exercise).rpartition("-")[2]
        if number in _NUMBERS.findall(result["branch"]):
            return PASSED
        slug = _NUMBERS.sub("", result["branch"].removeprefix("feature/")).strip("-_")
        slug = slug.removeprefix("issue").strip("-_")[:_SHOWN]
        right = "-".join(part for part in (f"feature/issue-{number}", slug) if part)
        problem = Problem(
            "branch",
            ("branch",),
            "the branch does not name its issue",
            f"a slug with {number} in it",
            quoted(result["branch"]),
            action=f"Rename the branch to {quoted(right)}, and write that name.",
        )
        return artifact.failed_at([problem])

    return check


def has_pull_request(source: ArtifactRef) -> CheckFunction:
    """Pass where the address of the pull request is given, and is one."""

    def check(context: Context) -> Verdict:
        artifact = context.artifact(source)
        if "pr_url" in artifact.value:
            return artifact.failed([p for p in artifact.problems if p.rule == "pr-url"])
        problem = Problem(
            "pr-url",
            ("pr_url",),
            "the address of the pull request is missing",
            "an http(s) address",
            f"only {listed(artifact.value)}",
            action='Add "pr_url": with the address of the pull request, in double quotes.',
        )
        return artifact.failed_at([problem])

    return check
