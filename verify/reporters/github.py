"""The report for GitHub Actions: annotations at the failing places, and a step summary."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.terminal.display import inert, visible
from verify.model import Finding, Outcome
from verify.reporters.base import Rendered
from verify.reporters.failures import place
from verify.reporters.github_text import command_data, command_property, cut_page, plain, span
from verify.reporters.marks import mark_of
from verify.reporters.provenance import reasons, sentence

if TYPE_CHECKING:
    from verify.model import Report, Result, Verdict
    from verify.reporters.base import Run, View

MOST_ANNOTATIONS = 10  # of a kind per step; GitHub drops the rest


def render(run: Run, view: View) -> Rendered:
    """Return workflow commands for stdout and a Markdown page for the step summary."""
    annotations: dict[str, list[str]] = {"error": [], "warning": []}
    for report in run.reports:
        if report.unresolved is not None:
            finding = Finding(report.unresolved.reason, action=report.unresolved.step)
            title = f"{report.exercise.name} unresolved"
            annotations["error"].append(annotation("error", title, finding, hint="", prefix=""))
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
    return Rendered("".join(f"{line}\n" for line in lines), cut_page(summary))


def _annotations(result: Result, prefix: str, *, note: bool) -> list[str]:
    if result.outcome not in (Outcome.FAIL, Outcome.ERROR):
        return []
    command, title = "warning" if note else "error", f"{result.check.code} {result.check.title}"
    return [
        annotation(command, title, finding, hint=result.check.hint, prefix=prefix)
        for finding in result.verdict.findings
    ]


def annotation(command: str, title: str, finding: Finding, *, hint: str, prefix: str) -> str:
    """Return the workflow command that annotates a finding's place, `prefix` before its file."""
    text = command_data(_sentence(finding, hint))
    return f"::{command} {_where(finding, prefix)}title={command_property(title)}::{text}"


def _where(finding: Finding, prefix: str) -> str:
    if not finding.file:
        return ""
    spot = f"line={finding.line},col={finding.column}," if finding.line else ""
    return f"file={command_property(visible(prefix + finding.file, 500))},{spot}"


def _sentence(finding: Finding, hint: str) -> str:
    parts = [
        f"{finding.path}: {finding.message}" if finding.path else finding.message,
        f"expected {finding.expected}" if finding.expected else "",
        f"found {finding.found}" if finding.found else "",
        finding.action or hint,
    ]
    return "\n".join(visible(part, 1_000) for part in parts if part)


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
        word = mark_of(result, report).word
        lines.append(f"| {check.code} | {word} | {plain(check.title)} | {points} |")
    lines.append("")
    lines += _provenance(report)
    for result in report.results:
        lines += _failure(result)
    return "\n".join(lines) + "\n"


def _provenance(report: Report) -> list[str]:
    found = report.provenance
    if found is None:
        return []
    told = [f"Provenance: {sentence(found)}", *reasons(found)]
    return [*("\n\n".join(map(plain, told)).split("\n")), ""]


def _failure(result: Result) -> list[str]:
    if result.outcome is Outcome.UNASKED:
        return failure_items(result.check.code, result.verdict, "")
    if result.outcome not in (Outcome.FAIL, Outcome.ERROR):
        return []
    return failure_items(result.check.code, result.verdict, result.check.hint)


def failure_items(code: str, verdict: Verdict, hint: str) -> list[str]:
    """Return the items of a Markdown list that tell why a check did not pass."""
    lines = []
    for finding in verdict.findings:
        where = f"{span(place(finding))} " if finding.file else ""
        expected = f" Expected {span(finding.expected)}." if finding.expected else ""
        found = f" Found {span(finding.found)}." if finding.found else ""
        told = f"{where}{plain(finding.message)}.{expected}{found}"
        lines.append(f"- **{code}** {told} {plain(finding.action or hint)}".rstrip())
    more = verdict.more
    return [*lines, f"- **{code}** and {more} more like these"] if more else lines
