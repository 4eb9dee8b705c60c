"""Writes the cohort report: one walk over the cohort, a page a learner, the overview last."""

from __future__ import annotations

import os
from itertools import groupby
from typing import TYPE_CHECKING

from verify.report.entry import entry_of
from verify.report.folder import ASSETS, INDEX, PAGES, UnwritableReport, replaced

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verify.gradebook.reading import Cohort
    from verify.report.entry import Entry
    from verify.report.learner_page import LearnerPages
    from verify.report.overview_page import Survey
    from verify.report.templates import Templates

LIMIT = 100_000  # learners: the table's data is one page, and what is compared is held in memory
_STYLES = ("colours", "page", "overview", "table", "learner", "media")
_ASSETS = (*(f"{name}.css" for name in _STYLES), "table.js", "back.js")


def write_site(cohort: Cohort, folder: str) -> None:
    """Write the report of a cohort into a folder, as static pages that work without a server.

    A report that stands there is replaced once the new one is complete; identical cohorts give
    identical bytes. Memory grows with the learners, by about a kilobyte each.

    Raises:
        UnwritableReport: something else than a report stands there, the disk refuses, Jinja is not
            installed, or there are more than `LIMIT` learners.
    """
    try:
        from verify.report.templates import Templates
    except ImportError as error:
        raise UnwritableReport(
            f"the report needs {error.name}, which `python3 start.py cohort` installs"
        ) from None
    with replaced(folder) as new:
        _write_all(cohort, new, Templates())


def _write_all(cohort: Cohort, new: str, templates: Templates) -> None:
    from verify.report.learner_page import LearnerPages
    from verify.report.overview_page import Survey, overview
    from verify.report.templates import asset

    for name in _ASSETS:
        _write(os.path.join(new, ASSETS, name), asset(name))
    survey = Survey(cohort)
    pages = LearnerPages(templates, has_roster=cohort.has_roster)
    _write_learners(cohort, survey, pages, os.path.join(new, PAGES))
    _write(os.path.join(new, INDEX), overview(templates, survey))


def _write_learners(cohort: Cohort, survey: Survey, pages: LearnerPages, folder: str) -> None:
    for attempts in _by_learner(cohort):
        for entry in attempts:
            survey.add(entry)
            _write(os.path.join(folder, entry.file), pages.page(entry, attempts))


def _by_learner(cohort: Cohort) -> Iterator[list[Entry]]:
    """Yield each learner's entries: one, or one an attempt.

    Raises:
        UnwritableReport: there are more than the report is made for.
    """
    number = 0
    for _, standings in groupby(cohort.standings(), key=lambda standing: standing.learner.key):
        entries = []
        for standing in standings:
            entries.append(entry_of(number, standing, cohort.exercises))
            number += 1
        if number > LIMIT:
            raise UnwritableReport(
                f"more than {LIMIT:,} learners are too many for pages: export CSV or JSON lines"
            )
        yield entries


def _write(path: str, data: bytes) -> None:
    with open(path, "xb") as file:
        file.write(data)
