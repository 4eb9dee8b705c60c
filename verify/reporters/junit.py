"""The JUnit XML report, in the form of pytest's: one suite per exercise, one case per check."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from pipeline.terminal.display import inert, visible
from verify.model import Finding, Outcome, Verdict, failed
from verify.reporters.base import Rendered, finding_lines

if TYPE_CHECKING:
    from verify.model import Report, Result
    from verify.reporters.base import Run, View

_TAGS = {Outcome.FAIL: "failure", Outcome.ERROR: "error", Outcome.UNASKED: "skipped"}


def render(run: Run, view: View) -> Rendered:  # noqa: ARG001  # the interface of reporters
    """Return the report as XML; an advisory check that did not pass counts as skipped."""
    root = ET.Element("testsuites", name=f"verify {run.level}")
    for report in run.reports:
        root.append(_suite(report))
    ET.indent(root)
    text = ET.tostring(root, encoding="unicode")
    return Rendered(f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n')


def _suite(report: Report) -> ET.Element:
    cases = [_case(result, report) for result in report.results]
    if report.unresolved is not None:
        finding = Finding(report.unresolved.reason, action=report.unresolved.step)
        cases = [_new_case("unresolved", report)]
        _add_reason(cases[0], "failure", failed(finding), "")
    names = {"failures": "failure", "errors": "error", "skipped": "skipped"}
    counts = {
        name: str(sum(case.find(tag) is not None for case in cases)) for name, tag in names.items()
    }
    attributes = {"name": report.exercise.name, "tests": str(len(cases)), "time": "0", **counts}
    suite = ET.Element("testsuite", attributes)
    if report.provenance is not None:
        properties = ET.SubElement(suite, "properties")
        level = report.provenance.level.code
        ET.SubElement(properties, "property", name="provenance", value=level)
    suite.extend(cases)
    return suite


def _new_case(name: str, report: Report) -> ET.Element:
    classname = f"verify.{report.exercise.level}.{report.exercise.code}"
    return ET.Element("testcase", classname=classname, name=name, time="0")


def _case(result: Result, report: Report) -> ET.Element:
    check, outcome = result.check, result.outcome
    case = _new_case(f"{check.code} {check.title}", report)
    if outcome is Outcome.SKIP:
        ET.SubElement(case, "skipped", message=f"waits for {result.waits_for}")
    elif outcome in _TAGS:
        advice = outcome is Outcome.FAIL and check.advisory and not report.strict
        hint = "" if outcome is Outcome.UNASKED else check.hint
        _add_reason(case, "skipped" if advice else _TAGS[outcome], result.verdict, hint)
    return case


def _add_reason(case: ET.Element, tag: str, verdict: Verdict, hint: str) -> None:
    """Add why a case failed, crashed or was skipped; `hint` is what to do if no finding says so."""
    lines = [line for finding in verdict.findings for line in finding_lines(finding, hint)]
    if verdict.more:
        lines.append(f"and {verdict.more} more like these")
    element = ET.SubElement(case, tag, message=inert(visible(verdict.findings[0].message, 1_000)))
    # What XML forbids, escaped or not, is not printable either: `visible` has shown it as text.
    element.text = "\n".join(map(inert, lines))
