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
    from pathlib import Path

    from tests.acceptance.conftest import PathOf, Run

NEEDS_EXERCISE = "--target, --issue and --hint need one exercise: add --exercise NN"
EXERCISES = (
    "01 (Plan an issue), 02 (Implement the plan), 03 (Publish the work), 04 (Trace a pipeline run)"
)
CONSOLE = os.path.join(os.path.dirname(sys.executable), "verify")


@pytest.mark.parametrize(
    ("level", "words", "sentence"),
    [
        (
            "foundation",
            ["--exercise", "05"],
            f"no exercise '05' in foundation (expected one of {EXERCISES})",
        ),
        ("foundation", ["--project", "/missing"], "--project /missing does not exist"),
        ("foundation", ["--project", ""], "--project  does not exist"),
        (
            "foundation",
            ["--exercise", "01", "--watch", "--project", "README.md"],
            "--watch needs a folder: unpack the archive first",
        ),
        ("foundation", ["--project", "\x1b[2J"], "--project \\u{1b}[2J does not exist"),
        ("foundation", ["--target", "sandbox"], NEEDS_EXERCISE),
        ("foundation", ["--watch"], "--watch needs one exercise: add --exercise NN"),
        (
            "foundation",
            ["--exercise", "01", "--watch", "--format", "json"],
            "--watch works only with the table: remove --format",
        ),
        (
            "foundation",
            ["--exercise", "01", "--hint", "--format", "json"],
            "--hint works only with the table: the other formats always show hints",
        ),
        ("expert", ["--exercise", "01", "--target", "."], "--target does not apply to expert/01"),
        ("expert", ["--exercise", "02", "--issue", "AB-1"], "--issue does not apply to expert/02"),
    ],
)
def test_what_cannot_be_graded_is_refused_in_one_line(
    run: Run, script: PathOf, level: str, words: list[str], sentence: str
) -> None:
    done = run(script(level), *words)

    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"verify: {sentence}\n")


@pytest.mark.parametrize(
    ("words", "start"),
    [
        (["--format", "xml"], "argument --format: invalid choice: 'xml' (choose from "),
        (["02"], "unrecognized arguments: 02"),
        *(
            (
                ["--exercise", "02", "--run", "--seed", seed],
                f"argument --seed: {seed} is not a seed (expected a whole number from 0 on)",
            )
            for seed in ("-5", "1.5", "x")
        ),
    ],
)
def test_a_wrong_option_is_reported_in_one_line(
    run: Run, script: PathOf, words: list[str], start: str
) -> None:
    done = run(script("foundation"), *words)

    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.startswith(f"python3 docs/foundation/tutorials/verify.py: {start}")
    assert done.stderr.endswith("; --help shows the usage\n")


def test_an_unknown_level_lists_the_choices(capsys: pytest.CaptureFixture[str]) -> None:
    codes = [cli.main(["check", "beginner/01"]), cli.main(["list", "beginner"])]
    sentence = "no level 'beginner' (expected one of foundation, practitioner, expert)"

    assert codes == [2, 2]
    assert capsys.readouterr() == ("", f"verify: {sentence}\n" * 2)


@pytest.mark.skipif(not os.path.exists(CONSOLE), reason="the project is not installed")
def test_the_installed_console_script_lists_a_level(run: Run, tmp_path: Path) -> None:
    words = ("list", "foundation", "--project", ".")
    done = run(CONSOLE, *words, cwd=str(tmp_path), env={"PATH": os.path.dirname(CONSOLE)})

    assert done.stdout.endswith("Plan an issue:\n  verify foundation/01 --project .\n")
    assert (done.returncode, done.stderr) == (0, "")


MEANT = [
    (["-m", "verify", "lsit"], "list"),
    (["-m", "verify", "chekc", "foundation/01"], "check"),
    (["-m", "verify", "foundatoin/01"], "foundation"),
    (["-m", "verify", "list", "Expert"], "expert"),
    (["-m", "verify", "foundation/O2"], "02"),
    (["-m", "verify", "foundation/01", "--fromat", "json"], "--format"),
    (["-m", "verify", "foundation/01", "--format", "jsno"], "json"),
    (["-m", "verify", "foundation/01", "--issue", "issue-101"], "ISSUE-101"),
    (["-m", "verify", "foundation/01", "--issue", "ISSUE-1O1"], "ISSUE-101"),
    (["-m", "verify", "explain", "F1.3"], "F01.3"),
    (["-m", "verify", "batch", "x", "--excercise=foundation/01"], "--exercise"),
    (["docs/foundation/tutorials/verify.py", "--excercise", "02"], "--exercise"),
    (["docs/foundation/tutorials/verify.py", "02"], "--exercise 02"),
    (["pipeline/schema.py", "--valdate", "plan.json"], "--validate"),
    (["pipeline/schema.py", "--validate", "--kind", "paln", "x.json"], "plan"),
    (["-m", "pipeline", "stauts"], "status"),
    (["-m", "pipeline", "agents", "lnit"], "lint"),
    (["-m", "pipeline", "demo", "ISSUE-2O2"], "ISSUE-202"),
]


@pytest.mark.parametrize(("words", "meant"), MEANT)
def test_m10_a_wrong_word_is_answered_with_the_likely_one(
    run: Run, words: list[str], meant: str
) -> None:
    done = run(*words)

    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert f" (did you mean {meant}?)" in done.stderr


@pytest.mark.parametrize("word", ["banana", "--banana", "explode-everything"])
def test_m10_a_word_that_is_like_no_other_gets_no_suggestion(run: Run, word: str) -> None:
    done = run("-m", "verify", word)

    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "did you mean" not in done.stderr


def test_a_python_without_the_dependencies_prints_the_one_command(
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
    assert second == "Install them once with: python3 start.py setup"
