"""The JSON report, version 1: `docs/reference/schemas/report.schema.json` describes each field."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pipeline.terminal.display import json_document
from verify.grading.model import criteria_of
from verify.reporters.base import Rendered

if TYPE_CHECKING:
    from verify.grading.levels import Provenance
    from verify.grading.model import Finding, Report, Result
    from verify.reporters.base import GradedRun, View


def render(run: GradedRun, view: View) -> Rendered:  # noqa: ARG001  # the interface of reporters
    """Return the report as one JSON document in ASCII."""
    return Rendered(json_document(record(run)))


def record(run: GradedRun) -> dict[str, Any]:
    """Return the report as a value."""
    return {
        "schema": "urn:issue-pipeline:report:1",
        "version": 1,
        "level": run.level,
        "submission": run.reports[0].submission,
        "strict": run.reports[0].strict,
        "passed": all(report.passed for report in run.reports),
        "exercises": [_exercise(report) for report in run.reports],
    }


def _exercise(report: Report) -> dict[str, Any]:
    exercise = report.exercise
    value: dict[str, Any] = {
        "exercise": exercise.name,
        "title": exercise.title,
        "issue": exercise.issue,
        "target": exercise.target,
        "passed": report.passed,
        "score": None if report.unresolved else report.score,
        "points": report.points,
        "checks": [_check(result, exercise.explained(result.check)) for result in report.results],
    }
    if report.unresolved is not None:
        found = report.unresolved
        value["unresolved"] = {"reason": found.reason, "next_step": found.step}
    if report.ran is not None:
        held, asked = criteria_of(report.results)
        value["run"] = {"held": held, "asked": asked, **report.ran._asdict()}
    if report.provenance is not None:
        value["provenance"] = _provenance(report.provenance)
    return value


def _provenance(found: Provenance) -> dict[str, Any]:
    return {
        "level": found.level.code,
        "artifacts": [
            {
                "path": traced.path,
                "level": traced.level.code,
                "missed": [
                    {"level": missed.level.code, "reason": missed.reason}
                    for missed in traced.missed
                ],
            }
            for traced in found.artifacts
        ],
    }


def _check(result: Result, lesson: str) -> dict[str, Any]:
    check = result.check
    return {
        "code": check.code,
        "title": check.title,
        "outcome": result.outcome.value,
        "advisory": check.advisory,
        "points": check.points,
        "score": result.score or 0,
        "hint": check.hint,
        "lesson": lesson,
        "waits_for": result.waits_for or None,
        "findings": [finding_record(finding) for finding in result.verdict.findings],
        "more": result.verdict.more,
    }


def finding_record(finding: Finding) -> dict[str, Any]:
    """Return a finding as a value."""
    return {
        "message": finding.message,
        "expected": finding.expected,
        "found": finding.found,
        "file": finding.file,
        "path": finding.path,
        "line": finding.line or None,
        "column": finding.column or None,
        "next_step": finding.action,
    }
