"""A failure in lines for a terminal: its places, what was expected, what to do."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from pipeline.terminal.display import inert, visible
from verify.model import Outcome
from verify.reporters.base import place

if TYPE_CHECKING:
    from verify.model import Finding, Result
    from verify.reporters.base import View

NARROWEST = 40  # columns; in a narrower terminal the lines are this wide all the same
INDENT = "  "


def filled(text: str, width: int, indent: str = INDENT, *, first: str = "") -> list[str]:
    """Return a paragraph in lines of at most `width` columns, the first with its own indent."""
    return textwrap.wrap(
        text,
        max(width, NARROWEST),
        initial_indent=first,
        subsequent_indent=indent,
        break_on_hyphens=False,  # a name stays in one piece where it can
    )


def failure_lines(result: Result, view: View, *, first: bool = False) -> list[str]:
    """Return the lines of a check that failed or crashed, none for another.

    Only the first failure has hints, as many as were asked for, and says where there is more.
    """
    if result.outcome not in (Outcome.FAIL, Outcome.ERROR):
        return []
    check, verdict = result.check, result.verdict
    lines = filled(f"{check.code}  {check.title}", view.width, INDENT * 3)
    for finding, later in zip(verdict.findings, [*verdict.findings[1:], None], strict=True):
        lines += _finding_lines(finding, view.width)
        if finding.action and (later is None or later.action != finding.action):
            lines += _advice("To do", finding.action, view.width)
    if verdict.more:
        lines.append(f"{INDENT}and {verdict.more} more like these")
    if first and result.outcome is Outcome.FAIL:
        lines += _hint_lines(result, view)
    return [inert(line) for line in lines]


def _finding_lines(finding: Finding, width: int) -> list[str]:
    lines = [f"{INDENT}{place(finding)}"] if finding.file else []
    lines += filled(visible(finding.message, 1_000), width, first=INDENT)
    for label, text in (("expected", finding.expected), ("found", finding.found)):
        if text:
            head = f"{INDENT * 2}{label:<10}"
            lines += filled(visible(text, 1_000), width, " " * len(head), first=head)
    return lines


def _hint_lines(result: Result, view: View) -> list[str]:
    """Return the hints that were asked for, and how to get more.

    What the check would change is no hint where each finding has an action, made from what was
    found.
    """
    check = result.check
    hints = [_advice("Look at", check.look_at, view.width)] if check.look_at else []
    if not all(finding.action for finding in result.verdict.findings):
        hints.append(_advice("Change", check.hint, view.width))
    if check.example:
        example = textwrap.indent(check.example, INDENT * 2)
        hints.append([f"{INDENT}Example:", *example.split("\n")])
    ask = "press h" if view.keys else f"add --hint{' once more' * bool(view.hints)}"
    more = f"{ask}, or run: " if view.hints < len(hints) else ""
    lines = [line for hint in hints[: view.hints] for line in hint]
    return [*lines, f"{INDENT}More: {more}{view.explain(check.code)}"]


def _advice(label: str, text: str, width: int) -> list[str]:
    return filled(f"{INDENT}{label}: {visible(text, 1_000)}", width, INDENT * 2)
