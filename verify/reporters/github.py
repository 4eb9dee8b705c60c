"""The report for GitHub Actions: annotations at the failing places, the table as step summary."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.terminal.display import visible
from verify.grading.model import Finding, Outcome
from verify.reporters import table
from verify.reporters.base import GradedRun, Rendered, Sign, fenced, finding_lines, sign_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verify.grading.model import Report
    from verify.reporters.base import View

MOST_SUMMARY = 250_000  # characters of up to 4 bytes; GitHub refuses a summary above 1 MiB

# a command's text is escaped as the runner unescapes it, and a property has two more characters
_DATA = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY = _DATA | str.maketrans({":": "%3A", ",": "%2C"})


def render(run: GradedRun, view: View) -> Rendered:
    """Return workflow commands for stdout, and a Markdown page for the step summary."""
    commands = [
        f"{command}\n" for report in run.reports for command in _commands(report, view.prefix)
    ]
    full = view._replace(rows=0, colour=False, hints=3, verbose=True, provenance=True)
    tables = [table.render(GradedRun(run.level, (report,)), full).text for report in run.reports]
    return Rendered("".join(commands), fenced("\n".join(tables)[:MOST_SUMMARY]) + "\n")


def _commands(report: Report, prefix: str) -> Iterator[str]:
    if report.unresolved is not None:
        finding = Finding(report.unresolved.reason, action=report.unresolved.step)
        yield _annotation("error", f"{report.exercise.name} unresolved", finding, prefix)
    for result in report.results:
        if result.outcome in (Outcome.FAIL, Outcome.ERROR):
            check = result.check
            kind = "warning" if sign_of(result, strict=report.strict) is Sign.NOTE else "error"
            for finding in result.findings:
                yield _annotation(kind, f"{check.code} {check.title}", finding, prefix, check.hint)


def _annotation(kind: str, title: str, finding: Finding, prefix: str, hint: str = "") -> str:
    """Return the command that annotates a finding's place, `prefix` before its file."""
    where = ""
    if finding.file:
        spot = f"line={finding.line},col={finding.column}," if finding.line else ""
        where = f"file={visible(prefix + finding.file, 500).translate(_PROPERTY)},{spot}"
    message = f"{finding.path}: {finding.message}" if finding.path else finding.message
    text = "\n".join(finding_lines(finding._replace(file="", message=message), hint))
    return f"::{kind} {where}title={title.translate(_PROPERTY)}::{text.translate(_DATA)}"
