"""What an agent answers: its verdict, and its first lines."""

from __future__ import annotations

import re
from typing import Any

from pipeline.protocol.patterns import PATH, no_path
from pipeline.terminal.display import visible

APPROVED, CHANGES, BLOCKED = "approved", "changes needed", "blocked"
_VERDICT = re.compile(rf"[\s*_#>`]*({APPROVED}|{CHANGES}|{BLOCKED})\b(?! not\b)", re.IGNORECASE)
_LINES_SHOWN = 20  # of an answer that a message repeats
_LINES_SEARCHED = 40
_FINDING = re.compile(
    r"[-*\s]*`?(?P<file>[^\s:`]+)`?:(?P<line>\d{1,7})(?:[:-]\d+)*:?`?\s+(?P<rest>\S.*)"
)
_SEVERITY = re.compile(r"[*_`(\[]*(critical|major|minor)[*_`)\]]*\s*[:,;]\s*", re.IGNORECASE)
_MOST_FINDINGS = 50


def verdict_of(reply: str) -> str:
    """Return the verdict that a reviewer's answer begins with, empty if it has none.

    It is at the start of a line; the lines before it may be a planner's own words.
    """
    matches = map(_VERDICT.match, reply.splitlines()[:_LINES_SEARCHED])
    return next((match[1].lower() for match in matches if match), "")


def findings_of(reply: str) -> list[dict[str, Any]]:
    """Return the findings of a reviewer's answer: `<file>:<line>: <severity>: <what is wrong>`.

    An answer that asks for changes and names no place has its lines as findings.
    """
    verdict = verdict_of(reply)
    usual = "major" if verdict == CHANGES else "minor"
    lines = [line for line in reply.splitlines() if line.strip() and not _VERDICT.match(line)]
    places = [match for line in lines if (match := _FINDING.match(line))]
    if places or verdict != CHANGES:
        return [_finding(match["rest"], match, usual) for match in places[:_MOST_FINDINGS]]
    return [_finding(line, None, usual) for line in lines[:_MOST_FINDINGS]]


def _finding(text: str, match: re.Match[str] | None, usual: str) -> dict[str, Any]:
    said = _SEVERITY.match(text)
    severity, rest = (said[1].lower(), text[said.end() :]) if said else (usual, text)
    finding = {"severity": severity, "message": visible(rest.strip(" -*`") or text, 600)}
    if match and re.match(PATH.pattern, match["file"]) and no_path(match["file"]) is None:
        return {"file": match["file"], "line": int(match["line"]), **finding}
    return finding


def lines_of(reply: str) -> list[str]:
    """Return the first lines of an answer, safe to print."""
    return [visible(line, 300) for line in reply.splitlines()[:_LINES_SHOWN] if line.strip()]
