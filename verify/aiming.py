"""Aims an exercise at another target project or issue than its own, and finds the issue's text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.protocol.issue import MalformedIssue
from verify.course import issue_text

if TYPE_CHECKING:
    from pipeline.protocol.issue import Issue
    from verify.model import Exercise


class Misaimed(Exception):
    """An exercise that cannot be aimed so; the message says which option does not apply."""


def aimed(exercise: Exercise, target: str | None, issue: str | None, course: str = "") -> Exercise:
    """Return the exercise for another target project or issue; None keeps its own.

    Raises:
        Misaimed: it looks at fixed files, or is not about one issue.
    """
    if target and exercise.target is None:
        raise Misaimed(f"{exercise.name} looks at fixed files: --target does not apply")
    if issue and exercise.issue is None:
        raise Misaimed(f"{exercise.name} is not about one issue: --issue does not apply")
    has_criteria = issue is None or issue_text(issue, course) is not None
    return exercise.retargeted(target=target, issue=issue, has_criteria=has_criteria)


def issue_of(exercise: Exercise, course: str = "") -> Issue | None:
    """Return the course's text of an exercise's issue, None where it needs none and has none.

    Raises:
        MalformedIssue: it is damaged, or is missing and the criteria are asked for.
    """
    issue = issue_text(exercise.issue, course)
    if issue is None and any(check.needs_criteria for check in exercise.checks):
        raise MalformedIssue(f"the text of {exercise.issue} is missing")
    return issue
