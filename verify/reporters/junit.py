"""The JUnit XML report, in the form of pytest's: one suite per exercise, one case per check."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from pipeline.terminal.display import inert, visible
from verify.grading.model import Finding, Outcome, Verdict, failed
from verify.reporters.base import Rendered, Sign, finding_lines, run_line, sign_of

if TYPE_CHECKING:
    from verify.grading.model import Report, Result
    from verify.reporters.base import GradedRun, View

_TAGS = {Outcome.FAIL: "failure", Outcome.ERROR: "error", Outcome.NOT_CHECKED: "skipped"}


def render(run: GradedRun, view: View) -> Rendered:  # noqa: ARG001  # the interface of reporters
    """Return the report as XML; an advisory check that did not pass counts as skipped."""
    root = ET.Element("testsuites", name=f"verify {run.level}")
    for report in run.reports:
        root.append(_suite(report))
    ET.indent(root)
    text = ET.tostring(root, encoding="unicode")
    return Rendered(f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n')


def _suite(report: Report) -> ET.Element:
    exercise = report.exercise
    classname = f"verify.{exercise.level}.{exercise.code}"
    cases = []
    for result in report.results:
        name = f"{result.check.code} {result.check.title}"
        cases.append(ET.Element("testcase", classname=classname, name=name, time="0"))
        _add_reason(cases[-1], result, report)
    if report.unresolved is not None:
        finding = Finding(report.unresolved.reason, action=report.unresolved.step)
        cases.append(ET.Element("testcase", classname=classname, name="unresolved", time="0"))
        _add(cases[-1], "failure", failed(finding))
    names = {"failures": "failure", "errors": "error", "skipped": "skipped"}
    counts = {
        name: str(sum(case.find(tag) is not None for case in cases)) for name, tag in names.items()
    }
    attributes = {"name": exercise.name, "tests": str(len(cases)), "time": "0", **counts}
    suite = ET.Element("testsuite", attributes)
    level = report.provenance.level.code if report.provenance is not None else ""
    facts = {"provenance": level, "run": run_line(report) if report.ran else ""}
    if any(facts.values()):
        properties = ET.SubElement(suite, "properties")
        for name, value in facts.items():
            if value:
                ET.SubElement(properties, "property", name=name, value=value.removeprefix("run: "))
    suite.extend(cases)
    return suite


def _add_reason(case: ET.Element, result: Result, report: Report) -> None:
    """Add why a check did not pass."""
    if result.outcome is Outcome.SKIP:
        ET.SubElement(case, "skipped", message=f"waits for {result.waits_for}")
    elif result.outcome in _TAGS:
        is_note = sign_of(result, strict=report.strict) is Sign.NOTE
        hint = "" if result.outcome is Outcome.NOT_CHECKED else result.check.hint
        _add(case, "skipped" if is_note else _TAGS[result.outcome], result.verdict, hint)


def _add(case: ET.Element, tag: str, verdict: Verdict, hint: str = "") -> None:
    """Add the findings of a verdict; `hint` is what to do if none of them says so."""
    lines = [line for finding in verdict.findings for line in finding_lines(finding, hint)]
    if verdict.more:
        lines.append(f"and {verdict.more} more like these")
    element = ET.SubElement(case, tag, message=inert(visible(verdict.findings[0].message, 1_000)))
    # What XML forbids, escaped or not, is not printable either: `visible` has shown it as text.
    element.text = "\n".join(map(inert, lines))
