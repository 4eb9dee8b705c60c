"""The report for GitHub Actions: annotations at the failing places, and a step summary."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pipeline.terminal.display import inert, visible
from verify.model import Finding, Outcome
from verify.reporters.base import Rendered, finding_lines, place, provenance_lines, sign_of

if TYPE_CHECKING:
    from verify.model import Report, Result, Verdict
    from verify.reporters.base import Run, View

MOST_ANNOTATIONS = 10  # of a kind per step; GitHub drops the rest
MOST_SUMMARY = 1 << 20  # bytes per step; beyond it the whole summary is refused

_BACKTICKS = re.compile("`+")
_MARKDOWN = re.compile(r"([\\`*_{}\[\]()<>#+\-!|~&$:]|(?<=www)\.)", re.IGNORECASE)
# GitHub looks for mentions, addresses and references in the text that Markdown has made
_REFERENCE = re.compile(r"((?:@|#(?=\w)|(?<=\bgh)-(?=[0-9]))+)", re.IGNORECASE)


def render(run: Run, view: View) -> Rendered:
    """Return workflow commands for stdout and a Markdown page for the step summary."""
    annotations: dict[str, list[str]] = {"error": [], "warning": []}
    for report in run.reports:
        if report.unresolved is not None:
            finding = Finding(report.unresolved.reason, action=report.unresolved.step)
            title = f"{report.exercise.name} unresolved"
            annotations["error"].append(_annotation("error", title, finding, view.prefix))
        for result in report.results:
            kind = "warning" if result.check.advisory and not report.strict else "error"
            annotations[kind] += _annotations(kind, result, view.prefix)
    lines = [line for each in annotations.values() for line in each[:MOST_ANNOTATIONS]]
    cut = sum(len(each) for each in annotations.values()) - len(lines)
    if cut:
        findings = "finding is" if cut == 1 else "findings are"
        lines.append(f"::notice::{cut} more {findings} in the step's summary")
    pages = "\n".join(_summary(report) for report in run.reports).split("\n")
    summary = "\n".join(map(inert, pages))  # without a page to write to, it goes to the log
    return Rendered("".join(f"{line}\n" for line in lines), _cut_page(summary))


def _annotations(command: str, result: Result, prefix: str) -> list[str]:
    if result.outcome not in (Outcome.FAIL, Outcome.ERROR):
        return []
    check = result.check
    return [
        _annotation(command, f"{check.code} {check.title}", finding, prefix, check.hint)
        for finding in result.verdict.findings
    ]


def _annotation(command: str, title: str, finding: Finding, prefix: str, hint: str = "") -> str:
    """Return the workflow command that annotates a finding's place, `prefix` before its file."""
    where = ""
    if finding.file:
        spot = f"line={finding.line},col={finding.column}," if finding.line else ""
        where = f"file={_property(visible(prefix + finding.file, 500))},{spot}"
    message = f"{finding.path}: {finding.message}" if finding.path else finding.message
    text = "\n".join(finding_lines(finding._replace(file="", message=message), hint))
    return f"::{command} {where}title={_property(title)}::{_data(text)}"


def _data(text: str) -> str:
    """Escape a command's message as the runner unescapes it."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """Escape the value of a command's property as the runner unescapes it."""
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _summary(report: Report) -> str:
    exercise = report.exercise
    if report.unresolved is not None:
        found = f"{plain(report.unresolved.reason)}. {plain(report.unresolved.step)}"
        return f"## {exercise.name} {plain(exercise.title)}: unresolved\n\n{found}\n"
    verdict = "passed" if report.passed else "not passed"
    score = f"{report.score} of {report.points} points"
    lines = [
        f"## {exercise.name} {plain(exercise.title)}: {verdict}, {score}",
        "",
        "| check | result | what is checked | points |",
        "| --- | --- | --- | ---: |",
    ]
    for result in report.results:
        check = result.check
        uncounted = check.advisory or result.outcome is Outcome.UNASKED
        points = "" if uncounted else f"{result.score or 0}/{check.points}"
        word = sign_of(result, report).word
        lines.append(f"| {check.code} | {word} | {plain(check.title)} | {points} |")
    lines.append("")
    if report.provenance is not None:
        for line in provenance_lines(report.provenance):
            lines += [plain(line), ""]
    for result in report.results:
        if result.outcome in (Outcome.FAIL, Outcome.ERROR, Outcome.UNASKED):
            hint = "" if result.outcome is Outcome.UNASKED else result.check.hint
            lines += failure_items(result.check.code, result.verdict, hint)
    return "\n".join(lines) + "\n"


def failure_items(code: str, verdict: Verdict, hint: str) -> list[str]:
    """Return the items of a Markdown list that say why a check did not pass."""
    lines = []
    for finding in verdict.findings:
        where = f"{span(place(finding))} " if finding.file else ""
        expected = f" Expected {span(finding.expected)}." if finding.expected else ""
        found = f" Found {span(finding.found)}." if finding.found else ""
        text = f"{where}{plain(finding.message)}.{expected}{found}"
        lines.append(f"- **{code}** {text} {plain(finding.action or hint)}".rstrip())
    more = verdict.more
    return [*lines, f"- **{code}** and {more} more like these"] if more else lines


def span(text: str) -> str:
    """Return a code span: no markup, link, image, mention or HTML of the text takes effect."""
    code = visible(text, 1_000)
    mark = "`" * (longest_fence(code) + 1)
    return f"{mark} {code} {mark}"


def longest_fence(text: str) -> int:
    """Return the length of the longest run of backticks in a text."""
    return max(map(len, _BACKTICKS.findall(text)), default=0)


def plain(text: str) -> str:
    """Return a text as Markdown that shows it literally.

    It has no markup or link, and GitHub finds no mention and no issue in it: code spans break up
    what looks like one.
    """
    parts = _REFERENCE.split(visible(text, 1_000))
    return "".join(f"`{part}`" if at % 2 else _escaped(part) for at, part in enumerate(parts))


def _escaped(text: str) -> str:
    return _MARKDOWN.sub(r"\\\1", text).replace("\\<", "&lt;")


def _cut_page(summary: str) -> str:
    """Return a step summary cut to the size that GitHub takes, at the end of a line."""
    data = summary.encode()
    if len(data) <= MOST_SUMMARY:
        return summary
    whole = data[: MOST_SUMMARY - 100].rpartition(b"\n")[0]  # a code span cut open quotes nothing
    return whole.decode() + "\n\n(shortened: the page is full)\n"
