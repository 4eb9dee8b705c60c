"""The part under the table: each failure with its places, what was expected, what to do."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from pipeline.display import inert, visible
from verify.verdicts import Outcome

if TYPE_CHECKING:
    from verify.model import Result
    from verify.reporters.base import View
    from verify.verdicts import Finding

_INDENT = "  "


def failure_lines(result: Result, view: View) -> list[str]:
    """Return the lines of a check that failed or crashed, none for another."""
    if result.outcome not in (Outcome.FAIL, Outcome.ERROR):
        return []
    check, verdict = result.check, result.verdict
    width = max(view.width, 40)
    lines = _wrapped(f"{check.code}  {check.title}", width, subsequent_indent=_INDENT * 3)
    for finding in verdict.findings:
        lines += _finding_lines(finding, width)
    if verdict.more:
        lines.append(f"{_INDENT}and {verdict.more} more like these")
    steps = list(dict.fromkeys(f.next_step or check.hint for f in verdict.findings))
    for step in steps:
        lines += _wrapped(
            f"{_INDENT}To do: {visible(step, 1_000)}",
            width,
            subsequent_indent=_INDENT * 2,
        )
    if view.hints and check.example and result.outcome is Outcome.FAIL:
        lines += [f"{_INDENT}example", *textwrap.indent(check.example, _INDENT * 2).split("\n")]
    return [inert(line) for line in lines]


def _finding_lines(finding: Finding, width: int) -> list[str]:
    lines = [f"{_INDENT}{place(finding)}"] if finding.file else []
    lines += _wrapped(
        visible(finding.message, 1_000), width, initial_indent=_INDENT, subsequent_indent=_INDENT
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
    head = f"{_INDENT * 2}{label:<10}"
    return _wrapped(
        visible(text, 1_000), width, initial_indent=head, subsequent_indent=" " * len(head)
    )


def _wrapped(
    text: str, width: int, *, initial_indent: str = "", subsequent_indent: str
) -> list[str]:
    return textwrap.wrap(
        text,
        width,
        initial_indent=initial_indent,
        subsequent_indent=subsequent_indent,
        break_on_hyphens=False,  # a name stays in one piece where it can
    )
