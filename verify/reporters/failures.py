"""The part under the table: each failure with its places, what was expected, what to do."""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING

from pipeline.display import visible
from verify.verdicts import Outcome

if TYPE_CHECKING:
    from verify.model import Result
    from verify.reporters.base import View
    from verify.verdicts import Finding

_INDENT = "  "
_COMMAND_START = re.compile(r"^(\s*):(?=:)")


def failure_lines(result: Result, view: View) -> list[str]:
    """Return the lines of a check that failed or crashed, none for another."""
    if result.outcome not in (Outcome.FAIL, Outcome.ERROR):
        return []
    check, verdict = result.check, result.verdict
    width = max(view.width, 40)
    lines = textwrap.wrap(f"{check.code}  {check.title}", width, subsequent_indent=_INDENT * 3)
    for finding in verdict.findings:
        lines += _finding_lines(finding, width)
    if verdict.more:
        lines.append(f"{_INDENT}and {verdict.more} more like these")
    steps = list(dict.fromkeys(f.next_step or check.hint for f in verdict.findings))
    for step in steps:
        lines += textwrap.wrap(
            f"{_INDENT}To do: {visible(step, 1_000)}",
            width,
            subsequent_indent=_INDENT * 2,
            break_on_hyphens=False,
        )
    if view.hints and check.example and result.outcome is Outcome.FAIL:
        lines += [f"{_INDENT}example", *textwrap.indent(check.example, _INDENT * 2).split("\n")]
    return [inert(line) for line in lines]


def _finding_lines(finding: Finding, width: int) -> list[str]:
    lines = [f"{_INDENT}{place(finding)}"] if finding.file else []
    lines += textwrap.wrap(
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


def inert(line: str) -> str:
    """Return a line that GitHub's runner takes for no command: it obeys what a job prints.

    `::error::` is one at the start of a line, however far indented, `##[error]` anywhere in it.
    """
    return _COMMAND_START.sub(r"\1\\u{3a}", line.replace("##[", r"#\u{23}["))


def _labelled(label: str, text: str, width: int) -> list[str]:
    head = f"{_INDENT * 2}{label:<10}"
    return textwrap.wrap(
        visible(text, 1_000), width, initial_indent=head, subsequent_indent=" " * len(head)
    )
