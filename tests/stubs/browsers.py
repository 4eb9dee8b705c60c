"""The system's browser, which no test downloads."""

from __future__ import annotations

import os
import shutil

import pytest

BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def found_browser() -> str:
    """Return the path of the browser; where there is none, skip, but fail in CI."""
    for name in BROWSERS:
        if path := shutil.which(name):
            return path
    reason = f"no browser: none of {', '.join(BROWSERS)} is on PATH"
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)
