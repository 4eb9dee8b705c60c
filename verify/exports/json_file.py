"""One JSON document of the whole cohort, written learner by learner."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verify.exports.files import text_file
from verify.exports.json_records import CountsRecord, exercise_records, standing_record
from verify.exports.text import json_text
from verify.model import Outcome

if TYPE_CHECKING:
    from verify.exports.base import Settings
    from verify.gradebook.reading import Cohort
    from verify.gradebook.records import Standing


def write(cohort: Cohort, target: str, settings: Settings) -> list[str]:  # noqa: ARG001  # the interface of exports
    """Write the document."""
    counts = CountsRecord(passed=0, failed=0, missing=0, unresolved=0, errors=0, overridden=0)
    head = {
        "schema": "urn:issue-pipeline:cohort:1",
        "version": 1,
        "has_roster": cohort.has_roster,
        "exercises": exercise_records(cohort),
    }
    with text_file(target) as file:
        file.write(f'{json_text(head)[:-1]}, "standings": [')
        part = "\n"
        for standing in cohort.standings():
            record = standing_record(standing, has_roster=cohort.has_roster)
            file.write(part + json_text(record))
            _count(standing, counts)
            part = ",\n"
        file.write(f'\n], "counts": {json_text(counts)}}}\n')
    return [target]


def _count(standing: Standing, counts: CountsRecord) -> None:
    outcomes = [mark.outcome for mark in standing.marks]
    counts["passed"] += outcomes.count(Outcome.PASS)
    counts["failed"] += outcomes.count(Outcome.FAIL)
    counts["missing"] += outcomes.count(Outcome.MISSING)
    counts["unresolved"] += outcomes.count(Outcome.UNRESOLVED)
    counts["errors"] += outcomes.count(Outcome.ERROR)
    counts["overridden"] += sum(mark.override is not None for mark in standing.marks)
