"""The browser that opens the report, and a report of a thousand learners."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import sync_playwright

from tests.report.cohorts import cohort
from tests.stubs.browsers import found_browser
from verify.report.site import write_site

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser

PATIENCE = 30_000  # milliseconds


@pytest.fixture(scope="session")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the report of a thousand learners in one exercise, once."""
    folder = tmp_path_factory.mktemp("cohort") / "report"
    write_site(cohort(1000), str(folder))
    return folder


@pytest.fixture(scope="session")
def small_report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the report of thirty learners in two exercises, once."""
    folder = tmp_path_factory.mktemp("cohort") / "report"
    write_site(cohort(30, "foundation/04", "expert/04"), str(folder))
    return folder


@pytest.fixture(scope="module")  # it runs an event loop: no other module's tests may meet it
def browser() -> Iterator[Browser]:
    """Start the system's browser."""
    path = found_browser()
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(
            executable_path=path, args=["--no-sandbox", "--disable-gpu"]
        )
        yield started
        started.close()
