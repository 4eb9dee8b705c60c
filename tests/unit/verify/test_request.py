"""A request repeats itself as a command line, and its options refuse what is no such thing."""

from __future__ import annotations

import argparse
import os

import pytest

from pipeline.bootstrap import ROOT
from verify import catalog
from verify.request import Request, add_options

SCRIPT = os.path.join("docs", "foundation", "tutorials", "verify.py")


@pytest.fixture
def parser() -> argparse.ArgumentParser:
    built = argparse.ArgumentParser(prog="toy")
    add_options(built, one_exercise=True)
    return built


@pytest.fixture(autouse=True)
def _in_the_repository(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


@pytest.mark.parametrize(
    ("typed", "target"),
    [(".", "."), ("..dots", "..dots"), ("a/b.c", "a/b.c"), ("./a/b/", "a/b"), ("./", ".")],
)
def test_a_target_may_be_typed_as_a_shell_completes_it(
    parser: argparse.ArgumentParser, typed: str, target: str
) -> None:
    assert parser.parse_args(["--target", typed]).target == target


@pytest.mark.parametrize("target", ["", "a/../b", "/etc", "C:x", "a\\b"])
def test_what_leads_out_of_the_submission_is_no_target(
    parser: argparse.ArgumentParser, target: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as exit_:
        parser.parse_args(["--target", target])

    assert exit_.value.code == 2
    assert capsys.readouterr().err.splitlines()[-1] == (
        f"toy: error: argument --target: {target} is not a folder within the submission "
        "(expected a path without ..)"
    )


@pytest.mark.parametrize("issue", ["issue-7", "../ISSUE-7", "ISSUE-7\n"])
def test_what_is_no_issue_id_is_refused(
    parser: argparse.ArgumentParser, issue: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as exit_:
        parser.parse_args(["--issue", issue])
    shown = issue.replace("\n", "\\u{a}")

    assert exit_.value.code == 2
    assert capsys.readouterr().err.splitlines()[-1] == (
        f"toy: error: argument --issue: {shown} is not an issue id "
        "(expected <PROJECT>-<NN>, such as ISSUE-7)"
    )


def test_a_levels_script_is_called_again_with_the_options_that_an_exercise_shares() -> None:
    exercise = catalog.find("foundation", "02")
    request = Request(
        level="foundation", number="2", project="../work", target=".", issue="AB-1", strict=True
    )

    assert request.words_for("foundation", exercise) == [
        *("python3", SCRIPT, "--exercise", "02", "--project", "../work"),
        *("--target", ".", "--issue", "AB-1", "--strict"),
    ]
    assert request.words_for("foundation", catalog.find("foundation", "03")) == [
        *("python3", SCRIPT, "--exercise", "03", "--project", "../work", "--strict")
    ]


@pytest.mark.usefixtures("console_on_path")
def test_the_console_script_suggests_itself() -> None:
    request = Request(level="foundation", console=True, project="x")
    exercise = catalog.find("expert", "01")

    assert request.words_for("expert", exercise) == [*("verify", "expert/01", "--project", "x")]
    assert request.words_for("expert", None) == ["verify", "list", "expert", "--project", "x"]
