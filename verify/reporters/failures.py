"""The part under the table: each failure with its places, what was expected, what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.display import inert, visible
from verify.reporters.columns import INDENT, filled
from verify.reporters.hints import advice_lines
from verify.verdicts import Outcome

if TYPE_CHECKING:
    from verify.model import Report, Result
    from verify.reporters.base import View
    from verify.verdicts import Finding


def failure_lines(result: Result, view: View, page: str) -> list[str]:
    """Return the lines of a check that failed or crashed, none for another.

    `page` is the path of the tutorial that explains the check.
    """
    if result.outcome not in (Outcome.FAIL, Outcome.ERROR):
        return []
    check, verdict = result.check, result.verdict
    width = max(view.width, 40)
    lines = filled(f"{check.code}  {check.title}", width, subsequent_indent=INDENT * 3)
    for finding in verdict.findings:
        lines += _finding_lines(finding, width)
    if verdict.more:
        lines.append(f"{INDENT}and {verdict.more} more like these")
    lines += advice_lines(result, view, page)
    return [inert(line) for line in lines]


def unasked_lines(report: Report, width: int) -> list[str]:
    """Return a line for each reason why checks were not asked; the table has their rows."""
    codes: dict[str, list[str]] = {}
    for result in report.results:
        if result.outcome is Outcome.UNASKED:
            codes.setdefault(result.verdict.findings[0].message, []).append(result.check.code)
    return [
        inert(line)
        for reason, group in codes.items()
        for line in filled(
            visible(f"Not asked, {', '.join(group)}: {reason}", 1_000),
            width,
            subsequent_indent=INDENT,
        )
    ]


def _finding_lines(finding: Finding, width: int) -> list[str]:
    lines = [f"{INDENT}{place(finding)}"] if finding.file else []
    lines += filled(
        visible(finding.message, 1_000), width, initial_indent=INDENT, subsequent_indent=INDENT
    )
    if finding.expected:
        lines += _labelled("expected", finding.expected, width)
    if finding.found:
        lines += _labelled("found", finding.found, width)
    return lines


def place(finding: Finding) -> str:
    """Return `FILE:LINE:COLUMN  $.path`, whole: terminals and editors jump from it."""
    spot = f":{finding.line}:{finding.column}" if finding.line else ""
    path = f"  {visible(finding.path, 500)}" if finding.path else ""
    return f"{visible(finding.file, 500)}{spot}{path}"


def _labelled(label: str, text: str, width: int) -> list[str]:
    head = f"{INDENT * 2}{label:<10}"
    return filled(
        visible(text, 1_000), width, initial_indent=head, subsequent_indent=" " * len(head)
    )
