"""JSON lines: a document for each learner, or for each attempt where all were asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verify.exports.files import text_file
from verify.exports.json_records import standing_record
from verify.exports.text import json_text

if TYPE_CHECKING:
    from verify.exports.base import Settings
    from verify.gradebook.reading import Cohort


def write(cohort: Cohort, target: str, settings: Settings) -> list[str]:  # noqa: ARG001  # the interface of exports
    """Write the lines."""
    with text_file(target) as file:
        for standing in cohort.standings():
            record = standing_record(standing, has_roster=cohort.has_roster)
            file.write(f"{json_text(record)}\n")
    return [target]
