"""What an agent's answer says in its first words, and the lines of it that a person is shown."""

from __future__ import annotations

import re

from pipeline.terminal.display import visible

APPROVED, CHANGES, BLOCKED = "approved", "changes needed", "blocked"
_VERDICT = re.compile(rf"[\s*_#>`]*({APPROVED}|{CHANGES}|{BLOCKED})\b(?! not\b)", re.IGNORECASE)
_SHOWN = 20  # lines of an answer that a message repeats
_LINES_SEARCHED = 40


def verdict_of(reply: str) -> str:
    """Return the verdict that a reviewer's answer begins with, empty if it has none.

    It stands at the start of a line; the lines before it may be a planner's own words.
    """
    for line in reply.splitlines()[:_LINES_SEARCHED]:
        match = _VERDICT.match(line)
        if match:
            return match[1].lower()
    return ""


def lines_of(reply: str) -> list[str]:
    """Return the first lines of an answer, safe to print."""
    return [visible(line, 300) for line in reply.splitlines()[:_SHOWN] if line.strip()]


def first_finding(reply: str) -> str:
    """Return the first line below the verdict."""
    lines = [line for line in reply.splitlines() if line.strip() and not _VERDICT.match(line)]
    return visible(lines[0], 200) if lines else CHANGES
