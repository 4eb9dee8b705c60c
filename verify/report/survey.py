"""What one walk over a cohort gathers for the overview."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verify.report.failures import Failures
from verify.report.identical import Artifacts
from verify.report.rows import Rows
from verify.report.tally import Tally

if TYPE_CHECKING:
    from verify.gradebook.reading import Cohort
    from verify.report.entry import Entry


class Survey:
    """The figures, failures, artifacts and rows of a cohort."""

    def __init__(self, cohort: Cohort) -> None:
        self.has_roster = cohort.has_roster
        self.tally = Tally(cohort.exercises)
        self.failures = Failures()
        self.artifacts = Artifacts()
        self.rows = Rows()

    def add(self, entry: Entry) -> None:
        """Take note of one standing."""
        self.tally.add(entry, has_roster=self.has_roster)
        self.failures.add(entry)
        self.artifacts.add(entry)
        self.rows.add(entry, has_roster=self.has_roster)
