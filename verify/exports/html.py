"""The cohort report: a site of static files."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from verify.exports.base import Format, UnusableExport

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verify.exports.base import Settings
    from verify.gradebook.reading import Cohort


def _write(cohort: Cohort, target: str, _settings: Settings) -> None:
    from verify.report.site import UnwritableReport, write_site

    try:
        write_site(cohort, target)
    except UnwritableReport as error:
        raise UnusableExport(f"--html {error}") from None


def _check(target: str, _settings: Settings, _exercises: Sequence[str]) -> None:
    from verify.report.site import UnwritableReport, refuse_others

    try:
        refuse_others(os.path.abspath(target))
    except UnwritableReport as error:
        raise UnusableExport(f"--html {error}") from None


FORMAT = Format(
    "html", "DIR", "the report as a site that needs no server", _write, _check, folder=True
)
