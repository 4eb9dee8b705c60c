"""What cannot be graded is refused in one clear line on stderr with exit code 2."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING

import pytest

from pipeline.bootstrap import ROOT
from verify import cli

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable
    from pathlib import Path

    Run = Callable[..., subprocess.CompletedProcess[str]]
    PathOf = Callable[[str], str]

NEEDS_EXERCISE = "--target, --issue and --hint go with one exercise: add --exercise NN"
NO_TARGET = "is not a folder within the submission (expected a path without ..)"
NO_ISSUE = "is not an issue id (expected <PROJECT>-<NN>, such as ISSUE-7)"
EXERCISES = (
    "01 (Plan an issue), 02 (Implement the plan), 03 (Publish the work), 04 (Trace a pipeline run)"
)
CONSOLE = os.path.join(os.path.dirname(sys.executable), "verify")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ["--exercise", "05"],
            f"no exercise '05' in foundation (expected one of {EXERCISES})",
        ),
        (["--exercise", "01", "--project", "/missing"], "--project /missing does not exist"),
        (["--project", "/missing"], "--project /missing does not exist"),
        (["--project", ""], "--project  does not exist"),
        (["--project", "README.md"], "--project README.md is not a folder"),
        (["--project", "\x1b[2J"], "--project \\u{1b}[2J does not exist"),
        (["--target", "sandbox"], NEEDS_EXERCISE),
        (["--issue", "ISSUE-7"], NEEDS_EXERCISE),
        (["--hint"], NEEDS_EXERCISE),
        (["--watch"], "--watch goes with one exercise: add --exercise NN"),
        (
            ["--exercise", "01", "--watch", "--format", "json"],
            "--watch goes with the table: the other formats are for programs",
        ),
        (
            ["--exercise", "01", "--hint", "--format", "json"],
            "--hint goes with the table: the other formats have hints of their own",
        ),
    ],
)
def test_what_cannot_be_graded_is_refused_in_one_line(
    run: Run, script: PathOf, words: list[str], sentence: str
) -> None:
    done = run(script("foundation"), *words)

    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"verify: {sentence}\n")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["01", "--target", "."], "expert/01 looks at fixed files: --target does not apply"),
        (["01", "--issue", "AB-1"], "expert/01 is not about one issue: --issue does not apply"),
        (["02", "--issue", "AB-1"], "expert/02 is not about one issue: --issue does not apply"),
    ],
)
def test_what_an_exercise_does_not_have_cannot_be_replaced(
    run: Run, script: PathOf, words: list[str], sentence: str
) -> None:
    done = run(script("expert"), "--exercise", *words)

    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"verify: {sentence}\n")


@pytest.mark.parametrize(
    ("words", "start"),
    [
        (["--format", "xml"], "argument --format: invalid choice: 'xml' (choose from "),
        (["--target", "../x"], f"argument --target: ../x {NO_TARGET}"),
        (["--target", "/etc"], f"argument --target: /etc {NO_TARGET}"),
        (["--issue", "../7"], f"argument --issue: ../7 {NO_ISSUE}"),
        (["--issue", "issue-7"], f"argument --issue: issue-7 {NO_ISSUE}"),
        (["--unknown"], "unrecognized arguments: --unknown"),
        (["02"], "unrecognized arguments: 02"),
        (["--exercise"], "argument --exercise: expected one argument"),
    ],
)
def test_a_wrong_option_is_told_in_one_line(
    run: Run, script: PathOf, words: list[str], start: str
) -> None:
    done = run(script("foundation"), *words)

    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.startswith(f"python3 docs/foundation/tutorials/verify.py: {start}")
    assert done.stderr.endswith("; --help shows what is possible\n")


def test_an_unknown_level_lists_the_choices(capsys: pytest.CaptureFixture[str]) -> None:
    codes = [cli.main(["check", "beginner/01"]), cli.main(["list", "beginner"])]
    sentence = "no level 'beginner' (expected one of foundation, practitioner, expert)"

    assert codes == [2, 2]
    assert capsys.readouterr() == ("", f"verify: {sentence}\n" * 2)


def test_the_console_script_grades_and_suggests_itself(
    fixture: PathOf, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", os.path.dirname(CONSOLE) if os.path.exists(CONSOLE) else "")
    solved, unsolved = fixture("expert/01-classify/solved"), fixture("expert/01-classify/unsolved")
    codes = [cli.main(["check", "expert/1", "--project", each]) for each in (solved, unsolved)]
    shown = capsys.readouterr().out

    assert codes == [0, 1]
    assert (
        f"\nNext, expert/02 - Run three tiers:\n  verify check expert/02 --project {solved}\n"
        in (shown)
    )
    assert f" run again:\n  verify check expert/01 --project {unsolved}\n" in shown


@pytest.mark.skipif(not os.path.exists(CONSOLE), reason="the project is not installed")
def test_the_installed_console_script_lists_a_level(run: Run, tmp_path: Path) -> None:
    words = ("list", "foundation", "--project", ".")
    done = run(CONSOLE, *words, cwd=str(tmp_path), env={"PATH": os.path.dirname(CONSOLE)})

    assert done.stdout.endswith("Plan an issue:\n  verify check foundation/01 --project .\n")
    assert (done.returncode, done.stderr) == (1, "")


def test_a_python_without_the_dependencies_is_told_the_one_command(
    run: Run, script: PathOf, tmp_path: Path
) -> None:
    level = tmp_path / "docs" / "foundation" / "tutorials"
    level.mkdir(parents=True)
    shutil.copy(script("foundation"), level)
    shutil.copytree(os.path.join(ROOT, "pipeline"), tmp_path / "pipeline")
    shutil.copytree(os.path.join(ROOT, "verify"), tmp_path / "verify")
    done = run("-S", "-E", str(level / "verify.py"), "--exercise", "02", cwd=str(tmp_path))
    first, second = done.stderr.splitlines()

    assert (done.returncode, done.stdout) == (2, "")
    assert first.startswith("The course's dependencies are not installed for this Python (")
    assert second == "Set them up once with: python3 start.py setup"
