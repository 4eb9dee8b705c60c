"""The report formats: which there are, and the reporter of each, imported when it is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from verify.reporters.base import Reporter

FORMATS = ("table", "json", "junit", "github")


def reporter(name: str) -> Reporter:
    """Return the reporter of a format of `FORMATS`."""
    if name == "json":
        from verify.reporters.json_report import render
    elif name == "junit":
        from verify.reporters.junit import render
    elif name == "github":
        from verify.reporters.github import render
    else:
        from verify.reporters.table import render
    return render
