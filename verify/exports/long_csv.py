"""The long table: a row for each learner, exercise and check."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verify.exports.files import CSV_END, csv_line, text_file
from verify.exports.scores import checks_of, shown
from verify.exports.text import cell

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verify.exports.base import Settings
    from verify.gradebook.reading import Cohort
    from verify.gradebook.records import Learner, Mark, Standing
    from verify.model import CheckInfo, Result

COLUMNS = (
    "learner",
    "name",
    "email",
    "roster",
    "attempt",
    "submitted",
    "late",
    "exercise",
    "outcome",
    "provenance",
    "score",
    "points",
    "graded",
    "override",
    "override_by",
    "override_made",
    "override_reason",
    "check",
    "title",
    "advisory",
    "check_outcome",
    "check_score",
    "check_points",
    "waits_for",
    "message",
    "file",
    "line",
    "column",
)
_NOWHERE = ("", "", "", "")

_Row = tuple[str | int, ...]


def write(cohort: Cohort, target: str, settings: Settings) -> list[str]:  # noqa: ARG001  # the interface of exports
    """Write the table; what all rows of a mark begin with is made once, and so is a passing end."""
    known: dict[Result[CheckInfo], str] = {}
    with text_file(target) as file:
        file.write(csv_line(COLUMNS) + CSV_END)
        for standing in cohort.standings():
            learner = learner_cells(standing.learner, has_roster=cohort.has_roster)
            submission = submission_cells(standing)
            for mark in standing.marks:
                head = csv_line((*learner, *submission, *_mark_cells(mark)))
                file.writelines(f"{head},{end}" for end in _ends(mark, known))
    return [target]


def learner_cells(learner: Learner, *, has_roster: bool) -> tuple[str, str, str, str]:
    """Return a learner's key, name, e-mail address and whether the roster has the learner."""
    roster = ("listed" if learner.rostered else "unlisted") if has_roster else ""
    return cell(learner.key), cell(learner.name), cell(learner.email), roster


def submission_cells(standing: Standing) -> tuple[str, str, str]:
    """Return the attempt, when it was submitted, and whether that was late."""
    return cell(standing.attempt), cell(standing.submitted), "yes" if standing.late else ""


def override_cells(mark: Mark) -> tuple[str, str, str, str]:
    """Return the score that was set by hand, by whom, when and why; empty where none was."""
    override = mark.override
    if override is None:
        return _NOWHERE
    made = (cell(override.by), cell(override.made), cell(override.reason))
    return shown(override.score), *made


def _mark_cells(mark: Mark) -> _Row:
    exercise = mark.exercise
    return (
        exercise.name,
        mark.outcome,
        mark.provenance,
        shown(mark.score),
        exercise.points,
        shown(mark.graded),
        *override_cells(mark),
    )


def _ends(mark: Mark, known: dict[Result[CheckInfo], str]) -> Iterator[str]:
    """Yield the part of each row that is about a check; `known` has those without findings."""
    for check in checks_of(mark):
        if mark.reason:
            yield _end(check, cell(mark.reason))
        elif check.findings:
            yield _end(check)
        else:
            end = known.get(check)
            if end is None:
                end = known[check] = _end(check)
            yield end


def _end(check: Result[CheckInfo], reason: str = "") -> str:
    info = check.check
    cells = (
        cell(info.code),
        cell(info.title),
        "yes" if info.advisory else "no",
        check.outcome,
        "" if check.score is None else check.score,
        info.points,
        cell(check.waits_for),
        *(_place(check) if check.findings else (reason, *_NOWHERE[1:])),
    )
    return csv_line(cells) + CSV_END


def _place(check: Result[CheckInfo]) -> _Row:
    first = check.findings[0]
    return cell(first.message), cell(first.file), first.line or "", first.column or ""
