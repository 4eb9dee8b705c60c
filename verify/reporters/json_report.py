"""The JSON report, version 1: typed dictionaries, of which its published schema is generated."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Literal

from typing_extensions import NotRequired, TypedDict

from pipeline.protocol.patterns import open_fields
from pipeline.terminal.display import inert_json
from verify.model import LevelCode  # noqa: TC001  # pydantic reads it
from verify.reporters.base import Rendered

if TYPE_CHECKING:
    from verify.model import Finding, Provenance, Report, Result
    from verify.reporters.base import Run, View


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

    One that is `unasked` counts in no sum: its finding says why the submission cannot be asked.
    `lesson` is the page and anchor that explain it, relative to the root of the course.
    """

    code: str
    title: str
    outcome: Literal["pass", "fail", "skip", "error", "unasked"]
    advisory: bool
    points: int
    score: int
    hint: str
    lesson: str
    waits_for: str | None
    findings: list[FindingRecord]
    more: int


@open_fields
class MissedRecord(TypedDict):
    """A level above an artifact's own that was looked for, and why the artifact has it not."""

    level: LevelCode
    reason: str


@open_fields
class TracedRecord(TypedDict):
    """How far one artifact can be traced to the agent that it names."""

    path: str
    level: LevelCode
    missed: list[MissedRecord]


@open_fields
class ProvenanceRecord(TypedDict):
    """The lowest level of an exercise's artifacts, and each one's."""

    level: LevelCode
    artifacts: list[TracedRecord]


@open_fields
class UnresolvedRecord(TypedDict):
    """Why a person has to look at the submission before it can be graded."""

    reason: str
    next_step: str


@open_fields
class ExerciseRecord(TypedDict):
    """One exercise graded; a check that ended in `error` makes `score` a lower bound.

    `provenance` changes neither; it is absent where nothing is told of it. `unresolved` is there
    where no check was asked: `checks` is empty, and `score` is null.
    """

    exercise: str
    title: str
    issue: str | None
    target: str | None
    passed: bool
    score: int | None
    points: int
    checks: list[CheckRecord]
    unresolved: NotRequired[UnresolvedRecord]
    provenance: NotRequired[ProvenanceRecord]


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
    return Rendered(inert_json(text) + "\n")


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
    value: ExerciseRecord = {
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
        reason, step = report.unresolved.reason, report.unresolved.step
        value["unresolved"] = {"reason": reason, "next_step": step}
    if report.provenance is not None:
        value["provenance"] = _provenance(report.provenance)
    return value


def _provenance(found: Provenance) -> ProvenanceRecord:
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


def _check(result: Result, lesson: str) -> CheckRecord:
    check = result.check
    return {
        "code": check.code,
        "title": check.title,
        "outcome": result.outcome.value,  # type: ignore[typeddict-item]  # a check has no other
        "advisory": check.advisory,
        "points": check.points,
        "score": result.score or 0,
        "hint": check.hint,
        "lesson": lesson,
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
        "next_step": finding.action,
    }
