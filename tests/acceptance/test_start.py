"""start.py: the README's two commands; fakes stand in where it would install packages."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return the script as a module, with an environment in a folder of the test's own."""
    spec = importlib.util.spec_from_file_location("start", ROOT / "start.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "VENV", str(tmp_path))
    monkeypatch.setattr(module, "PYTHON", sys.executable)
    return module


class Commands:
    """Stands in for running commands: notes them, and answers with prepared exit codes."""

    def __init__(self, *codes: int) -> None:
        self.codes = list(codes)
        self.seen: list[tuple[str, ...]] = []

    def __call__(self, *command: str) -> int:
        self.seen.append(command)
        return self.codes.pop(0) if self.codes else 0


def test_an_unknown_command_is_refused_with_the_choices() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "start.py", "graed"], capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stdout, done.stderr) == (
        2,
        "",
        (
            "start.py: graed: expected one of grade, setup, headless, witness, cohort, cloud,"
            " cluster, develop, test, or nothing\n"
        ),
    )


def test_v_the_readme_names_both_commands_of_a_fresh_machine_in_500_words() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    lines = [line.partition("#")[0].rstrip() for line in text.splitlines()]

    assert [line for line in lines if line.startswith("python3 start.py")] == [
        "python3 start.py",
        "python3 start.py test",
    ]
    assert len(text.split()) <= 500


@pytest.mark.parametrize("option", ["-h", "--help"])
def test_help_tells_the_commands(option: str) -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "start.py", option], capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert "python3 start.py test       set up the developers' tools, then" in done.stdout


@pytest.mark.parametrize("stamp", ["ready-core", "ready-dev"])
def test_an_environment_that_is_up_to_date_is_left_alone_also_the_developers(
    start: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stamp: str
) -> None:
    (tmp_path / stamp).write_text(start.fingerprint(), encoding="utf-8")
    commands = Commands()
    monkeypatch.setattr(start, "run", commands)

    start.set_up("")

    assert commands.seen == []


def test_an_environment_that_was_ready_and_is_damaged_is_made_afresh(
    start: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ready-core").write_text(start.fingerprint(), encoding="utf-8")
    commands, asked = Commands(), Commands(1, 0)  # a package is missing, then the set-up works
    monkeypatch.setattr(start, "run", commands)
    monkeypatch.setattr(start, "quiet", asked)

    start.set_up("")

    assert asked.seen[1] == (sys.executable, "-m", "venv", "--clear", str(tmp_path))
    assert [command[3] for command in commands.seen] == ["install"]


def test_a_program_that_is_not_there_is_an_exit_code_and_no_surprise(start: Any) -> None:
    assert start.quiet("/nowhere/python", "--version") == 127


def test_other_dependencies_make_the_environment_anew(
    start: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ready-core").write_text("of other versions", encoding="utf-8")
    commands = Commands()
    monkeypatch.setattr(start, "run", commands)
    monkeypatch.setattr(start, "make_environment", lambda *, afresh: [f"pip {afresh}"])

    start.set_up("")

    assert commands.seen == [
        (
            *("pip False", "install", "-qq", "--disable-pip-version-check"),
            *("--constraint", "constraints.txt", "--editable", "."),
        )
    ]
    assert (tmp_path / "ready-core").read_text(encoding="utf-8") == start.fingerprint()


def test_a_failed_installation_says_so_and_leaves_no_stamp(
    start: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(start, "run", Commands(1))
    monkeypatch.setattr(start, "make_environment", lambda *, afresh: [f"pip {afresh}"])

    code = start.main(["setup"])

    assert code == 2
    assert capsys.readouterr().err == (
        "start.py: the packages could not be installed: see pip's message above\n"
    )
    assert list(tmp_path.iterdir()) == []


def test_all_the_tests_run_on_all_the_cores_file_by_file(
    start: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands, extras = Commands(1), list[str]()
    monkeypatch.setattr(start, "PYTHON", "python")
    monkeypatch.setattr(start, "set_up", extras.append)
    monkeypatch.setattr(start, "run", commands)

    code = start.main(["test"])

    assert (code, extras) == (1, ["dev"])
    assert commands.seen == [
        (
            *("python", "-m", "pytest", "-q", "-m", "not slow", "-n", "auto"),
            *("--dist", "loadfile", "--no-loadscope-reorder"),
        )
    ]


def test_a_python_without_ensurepip_uses_the_systems_pip_or_names_the_package_that_helps(
    start: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    # no pip there, venv fails, venv --without-pip works, the system's pip works
    commands = Commands(1, 1, 0, 0)
    monkeypatch.setattr(start, "PYTHON", "nowhere/python")
    monkeypatch.setattr(start, "quiet", commands)

    pip = start.make_environment()

    assert pip == [sys.executable, "-m", "pip", "--python", "nowhere/python"]
    monkeypatch.setattr(start, "quiet", Commands(1, 1, 0, 1))
    with pytest.raises(start.SetupFault, match="sudo apt install python3-venv"):
        start.make_environment()


def test_the_main_job_grades_a_shipped_submission_and_names_one_next_step_within_a_terminal(
    start: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    code = start.grade_example()

    printed = capfd.readouterr().out
    assert code == 0
    assert printed.startswith("foundation/01 - Plan an issue - ISSUE-101\n")
    assert printed.endswith("\n\nPASSED  9 of 9 points (10 passed)\n" + start.NEXT_STEPS)
    assert len(printed.splitlines()) < 24
    assert max(map(len, printed.splitlines())) <= 80
    assert "--project" not in printed


def test_k4_a_copy_without_solutions_begins_with_the_first_exercise(
    start: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands = Commands(0)
    monkeypatch.setattr(start, "run", commands)
    monkeypatch.setattr(start, "EXAMPLE", "fixtures/submissions/none")

    assert start.grade_example() == 0
    assert commands.seen == [(sys.executable, "-m", "verify")]
