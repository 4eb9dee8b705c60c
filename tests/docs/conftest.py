"""The documentation site, built once as CONTRIBUTING.md says, and the browser that reads it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.stubs.browsers import found_browser

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def build(tmp_path_factory: pytest.TempPathFactory) -> subprocess.CompletedProcess[str]:
    """Build the site strictly; its folder is the last word of the command."""
    folder = tmp_path_factory.mktemp("site")
    return subprocess.run(
        # not --quiet: MkDocs would then count no warnings, and be strict about nothing
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="session")
def site(build: subprocess.CompletedProcess[str]) -> Path:
    """Return the folder of the built site."""
    if build.returncode:
        pytest.fail(f"the site cannot be built:\n{build.stderr}")
    return Path(build.args[-1])


@pytest.fixture(scope="session")
def chromium() -> str:
    """Return the path of the browser."""
    return found_browser()
