"""JUnit XML, shaped like the single report's: a suite for each learner and exercise."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from pipeline.display import visible
from verify.exports.files import text_file
from verify.exports.scores import MISSING, UNGRADED, checks_of, is_note, shown, verdict_of
from verify.reporters.junit import add_reason

if TYPE_CHECKING:
    from verify.exports.base import Settings
    from verify.gradebook.reading import Cohort
    from verify.gradebook.values import CheckMark, Learner, Mark

_COUNTED = {"failures": "failure", "errors": "error", "skipped": "skipped"}


def write(cohort: Cohort, target: str, settings: Settings) -> list[str]:  # noqa: ARG001  # the interface of exports
    """Write the suites one after the other."""
    with text_file(target) as file:
        file.write('<?xml version="1.0" encoding="utf-8"?>\n<testsuites name="verify">\n')
        for standing in cohort.standings():
            for mark in standing.marks:
                file.write(ET.tostring(_suite(standing.learner, mark), encoding="unicode") + "\n")
        file.write("</testsuites>\n")
    return [target]


def _suite(learner: Learner, mark: Mark) -> ET.Element:
    # What XML forbids, escaped or not, is not printable either: `visible` shows it as text.
    name = " ".join(filter(None, (mark.exercise.name, visible(learner.key, 1_000), mark.attempt)))
    classname = f"verify.{mark.exercise.name.replace('/', '.')}.{visible(learner.key, 1_000)}"
    cases = [_case(check, mark, classname) for check in checks_of(mark)]
    counts = {
        attribute: str(sum(case.find(tag) is not None for case in cases))
        for attribute, tag in _COUNTED.items()
    }
    attributes = {"name": visible(name, 2_000), "tests": str(len(cases)), "time": "0", **counts}
    suite = ET.Element("testsuite", attributes)
    suite.append(_properties(learner, mark))
    suite.extend(cases)
    return suite


def _properties(learner: Learner, mark: Mark) -> ET.Element:
    values = {
        "learner": learner.key,
        "exercise": mark.exercise.name,
        "attempt": mark.attempt,
        "outcome": mark.outcome,
        "score": shown(mark.score),
        "points": str(mark.exercise.points),
    }
    if mark.override is not None:
        override = mark.override
        values |= {"graded": shown(mark.graded), "override": shown(override.score)}
        values |= {"override_by": override.by, "override_made": override.made}
        values["override_reason"] = override.reason
    properties = ET.Element("properties")
    for name, value in values.items():
        ET.SubElement(properties, "property", name=name, value=visible(value, 5_000))
    return properties


def _case(check: CheckMark, mark: Mark, classname: str) -> ET.Element:
    info = check.check
    name = visible(f"{info.code} {info.title}", 1_000)
    case = ET.Element("testcase", classname=classname, name=name, time="0")
    if check.outcome == "skip":
        ET.SubElement(case, "skipped", message=visible(f"waits for {check.waits_for}"))
    elif check.outcome == "missing":
        ET.SubElement(case, "skipped", message=MISSING)
    elif check.outcome == "error" and not check.findings:
        ET.SubElement(case, "error", message=UNGRADED)
    elif check.outcome != "pass":
        note = is_note(check, mark)
        tag = "error" if check.outcome == "error" else "skipped" if note else "failure"
        add_reason(case, tag, verdict_of(check), "")
    return case
