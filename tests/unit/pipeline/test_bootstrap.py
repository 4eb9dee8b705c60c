"""A script run by a bare Python goes on in the project's environment or says how to set it up."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import pipeline
from pipeline.bootstrap import environment_python, use_project_environment

if TYPE_CHECKING:
    from pathlib import Path

BARE = [sys.executable, "-S"]  # without site-packages: no dependency can be imported
PLAN = {"affected_files": ["a"], "steps": [{"order": 1, "file": "a", "description": "b"}]}
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


def stand_in(root: Path, script: str, mode: int = 0o755) -> None:
    """Write a shell script in place of the environment's Python."""
    python = root / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    python.chmod(mode)


def run(command: list[str], folder: Path) -> tuple[int, str, str]:
    environment = {"PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=10,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def advice(start: str = "start.py") -> tuple[int, str, str]:
    lines = [
        f"The course's dependencies are not installed for this Python ({sys.executable}).",
        f"Set them up once with: python3 {start} setup",
    ]
    return 2, "", "\n".join(lines) + "\n"


def test_without_an_environment_the_command_that_makes_it_is_told(root: Path) -> None:
    assert run([*BARE, *COMMAND], root) == advice()


def test_the_command_is_told_as_it_works_from_the_working_directory(root: Path) -> None:
    (root / "deep" / "er").mkdir(parents=True)
    script = str(root / "pipeline" / "schema.py")

    assert run([*BARE, script, "--help"], root / "deep" / "er") == advice("../../start.py")


def test_a_path_with_blanks_is_quoted_in_the_command(root: Path, tmp_path: Path) -> None:
    root.rename(tmp_path / "my course")

    assert run([*BARE, "my course/pipeline/schema.py"], tmp_path) == advice('"my course/start.py"')


def test_with_an_environment_the_same_command_line_goes_on_in_it(root: Path) -> None:
    stand_in(root, 'echo "$ISSUE_PIPELINE_REEXECUTED"; printf "<%s>" "$@"; exit 7')

    assert run([*BARE, "-B", *COMMAND, "a b", ""], root) == (
        7,
        "1\n<-S><-B><pipeline/schema.py><--validate><plan.json><a b><>",
        "",
    )


def test_the_command_does_its_work_in_the_environment(root: Path) -> None:
    stand_in(root, f'shift; exec "{sys.executable}" "$@"')

    assert run([*BARE, *COMMAND], root) == (0, "OK\n", "")


def test_an_environment_without_the_dependencies_does_not_call_itself_for_ever(root: Path) -> None:
    stand_in(root, f'exec "{sys.executable}" "$@"')

    assert run([*BARE, *COMMAND], root) == advice()


def test_an_environment_that_may_not_be_started_counts_as_none(root: Path) -> None:
    stand_in(root, "exit 0", mode=0o644)

    assert run([*BARE, *COMMAND], root) == advice()


def test_an_environment_copied_from_another_system_counts_as_none(root: Path) -> None:
    stand_in(root, "")
    (root / ".venv" / "bin" / "python").write_bytes(b"\x7fELF not for this machine")

    assert run([*BARE, *COMMAND], root) == advice()


def test_an_environment_whose_python_was_removed_counts_as_none(root: Path) -> None:
    (root / ".venv" / "bin").mkdir(parents=True)
    (root / ".venv" / "bin" / "python").symlink_to("/nowhere/python3")

    assert run([*BARE, *COMMAND], root) == advice()


def test_a_python_with_the_dependencies_stays_where_it_is(root: Path) -> None:
    stand_in(root, "echo must not run; exit 7")

    assert run([sys.executable, *COMMAND], root) == (0, "OK\n", "")


def test_a_python_with_some_of_the_dependencies_only_counts_as_bare(root: Path) -> None:
    (root / "some" / "pydantic_core").mkdir(parents=True)
    (root / "some" / "pydantic_core" / "__init__.py").write_text("")
    command = ["env", f"PYTHONPATH={root / 'some'}", *BARE, *COMMAND]

    assert run(command, root) == advice()


def test_nothing_happens_where_the_dependencies_can_be_imported() -> None:
    arguments = list(sys.argv)
    use_project_environment()

    assert sys.argv == arguments


def test_the_python_of_an_environment_stands_below_its_root() -> None:
    assert environment_python("/course") == "/course/.venv/bin/python"
