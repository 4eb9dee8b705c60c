"""The part under the table: each failure with its places, what was expected, what to do."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from pipeline.terminal.display import inert, visible
from verify.model import Outcome
from verify.reporters.columns import INDENT, NARROWEST, filled

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verify.model import Finding, Report, Result
    from verify.reporters.base import View


def failure_lines(result: Result, view: View, *, first: bool = False) -> list[str]:
    """Return the lines of a check that failed or crashed, none for another.

    Only the first failure has hints, as many as were asked for, and says where there is more.
    """
    if result.outcome not in (Outcome.FAIL, Outcome.ERROR):
        return []
    check, verdict = result.check, result.verdict
    width = max(view.width, NARROWEST)
    lines = filled(f"{check.code}  {check.title}", width, subsequent_indent=INDENT * 3)
    for finding, later in zip(verdict.findings, [*verdict.findings[1:], None], strict=True):
        lines += _finding_lines(finding, width)
        if finding.action and (later is None or later.action != finding.action):
            lines += _advice("To do", finding.action, width)
    if verdict.more:
        lines.append(f"{INDENT}and {verdict.more} more like these")
    if first and result.outcome is Outcome.FAIL:
        lines += _more_lines(result, view, width)
    return [inert(line) for line in lines]


def unasked_lines(report: Report, width: int) -> list[str]:
    """Return a line for each reason why checks were not asked; the table has their rows."""
    codes: dict[str, list[str]] = {}
    for result in report.unasked:
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


def hints(result: Result, width: int) -> Iterator[list[str]]:
    """Yield the hints of a failure one by one, each as its lines.

    What the check would change is no hint where each finding has an action, made from what was
    found.
    """
    check = result.check
    if check.look:
        yield _advice("Look at", check.look, width)
    if not all(finding.action for finding in result.verdict.findings):
        yield _advice("Change", check.hint, width)
    if check.example:
        example = textwrap.indent(check.example, INDENT * 2)
        yield [f"{INDENT}Example:", *example.split("\n")]


def _more_lines(result: Result, view: View, width: int) -> list[str]:
    given = list(hints(result, width))
    lines = [line for each in given[: view.hints] for line in each]
    ask = "press h" if view.keys else f"add --hint{' once more' * bool(view.hints)}"
    more = f"{ask}, or run: " if view.hints < len(given) else ""
    return [*lines, f"{INDENT}More: {more}{view.explain(result.check.code)}"]


def _advice(label: str, text: str, width: int) -> list[str]:
    return filled(f"{INDENT}{label}: {visible(text, 1_000)}", width, subsequent_indent=INDENT * 2)


def _labelled(label: str, text: str, width: int) -> list[str]:
    head = f"{INDENT * 2}{label:<10}"
    return filled(
        visible(text, 1_000), width, initial_indent=head, subsequent_indent=" " * len(head)
    )
