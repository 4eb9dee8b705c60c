"""A script run by a bare Python goes on in the project's environment or says how to set it up."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from typing import TYPE_CHECKING

import pytest

import pipeline
from pipeline import bootstrap

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

BARE = [sys.executable, "-S"]  # without site-packages: no dependency can be imported
PLAN = {"affected_files": ["a"], "steps": [{"order": 1, "file": "a", "description": "Add a"}]}
COMMAND = ["pipeline/schema.py", "--validate", "plan.json"]

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the stand-ins are shell scripts")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a copy of the project, without an environment."""
    root = tmp_path / "course"
    package = os.path.dirname(os.path.abspath(pipeline.__file__))
    shutil.copytree(package, root / "pipeline", ignore=shutil.ignore_patterns("__pycache__"))
    (root / "plan.json").write_text(json.dumps(PLAN), encoding="utf-8")
    return root


def stand_in(root: Path, script: str, mode: int = 0o755) -> Path:
    """Write a shell script in place of the environment's Python."""
    python = root / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    python.chmod(mode)
    return python


def run(command: list[str], folder: Path) -> tuple[int, str, str]:
    environment = {"PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def advice(start: str = "start.py") -> tuple[int, str, str]:
    lines = [
        f"The course's dependencies are not installed for this Python ({sys.executable}).",
        f"Install them once with: python3 {start} setup",
    ]
    return 2, "", "\n".join(lines) + "\n"


def test_the_command_that_sets_up_is_reported_as_it_works_from_the_working_directory(
    root: Path, tmp_path: Path
) -> None:
    root.rename(tmp_path / "my course")

    assert run([*BARE, "my course/pipeline/schema.py"], tmp_path) == advice('"my course/start.py"')


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(lambda _: None, id="none"),
        pytest.param(lambda root: stand_in(root, "exit 0", mode=0o644), id="may not be started"),
        pytest.param(
            lambda root: stand_in(root, "").write_bytes(b"\x7fELF not for this machine"),
            id="copied from another system",
        ),
        pytest.param(
            lambda root: stand_in(root, f'exec "{sys.executable}" "$@"'),
            id="without the dependencies, which must not call itself for ever",
        ),
    ],
)
def test_an_environment_that_does_not_work_counts_as_none(
    root: Path, make: Callable[[Path], object]
) -> None:
    make(root)

    assert run([*BARE, *COMMAND], root) == advice()


def test_with_an_environment_the_same_command_line_continues_in_it(root: Path) -> None:
    stand_in(root, 'echo "$ISSUE_PIPELINE_REEXECUTED"; printf "<%s>" "$@"; exit 7')

    assert run([*BARE, "-B", *COMMAND, "a b", ""], root) == (
        7,
        "1\n<-S><-B><pipeline/schema.py><--validate><plan.json><a b><>",
        "",
    )


def test_the_python_that_made_the_environment_uses_its_packages_without_a_second_start(
    root: Path,
) -> None:
    python = stand_in(root, "")
    python.unlink()
    python.symlink_to(os.path.realpath(sys.executable))  # started, it would find no packages
    packages = root / ".venv" / "lib" / f"python{sys.version_info[0]}.{sys.version_info[1]}"
    packages.mkdir(parents=True)
    (packages / "site-packages").symlink_to(sysconfig.get_path("purelib"))

    assert run([*BARE, *COMMAND], root) == (0, "OK\n", "")


def test_a_python_with_the_dependencies_stays_where_it_is(root: Path) -> None:
    stand_in(root, "echo must not run; exit 7")

    assert run([sys.executable, *COMMAND], root) == (0, "OK\n", "")


def test_a_python_with_some_of_the_dependencies_only_counts_as_bare(root: Path) -> None:
    (root / "some" / "pydantic_core").mkdir(parents=True)
    (root / "some" / "pydantic_core" / "__init__.py").write_text("")
    command = ["env", f"PYTHONPATH={root / 'some'}", *BARE, *COMMAND]

    assert run(command, root) == advice()


def test_a_command_is_named_as_it_works_from_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / ".venv" / "bin" / "verify"
    own.parent.mkdir(parents=True)
    own.touch(mode=0o755)
    (tmp_path / "docs" / "verify").mkdir(parents=True)  # a folder of that name is no program
    monkeypatch.setattr(bootstrap, "ROOT", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path / "docs"))
    monkeypatch.chdir(tmp_path)
    in_the_root = bootstrap.called("verify")
    monkeypatch.chdir(tmp_path / "docs")
    elsewhere = bootstrap.called("verify"), bootstrap.called("pipeline")
    monkeypatch.setenv("PATH", str(own.parent))

    assert in_the_root == ["python3", "-m", "verify"]
    assert elsewhere == (["../.venv/bin/verify"], ["python3", "-m", "pipeline"])
    assert bootstrap.called("verify") == ["verify"]
