"""The wide table: a row for each learner, or for each attempt where all were asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verify.exports.files import csv_file
from verify.exports.long_csv import learner_cells, override_cells, submission_cells
from verify.exports.scores import checks_of, shown, total, worth
from verify.exports.text import cell

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verify.exports.base import Settings
    from verify.gradebook.reading import Cohort
    from verify.gradebook.records import Mark, Standing
    from verify.model import ExerciseInfo

_LEARNER = ("learner", "name", "email", "roster")
_SUBMISSION = ("attempt", "submitted", "late", "total", "total_points")
_MARK = (
    "outcome",
    "provenance",
    "score",
    "points",
    "graded",
    "override",
    "override_by",
    "override_made",
    "override_reason",
)


def write(cohort: Cohort, target: str, settings: Settings) -> list[str]:  # noqa: ARG001  # the interface of exports
    """Write the table."""
    ids = _id_columns(cohort)
    columns = [name for exercise in cohort.exercises for name in _columns(exercise)]
    head = [*_LEARNER, *(cell(f"id {name}") for name in ids), *_SUBMISSION]
    with csv_file(target) as writer:
        writer.writerow([*head, *columns])
        writer.writerows(_row(standing, ids, cohort) for standing in cohort.standings())
    return [target]


def _id_columns(cohort: Cohort) -> tuple[str, ...]:
    """Return the roster's columns: a learner has those only in which something stands."""
    if not cohort.has_roster:
        return ()
    return tuple(dict.fromkeys(name for each in cohort.standings() for name in each.learner.ids))


def _columns(exercise: ExerciseInfo) -> list[str]:
    checks = [cell(check.code) for check in exercise.checks]
    return [*(f"{exercise.name} {name}" for name in _MARK), *checks]


def _row(standing: Standing, ids: Sequence[str], cohort: Cohort) -> list[str]:
    learner = standing.learner
    row = [
        *learner_cells(learner, has_roster=cohort.has_roster),
        *(cell(learner.ids.get(name, "")) for name in ids),
        *submission_cells(standing),
        shown(total(standing)),
        str(worth(standing)),
    ]
    for exercise, mark in zip(cohort.exercises, standing.marks, strict=True):
        row += _mark_cells(exercise, mark)
    return row


def _mark_cells(exercise: ExerciseInfo, mark: Mark) -> list[str]:
    """Return the cells under an exercise's columns; a mark may be of its checks as they were."""
    outcomes = {check.check.code: check.outcome for check in checks_of(mark)}
    return [
        mark.outcome,
        mark.provenance,
        shown(mark.score),
        str(mark.exercise.points),
        shown(mark.graded),
        *override_cells(mark),
        *(outcomes.get(check.code, "") for check in exercise.checks),
    ]
