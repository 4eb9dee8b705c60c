"""The JSON exports, version 1: typed dictionaries, of which their schemas are generated.

One is a document of the whole cohort, the other a line for each standing.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Literal

from typing_extensions import TypedDict

from pipeline.protocol.patterns import open_fields
from verify.exports.base import Format
from verify.exports.files import json_text, text_file
from verify.exports.scores import number, total, worth
from verify.reporters.json_report import FindingRecord, finding_record

if TYPE_CHECKING:
    from verify.exports.base import Settings
    from verify.gradebook.reading import Cohort
    from verify.gradebook.records import Mark, Override, Standing
    from verify.model import CheckInfo, ExerciseInfo, Result


@open_fields
class OverrideRecord(TypedDict):
    """A score set by hand: who, when (ISO 8601, UTC), why."""

    score: int | float
    by: str
    made: str
    reason: str


@open_fields
class ArtifactRecord(TypedDict):
    """A file that grading read, with the digest of its bytes: null for one that cannot be read."""

    path: str
    digest: str | None


@open_fields
class CheckMarkRecord(TypedDict):
    """One check's outcome; `waits_for` is a skipped one's blocker.

    `score` is null for an error, and for one that is `unasked`: its points leave the total, and
    what the others earned is scaled to the exercise's points, rounded down.
    """

    code: str
    outcome: Literal["pass", "fail", "skip", "error", "unasked"]
    advisory: bool
    score: int | None
    points: int
    waits_for: str | None
    findings: list[FindingRecord]


@open_fields
class MarkRecord(TypedDict):
    """How one exercise stands. `score` counts: the override's, else `graded`, what checks gave.

    Both are null where nothing is known: for `missing`, `unresolved` and `error`, which are never a
    zero. `reason` and `next_step` say why it is unresolved, and what to do; null for all else.
    `provenance` is the level of its artifacts, null where nobody asked for it.
    """

    exercise: str
    outcome: Literal["pass", "fail", "missing", "unresolved", "error"]
    reason: str | None
    next_step: str | None
    provenance: str | None
    score: int | float | None
    graded: int | None
    points: int
    override: OverrideRecord | None
    artifacts: list[ArtifactRecord]
    checks: list[CheckMarkRecord]


@open_fields
class StandingRecord(TypedDict):
    """How one learner stands, for one attempt; `total` is null where a mark has no score.

    `listed` says whether the roster has the learner, null without a roster; `submitted` (ISO 8601,
    or empty) and `late` are as the platform has them.
    """

    schema: Literal["urn:issue-pipeline:standing:1"]
    learner: str
    name: str
    email: str
    ids: dict[str, str]
    listed: bool | None
    attempt: str
    submitted: str
    late: bool
    total: int | float | None
    points: int
    marks: list[MarkRecord]


@open_fields
class CheckInfoRecord(TypedDict):
    """A check as it was graded; `lesson` is the page and anchor that explain it."""

    code: str
    title: str
    points: int
    advisory: bool
    lesson: str


@open_fields
class ExerciseInfoRecord(TypedDict):
    """An exercise as it was graded."""

    exercise: str
    title: str
    points: int
    checks: list[CheckInfoRecord]


@open_fields
class CountsRecord(TypedDict):
    """How many marks there are of each outcome, and how many of them were set by hand."""

    passed: int
    failed: int
    missing: int
    unresolved: int
    errors: int
    overridden: int


@open_fields
class CohortRecord(TypedDict):
    """A cohort: what was graded, how everybody stands, and the marks counted."""

    schema: Literal["urn:issue-pipeline:cohort:1"]
    version: Literal[1]
    has_roster: bool
    exercises: list[ExerciseInfoRecord]
    standings: list[StandingRecord]
    counts: CountsRecord


def _write_document(cohort: Cohort, target: str, _settings: Settings) -> None:
    """Write the document standing by standing."""
    outcomes, overridden = Counter[str](), 0
    head = {
        "schema": "urn:issue-pipeline:cohort:1",
        "version": 1,
        "has_roster": cohort.has_roster,
        "exercises": [_exercise(exercise) for exercise in cohort.exercises],
    }
    with text_file(target) as file:
        file.write(f'{json_text(head)[:-1]}, "standings": [')
        before = "\n"
        for standing in cohort.standings():
            record = _standing(standing, has_roster=cohort.has_roster)
            file.write(before + json_text(record))
            outcomes.update(mark.outcome for mark in standing.marks)
            overridden += sum(mark.override is not None for mark in standing.marks)
            before = ",\n"
        file.write(f'\n], "counts": {json_text(_counts(outcomes, overridden))}}}\n')


def _counts(outcomes: Counter[str], overridden: int) -> CountsRecord:
    return {
        "passed": outcomes["pass"],
        "failed": outcomes["fail"],
        "missing": outcomes["missing"],
        "unresolved": outcomes["unresolved"],
        "errors": outcomes["error"],
        "overridden": overridden,
    }


def _write_lines(cohort: Cohort, target: str, _settings: Settings) -> None:
    """Write a line for each learner, or for each attempt where all were asked for."""
    with text_file(target) as file:
        for standing in cohort.standings():
            file.write(f"{json_text(_standing(standing, has_roster=cohort.has_roster))}\n")


def _standing(standing: Standing, *, has_roster: bool) -> StandingRecord:
    learner = standing.learner
    return {
        "schema": "urn:issue-pipeline:standing:1",
        "learner": learner.key,
        "name": learner.name,
        "email": learner.email,
        "ids": dict(learner.ids),
        "listed": learner.rostered if has_roster else None,
        "attempt": standing.attempt,
        "submitted": standing.submitted,
        "late": standing.late,
        "total": total(standing),
        "points": worth(standing),
        "marks": [_mark(mark) for mark in standing.marks],
    }


def _exercise(exercise: ExerciseInfo) -> ExerciseInfoRecord:
    return {
        "exercise": exercise.name,
        "title": exercise.title,
        "points": exercise.points,
        "checks": [
            {
                "code": check.code,
                "title": check.title,
                "points": check.points,
                "advisory": check.advisory,
                "lesson": check.page,
            }
            for check in exercise.checks
        ],
    }


def _override(override: Override) -> OverrideRecord:
    score = override.score
    whole = int(score) if float(score).is_integer() else score
    return {"score": whole, "by": override.by, "made": override.made, "reason": override.reason}


def _mark(mark: Mark) -> MarkRecord:
    outcome: Literal["pass", "fail", "missing", "unresolved", "error"] = mark.outcome  # type: ignore[assignment]  # one of these, as the gradebook has it
    return {
        "exercise": mark.exercise.name,
        "outcome": outcome,
        "reason": mark.reason or None,
        "next_step": mark.action or None,
        "provenance": mark.provenance or None,
        "score": number(mark.score),
        "graded": mark.graded,
        "points": mark.exercise.points,
        "override": mark.override and _override(mark.override),
        "artifacts": [{"path": path, "digest": digest or None} for path, digest in mark.artifacts],
        "checks": [_check(check) for check in mark.results],
    }


def _check(check: Result[CheckInfo]) -> CheckMarkRecord:
    outcome: Literal["pass", "fail", "skip", "error", "unasked"] = check.outcome  # type: ignore[assignment]  # one of these, as the gradebook has it
    return {
        "code": check.check.code,
        "outcome": outcome,
        "advisory": check.check.advisory,
        "score": check.score,
        "points": check.check.points,
        "waits_for": check.waits_for or None,
        "findings": [finding_record(finding) for finding in check.findings],
    }


DOCUMENT = Format("json", "FILE", "one JSON document", _write_document)
LINES = Format("jsonl", "FILE", "a JSON document on a line for each learner", _write_lines)
