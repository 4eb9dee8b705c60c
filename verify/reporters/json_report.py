"""The JSON report, version 1: typed dictionaries, of which its published schema is generated."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Literal

from typing_extensions import TypedDict

from pipeline.shape import open_fields
from verify.reporters.base import Rendered

if TYPE_CHECKING:
    from verify.model import Report, Result
    from verify.reporters.base import Run, View
    from verify.verdicts import Finding


@open_fields
class FindingRecord(TypedDict):
    """A reason why a check failed; `line` and `column` are 1-based, null for the whole file."""

    message: str
    expected: str
    found: str
    file: str
    path: str
    line: int | None
    column: int | None
    next_step: str


@open_fields
class CheckRecord(TypedDict):
    """One check's result; `waits_for` is the code of the check that made it skip.

    `lesson` is the page and anchor that explain it, relative to the root of the course.
    """

    code: str
    title: str
    outcome: Literal["pass", "fail", "skip", "error"]
    advisory: bool
    points: int
    score: int
    hint: str
    lesson: str
    waits_for: str | None
    findings: list[FindingRecord]
    more: int


@open_fields
class ExerciseRecord(TypedDict):
    """One exercise graded; a check that ended in `error` makes `score` a lower bound."""

    exercise: str
    title: str
    issue: str | None
    target: str | None
    passed: bool
    score: int
    points: int
    checks: list[CheckRecord]


@open_fields
class ReportRecord(TypedDict):
    """The report of one run."""

    schema: Literal["urn:issue-pipeline:report:1"]
    version: Literal[1]
    level: str
    submission: str
    strict: bool
    passed: bool
    exercises: list[ExerciseRecord]


def render(run: Run, view: View) -> Rendered:  # noqa: ARG001  # the interface of reporters
    """Return the report as one JSON document in ASCII."""
    text = json.dumps(record(run), indent=2, allow_nan=False)
    # The same document: GitHub's runner obeys `##[command]` anywhere in what a job prints.
    return Rendered(text.replace("##[", r"#\u0023[") + "\n")


def record(run: Run) -> ReportRecord:
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


def _exercise(report: Report) -> ExerciseRecord:
    exercise = report.exercise
    return {
        "exercise": exercise.name,
        "title": exercise.title,
        "issue": exercise.issue,
        "target": exercise.target,
        "passed": report.passed,
        "score": report.score,
        "points": exercise.points,
        "checks": [_check(result, exercise.page) for result in report.results],
    }


def _check(result: Result, page: str) -> CheckRecord:
    check = result.check
    return {
        "code": check.code,
        "title": check.title,
        "outcome": result.outcome.value,
        "advisory": check.advisory,
        "points": check.points,
        "score": result.score,
        "hint": check.hint,
        "lesson": f"{page}#{check.anchor}",
        "waits_for": result.waits_for or None,
        "findings": [finding_record(finding) for finding in result.verdict.findings],
        "more": result.verdict.more,
    }


def finding_record(finding: Finding) -> FindingRecord:
    """Return a finding as a value."""
    return {
        "message": finding.message,
        "expected": finding.expected,
        "found": finding.found,
        "file": finding.file,
        "path": finding.path,
        "line": finding.line or None,
        "column": finding.column or None,
        "next_step": finding.next_step,
    }
