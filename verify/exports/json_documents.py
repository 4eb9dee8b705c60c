"""The JSON exports, version 1: a document of the whole cohort, or a line for each standing.

`cohort.schema.json` and `standing.schema.json` in `docs/reference/schemas/` describe each field.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

from verify.exports.base import Format, text_file
from verify.gradebook.records import plain_score
from verify.gradebook.store import utf8
from verify.reporters.json_report import finding_record

if TYPE_CHECKING:
    from verify.exports.base import Settings
    from verify.gradebook.reading import Cohort
    from verify.gradebook.records import Mark, Standing
    from verify.grading.model import CheckInfo, ExerciseInfo, Result

_CHECK = ("code", "title", "points", "advisory", "lesson")  # the first fields of a `CheckInfo`


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
        file.write(f'{json.dumps(head)[:-1]}, "standings": [')
        before = "\n"
        for standing in cohort.standings():
            record = standing_record(standing, has_roster=cohort.has_roster)
            file.write(before + json.dumps(record))
            outcomes.update(mark.outcome for mark in standing.marks)
            overridden += sum(mark.override is not None for mark in standing.marks)
            before = ",\n"
        words = {"passed": "pass", "failed": "fail", "missing": "missing"}
        words |= {"unresolved": "unresolved", "excused": "excused", "errors": "error"}
        counts = {name: outcomes[word] for name, word in words.items()}
        file.write(f'\n], "counts": {json.dumps(counts | {"overridden": overridden})}}}\n')


def _write_lines(cohort: Cohort, target: str, _settings: Settings) -> None:
    """Write a line for each learner, or for each attempt if all attempts are graded."""
    with text_file(target) as file:
        for standing in cohort.standings():
            file.write(f"{json.dumps(standing_record(standing, has_roster=cohort.has_roster))}\n")


def standing_record(standing: Standing, *, has_roster: bool) -> dict[str, Any]:
    """Return a standing as a value, as `standing.schema.json` describes it."""
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
        "total": standing.total,
        "points": standing.points,
        "marks": [_mark(mark) for mark in standing.marks],
    }


def _exercise(exercise: ExerciseInfo) -> dict[str, Any]:
    return {
        "exercise": exercise.name,
        "title": exercise.title,
        "points": exercise.points,
        "checks": [dict(zip(_CHECK, check, strict=False)) for check in exercise.checks],
    }


def _mark(mark: Mark) -> dict[str, Any]:
    override = mark.override
    return {
        "exercise": mark.exercise.name,
        "outcome": mark.outcome,
        "reason": mark.reason or None,
        "next_step": mark.action or None,
        "provenance": mark.provenance or None,
        "run": mark.run or None,
        "score": plain_score(mark.score),
        "graded": mark.graded,
        "points": mark.exercise.points,
        "worth": mark.worth,
        "counts": mark.counts,
        "override": override and {**override._asdict(), "score": plain_score(override.score)},
        "notes": mark.notes,
        "artifacts": [{"path": utf8(p), "digest": digest or None} for p, digest in mark.artifacts],
        "checks": [_check(check) for check in mark.results],
    }


def _check(check: Result[CheckInfo]) -> dict[str, Any]:
    return {
        "code": check.check.code,
        "outcome": check.outcome,
        "advisory": check.check.advisory,
        "score": check.score,
        "points": check.check.points,
        "waits_for": check.waits_for or None,
        "findings": [finding_record(finding) for finding in check.findings],
    }


DOCUMENT = Format("json", "FILE", "one JSON document", _write_document)
LINES = Format("jsonl", "FILE", "a line of JSON for each learner", _write_lines)
