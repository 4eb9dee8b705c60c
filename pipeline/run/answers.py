"""What an agent answers: its verdict, and its first lines."""

from __future__ import annotations

import re

from pipeline.terminal.display import visible

APPROVED, CHANGES, BLOCKED = "approved", "changes needed", "blocked"
_VERDICT = re.compile(rf"[\s*_#>`]*({APPROVED}|{CHANGES}|{BLOCKED})\b(?! not\b)", re.IGNORECASE)
_LINES_SHOWN = 20  # of an answer that a message repeats
_LINES_SEARCHED = 40


def verdict_of(reply: str) -> str:
    """Return the verdict that a reviewer's answer begins with, empty if it has none.

    It is at the start of a line; the lines before it may be a planner's own words.
    """
    matches = map(_VERDICT.match, reply.splitlines()[:_LINES_SEARCHED])
    return next((match[1].lower() for match in matches if match), "")


def lines_of(reply: str) -> list[str]:
    """Return the first lines of an answer, safe to print."""
    return [visible(line, 300) for line in reply.splitlines()[:_LINES_SHOWN] if line.strip()]
