"""The cohort report: a site of static files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verify.exports.base import UnusableExport

if TYPE_CHECKING:
    from verify.exports.base import Settings
    from verify.gradebook.reading import Cohort


def write(cohort: Cohort, target: str, settings: Settings) -> list[str]:  # noqa: ARG001  # the interface of exports
    """Write the site into a folder.

    Raises:
        UnusableExport: something else than a report stands there, or the disk refuses.
    """
    from verify.report.site import UnwritableReport, write_site

    try:
        write_site(cohort, target)
    except UnwritableReport as error:
        raise UnusableExport(f"--html {error}") from None
    return [target]
