"""Runs the sandbox's own commands on copies of it; says so where Node.js or npm is missing."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import pytest

from pipeline.bootstrap import ROOT
from pipeline.terminal.programs import installed_version
from tools import shipped as sandbox_record

if TYPE_CHECKING:
    from collections.abc import Callable

    Completed = subprocess.CompletedProcess[str]
    Run = Callable[..., Completed]

SANDBOX = Path(ROOT, "sandbox")
OLDEST_NODE = (20, 0)
LIMIT = 240  # seconds after which a command is stuck, not slow
OFFLINE = re.compile("ENOTFOUND|ENOTCACHED|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT")
NOT_COPIED = shutil.ignore_patterns("node_modules", ".pipeline", ".cursor")


def _run(*words: str, cwd: Path) -> Completed:
    """Run a program in a folder that git takes for no part of a repository, and wait for it."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("GIT_", "NODE_", "FORCE_COLOR"))
    }
    return subprocess.run(
        [shutil.which(words[0]) or words[0], *words[1:]],
        cwd=cwd,
        env=environment | {"NO_COLOR": "1", "GIT_CEILING_DIRECTORIES": str(cwd.resolve().parent)},
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        timeout=LIMIT,
        check=False,
    )


def _unavailable(reason: str) -> NoReturn:
    """Skip a test for what this machine lacks; fail it in CI, where nothing may be lacking."""
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session", autouse=True)
def as_it_is_shipped() -> None:
    """Let these tests look at the sandbox as it is shipped, not at what a learner made of it."""
    if sandbox_record.shipped() == sandbox_record.recorded():
        return
    if os.environ.get("CI"):
        pytest.fail("sandbox/ is not what is archived of it: run python tools/generate.py")
    pytest.skip("the sandbox holds work of your own; these tests are about it as it is shipped")


@pytest.fixture(scope="session")
def run() -> Run:
    """Return a function that runs a program with words in a folder."""
    return _run


@pytest.fixture(scope="session")
def copy_to() -> Callable[[Path], Path]:
    """Return a function that copies the shipped sandbox to a new folder."""
    return lambda folder: Path(shutil.copytree(SANDBOX, folder, ignore=NOT_COPIED))


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory, copy_to: Callable[[Path], Path]) -> Path:
    """Return a copy of the sandbox with its dependencies, installed as a learner installs them."""
    version = installed_version("node")
    if version is None or version < OLDEST_NODE or shutil.which("npm") is None:
        _unavailable("the sandbox's tests need Node.js 20 or newer and npm")

    copy = copy_to(tmp_path_factory.mktemp("installed") / "sandbox")
    done = _run("npm", "ci", "--prefer-offline", "--no-audit", "--no-fund", cwd=copy)
    if done.returncode and OFFLINE.search(done.stderr):
        _unavailable("npm reaches no registry and has not cached what the sandbox depends on")
    assert done.returncode == 0, done.stderr
    return copy


@pytest.fixture(scope="session")
def runnable(installed: Path, copy_to: Callable[[Path], Path]) -> Callable[[Path], Path]:
    """Return a function that copies the sandbox to a new folder, its dependencies linked."""

    def copy_with_dependencies(folder: Path) -> Path:
        copy = copy_to(folder)
        (copy / "node_modules").symlink_to(installed / "node_modules", target_is_directory=True)
        return copy

    return copy_with_dependencies


@pytest.fixture(scope="session")
def apply() -> Callable[..., None]:
    """Return a function that applies a patch to a copy of the sandbox, or a part of the patch."""

    def apply_patch(patch: Path, copy: Path, *options: str) -> None:
        parts = "-p2" if "--- a/sandbox/" in patch.read_text(encoding="utf-8") else "-p1"
        done = _run("git", "apply", "--whitespace=error", parts, *options, str(patch), cwd=copy)
        assert done.returncode == 0, done.stderr

    return apply_patch


@pytest.fixture(scope="session")
def shipped(installed: Path) -> Completed:
    """Return what `npm test` answered in the sandbox as it is shipped."""
    return _run("npm", "test", "--", "--test-reporter=tap", cwd=installed)


@pytest.fixture(scope="session")
def counts() -> Callable[[Completed], dict[str, int]]:
    """Return a function that reads from a report how many tests ran, passed and failed."""

    def read(report: Completed) -> dict[str, int]:
        found = re.findall(r"^# (tests|pass|fail) ([0-9]+)$", report.stdout, re.MULTILINE)
        return {name: int(number) for name, number in found}

    return read
