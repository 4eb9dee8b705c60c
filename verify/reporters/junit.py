"""The JUnit XML report, shaped like pytest's: one suite an exercise, one case a check."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from pipeline.terminal.display import inert, visible
from verify.model import Finding, Outcome, failed
from verify.reporters.base import Rendered
from verify.reporters.failures import place

if TYPE_CHECKING:
    from verify.files import Unresolved
    from verify.model import Report, Result, Verdict
    from verify.reporters.base import Run, View


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
        cases = [_unresolved(report, report.unresolved)]
    counts = {
        f"{tag}s" if tag != "skipped" else tag: str(
            sum(case.find(tag) is not None for case in cases)
        )
        for tag in ("failure", "error", "skipped")
    }
    exercise = report.exercise
    attributes = {"name": exercise.name, "tests": str(len(cases)), "time": "0", **counts}
    suite = ET.Element("testsuite", attributes)
    if report.provenance is not None:
        properties = ET.SubElement(suite, "properties")
        level = report.provenance.level.code
        ET.SubElement(properties, "property", name="provenance", value=level)
    suite.extend(cases)
    return suite


def _unresolved(report: Report, found: Unresolved) -> ET.Element:
    classname = f"verify.{report.exercise.level}.{report.exercise.code}"
    case = ET.Element("testcase", classname=classname, name="unresolved", time="0")
    verdict = failed(Finding(found.reason, action=found.step))
    add_reason(case, "failure", verdict, "")
    return case


def _case(result: Result, report: Report) -> ET.Element:
    check = result.check
    classname = f"verify.{report.exercise.level}.{report.exercise.code}"
    case = ET.Element("testcase", classname=classname, name=f"{check.code} {check.title}", time="0")
    if result.outcome is Outcome.SKIP:
        ET.SubElement(case, "skipped", message=f"waits for {result.waits_for}")
    elif result.outcome is Outcome.UNASKED:
        add_reason(case, "skipped", result.verdict, "")
    elif result.outcome is Outcome.ERROR:
        add_reason(case, "error", result.verdict, check.hint)
    elif result.outcome is Outcome.FAIL:
        advisory = check.advisory and not report.strict
        add_reason(case, "skipped" if advisory else "failure", result.verdict, check.hint)
    return case


def add_reason(case: ET.Element, tag: str, verdict: Verdict, hint: str) -> None:
    """Add why a case failed, crashed or was skipped; `hint` is what to do where nothing says it."""
    lines = [line for finding in verdict.findings for line in _lines(finding, hint)]
    if verdict.more:
        lines.append(f"and {verdict.more} more like these")
    element = ET.SubElement(case, tag, message=inert(visible(verdict.findings[0].message, 1_000)))
    # What XML forbids, escaped or not, is not printable either: `visible` has shown it as text.
    element.text = "\n".join(inert(visible(line, 1_100)) for line in lines if line)


def _lines(finding: Finding, hint: str) -> list[str]:
    return [
        place(finding) if finding.file else "",
        finding.message,
        f"expected {finding.expected}" if finding.expected else "",
        f"found {finding.found}" if finding.found else "",
        finding.action or hint,
    ]
