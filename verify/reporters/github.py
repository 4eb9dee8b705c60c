"""The report for GitHub Actions: annotations at the failing places, and a step summary."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pipeline.display import inert, visible
from verify.reporters.base import Rendered
from verify.reporters.failures import place
from verify.reporters.marks import mark_of
from verify.verdicts import Outcome

if TYPE_CHECKING:
    from verify.model import Report, Result
    from verify.reporters.base import Run, View
    from verify.verdicts import Finding

MOST_ANNOTATIONS = 10  # of a kind per step; GitHub drops the rest
MOST_SUMMARY = 1 << 20  # bytes per step; beyond it the whole summary is refused

_BACKTICKS = re.compile("`+")
_MARKDOWN = re.compile(r"([\\`*_{}\[\]()<>#+\-!|@~&$:])")


def render(run: Run, view: View) -> Rendered:
    """Return workflow commands for stdout and a Markdown page for the step summary."""
    annotations: dict[str, list[str]] = {"error": [], "warning": []}
    for report in run.reports:
        for result in report.results:
            note = result.check.advisory and not report.strict
            annotations["warning" if note else "error"] += _annotations(
                result, view.prefix, note=note
            )
    lines = [line for each in annotations.values() for line in each[:MOST_ANNOTATIONS]]
    cut = sum(len(each) for each in annotations.values()) - len(lines)
    if cut:
        findings = "finding is" if cut == 1 else "findings are"
        lines.append(f"::notice::{cut} more {findings} in the step's summary")
    pages = "\n".join(_summary(report) for report in run.reports).split("\n")
    summary = "\n".join(map(inert, pages))  # without a page to write to, it goes to the log
    return Rendered("".join(f"{line}\n" for line in lines), _cut(summary))


def _annotations(result: Result, prefix: str, *, note: bool) -> list[str]:
    if result.outcome not in (Outcome.FAIL, Outcome.ERROR):
        return []
    command = "warning" if note else "error"
    title = _property(f"{result.check.code} {result.check.title}")
    return [
        f"::{command} {_where(finding, prefix)}title={title}::{_data(_sentence(finding, result))}"
        for finding in result.verdict.findings
    ]


def _where(finding: Finding, prefix: str) -> str:
    if not finding.file:
        return ""
    spot = f"line={finding.line},col={finding.column}," if finding.line else ""
    return f"file={_property(visible(prefix + finding.file, 500))},{spot}"


def _sentence(finding: Finding, result: Result) -> str:
    parts = [
        f"{finding.path}: {finding.message}" if finding.path else finding.message,
        f"expected {finding.expected}" if finding.expected else "",
        f"found {finding.found}" if finding.found else "",
        finding.next_step or result.check.hint,
    ]
    return "\n".join(visible(part, 1_000) for part in parts if part)


def _data(text: str) -> str:
    """Escape a command's message as the runner unescapes it."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _summary(report: Report) -> str:
    exercise = report.exercise
    verdict = "passed" if report.passed else "not passed"
    score = f"{report.score} of {exercise.points} points"
    lines = [
        f"## {exercise.name} {_plain(exercise.title)}: {verdict}, {score}",
        "",
        "| check | result | what is checked | points |",
        "| --- | --- | --- | ---: |",
    ]
    for result in report.results:
        check = result.check
        points = "" if check.advisory else f"{result.score}/{check.points}"
        word = mark_of(result, report).word
        lines.append(f"| {check.code} | {word} | {_plain(check.title)} | {points} |")
    lines.append("")
    for result in report.results:
        lines += _failure(result)
    return "\n".join(lines) + "\n"


def _failure(result: Result) -> list[str]:
    if result.outcome not in (Outcome.FAIL, Outcome.ERROR):
        return []
    lines = []
    for finding in result.verdict.findings:
        where = f"{_span(place(finding))} " if finding.file else ""
        step = finding.next_step or result.check.hint
        expected = f" Expected {_span(finding.expected)}." if finding.expected else ""
        found = f" Found {_span(finding.found)}." if finding.found else ""
        lines.append(
            f"- **{result.check.code}** {where}{_plain(finding.message)}.{expected}{found} "
            f"{_plain(step)}"
        )
    more = result.verdict.more
    return [*lines, f"- **{result.check.code}** and {more} more like these"] if more else lines


def _span(text: str) -> str:
    """Return a code span: no markup, link, image, mention or HTML of the text takes effect."""
    shown = visible(text, 1_000)
    fence = "`" * (max(map(len, _BACKTICKS.findall(shown)), default=0) + 1)
    return f"{fence} {shown} {fence}"


def _plain(text: str) -> str:
    """Return our own words, with what may be quoted in them shown as it is."""
    escaped = _MARKDOWN.sub(r"\\\1", visible(text, 1_000))
    return escaped.replace("\\<", "&lt;").replace("\\@", "&#64;")


def _cut(summary: str) -> str:
    data = summary.encode()
    if len(data) <= MOST_SUMMARY:
        return summary
    whole = data[: MOST_SUMMARY - 100].rpartition(b"\n")[0]  # a code span cut open quotes nothing
    return whole.decode() + "\n\n(cut: the page is full)\n"
