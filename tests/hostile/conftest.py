"""The corpus of hostile inputs, tried once for all tests, as an unprivileged user."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from typing import TYPE_CHECKING, Any

import pytest

from pipeline.bootstrap import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

_LIMIT = 3_600  # seconds: each run has its own limit
_NEEDED = (
    *("pipeline", "verify", "docs", "sandbox", "tests/stubs", "fixtures/hostile"),
    *("fixtures/submissions/foundation/01-plan", "fixtures/submissions/expert/04-evidence"),
)
_MEMORY = "/dev/shm"  # noqa: S108  # a gradebook that is synchronised waits for no disk there
_ROOM = 1 << 30  # bytes


@pytest.fixture(scope="session")
def trial() -> Iterator[dict[str, Any]]:
    """Return what came of every run: by `ENTRY` of all cases, or by `ENTRY:CASE`."""
    yield from _tried("all")


@pytest.fixture(scope="session")
def quick_trial() -> Iterator[dict[str, Any]]:
    """Return what came of grading the folder of folders."""
    yield from _tried("folder")


def _tried(places: str) -> Iterator[dict[str, Any]]:
    in_memory = os.path.isdir(_MEMORY) and shutil.disk_usage(_MEMORY).free > _ROOM
    scratch = tempfile.mkdtemp(prefix="hostile-", dir=_MEMORY if in_memory else None)
    try:
        os.chmod(scratch, 0o755)  # noqa: S103  # root's own temporary folder, for nobody to reach
        course = _readable(os.path.join(scratch, "course"))
        work = os.path.join(scratch, "work")
        os.mkdir(work)
        words = [sys.executable, "-m", "tests.stubs.hostile.zygote", work, "results.json", places]
        done = subprocess.run(
            words,
            cwd=course,
            env={**os.environ, "PYTHONPATH": course, "LC_ALL": "C.UTF-8"},
            capture_output=True,
            encoding="utf-8",
            timeout=_LIMIT,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        with open(os.path.join(work, "results.json"), encoding="utf-8") as file:
            yield json.load(file)
    finally:  # deeper than shutil.rmtree goes, with folders that may not be entered
        remove = ["rm", "-rf", scratch]
        if subprocess.run(remove, capture_output=True, check=False).returncode:
            subprocess.run(["chmod", "-R", "u+rwx", scratch], capture_output=True, check=False)
            subprocess.run(remove, capture_output=True, check=False)


def _readable(folder: str) -> str:
    """Copy the project to where any user may read it: a checkout may lie in root's own folder."""
    for name in _NEEDED:
        shutil.copytree(
            os.path.join(ROOT, name),
            os.path.join(folder, name),
            ignore=shutil.ignore_patterns("__pycache__", "node_modules"),
        )
    subprocess.run(["chmod", "-R", "a+rX", folder], check=True)
    return folder
