"""CSV tables: a row for each learner, exercise and check, or a row for each learner."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from verify.exports.base import Format, cell, csv_file
from verify.gradebook.records import score_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verify.exports.base import Settings
    from verify.gradebook.reading import Cohort
    from verify.gradebook.records import Learner, Mark, Standing
    from verify.grading.model import CheckInfo, Result

_LEARNER = ("learner", "name", "email", "roster")
_SUBMISSION = ("attempt", "submitted", "late")
_MARK = (
    *("outcome", "provenance", "run", "score", "points", "graded"),
    *("override", "override_by", "override_made", "override_reason", "notes"),
)
_CHECK = (
    *("check", "title", "advisory", "check_outcome", "check_score", "check_points", "waits_for"),
    *("message", "file", "line", "column"),
)

_Row = tuple[str | float, ...]


def _write_long(cohort: Cohort, target: str, _settings: Settings) -> None:
    with csv_file(target) as writer:
        writer.writerow((*_LEARNER, *_SUBMISSION, "exercise", *_MARK, *_CHECK))
        for standing in cohort.standings():
            who = _learner_cells(standing.learner, has_roster=cohort.has_roster)
            submission = _submission_cells(standing)
            for mark in standing.marks:
                head = (*who, *submission, mark.exercise.name, *_mark_cells(mark))
                writer.writerows((*head, *_check_cells(check, mark)) for check in mark.checks)


def _write_wide(cohort: Cohort, target: str, _settings: Settings) -> None:
    ids = _id_columns(cohort)
    columns: list[str] = []
    times = Counter(check.code for exercise in cohort.exercises for check in exercise.checks)
    for exercise in cohort.exercises:
        columns += [f"{exercise.name} {name}" for name in _MARK]
        codes = (check.code for check in exercise.checks)
        columns += [cell(f"{exercise.name} {code}" * (times[code] > 1) or code) for code in codes]
    id_headers = [cell(f"id {name}") for name in ids]
    with csv_file(target) as writer:
        writer.writerow((*_LEARNER, *id_headers, *_SUBMISSION, "total", "total_points", *columns))
        writer.writerows(_wide_row(standing, ids, cohort) for standing in cohort.standings())


def _id_columns(cohort: Cohort) -> tuple[str, ...]:
    """Return the columns of the roster; a learner has only those that are not empty."""
    if not cohort.has_roster:
        return ()
    return tuple(
        dict.fromkeys(name for standing in cohort.standings() for name in standing.learner.ids)
    )


def _wide_row(standing: Standing, ids: Sequence[str], cohort: Cohort) -> list[str | float]:
    row = [
        *_learner_cells(standing.learner, has_roster=cohort.has_roster),
        *(cell(standing.learner.ids.get(name, "")) for name in ids),
        *_submission_cells(standing),
        *(score_text(standing.total), standing.points),
    ]
    for exercise, mark in zip(cohort.exercises, standing.marks, strict=True):
        outcomes = {check.check.code: check.outcome for check in mark.checks}
        row += _mark_cells(mark)  # which may be of the checks as they were
        row += [outcomes.get(check.code, "") for check in exercise.checks]
    return row


def _learner_cells(learner: Learner, *, has_roster: bool) -> _Row:
    roster = ("listed" if learner.rostered else "unlisted") if has_roster else ""
    return cell(learner.key), cell(learner.name), cell(learner.email), roster


def _submission_cells(standing: Standing) -> _Row:
    return cell(standing.attempt), cell(standing.submitted), "yes" if standing.late else ""


def _mark_cells(mark: Mark) -> _Row:
    override = mark.override
    by_hand: _Row = ("", "", "", "")
    if override is not None:
        who_when_why = override.by, override.made, override.reason
        by_hand = (score_text(override.score) or override.kind, *map(cell, who_when_why))
    scores = score_text(mark.score), mark.exercise.points, score_text(mark.graded)
    notes = cell("; ".join(mark.notes))
    return (mark.outcome, mark.provenance, cell(mark.run), *scores, *by_hand, notes)


def _check_cells(result: Result[CheckInfo], mark: Mark) -> _Row:
    check = result.check
    place: _Row = (cell(mark.reason), "", "", "")
    if result.findings:
        first = result.findings[0]
        place = cell(first.message), cell(first.file), first.line or "", first.column or ""
    return (
        *(cell(check.code), cell(check.title), "yes" if check.advisory else "no"),
        *(result.outcome, "" if result.score is None else result.score, check.points),
        *(cell(result.waits_for), *place),
    )


LONG = Format("csv", "FILE", "a table with one row per learner, exercise and check", _write_long)
WIDE = Format("csv-wide", "FILE", "a table with one row per learner", _write_wide)
