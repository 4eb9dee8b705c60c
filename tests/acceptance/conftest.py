"""Runs the project's command lines as people do: in processes of their own, from anywhere."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from pipeline.bootstrap import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    Completed = subprocess.CompletedProcess[str]
    Run = Callable[..., Completed]
    PathOf = Callable[[str], str]
    Environment = Callable[..., dict[str, str]]


@pytest.fixture(scope="session", autouse=True)
def interrupts_are_heard() -> None:
    """Let the processes of the tests hear Ctrl-C, also where a script runs the tests behind it."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # and a process inherits that
        signal.signal(signal.SIGINT, signal.default_int_handler)


FIXTURES = os.path.join(ROOT, "fixtures", "submissions")
NEEDED = ("docs", "pipeline", "verify", "sandbox")
LIMIT = 60  # seconds after which a command is stuck, not slow
# the console script, which a checkout that is not installed lacks
PROGRAM = "import sys; from verify.console import main; sys.argv[0] = 'verify'; sys.exit(main())"
VERIFY = ("-c", PROGRAM)


def environment_of(changes: Mapping[str, str]) -> dict[str, str]:
    """Return this environment without what would change a report, and with the changes."""
    ours = {
        *("COLUMNS", "NO_COLOR", "TERM", "PYTHONIOENCODING", "PYTHONUTF8", "PYTHONUNBUFFERED"),
        *("PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX", "FORCE_COLOR", "PYTHON_COLORS"),
    }
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in ours and not name.startswith(("GITHUB_", "LC_", "LANG"))
    }
    return kept | {"LC_ALL": "C.UTF-8", **changes}


@pytest.fixture
def script() -> PathOf:
    """Return the path of a level's script."""
    return lambda level: os.path.join(ROOT, "docs", level, "tutorials", "verify.py")


@pytest.fixture
def fixture() -> PathOf:
    """Return the path of a submission, such as `foundation/01-plan/solved`."""
    return lambda name: os.path.join(FIXTURES, *name.split("/"))


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """Return a course of which nothing has been done; what a run notes stays in it."""
    course = tmp_path / "course"
    ignored = shutil.ignore_patterns("__pycache__", "node_modules", ".pipeline", "outputs")
    for name in NEEDED:
        shutil.copytree(os.path.join(ROOT, name), course / name, ignore=ignored)
    return course


@pytest.fixture
def run() -> Run:
    """Return a function that runs Python with words and waits for it."""

    def run_python(
        *words: str, cwd: str = ROOT, env: Mapping[str, str] | None = None, message: str = ""
    ) -> Completed:
        return subprocess.run(
            [sys.executable, *words],
            input=message or None,
            cwd=cwd,
            env=environment_of(env or {}),
            capture_output=True,
            encoding="utf-8",
            timeout=LIMIT,
            check=False,
        )

    return run_python


@pytest.fixture
def environment() -> Environment:
    """Return a function that gives the environment of a command with changes."""
    return lambda **changes: environment_of(changes)
