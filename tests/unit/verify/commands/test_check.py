"""The script of a level, and the values of the options that grade."""

from __future__ import annotations

import pytest

from pipeline.terminal.arguments import Arguments
from verify.commands.check import add_grading, level_main
from verify.learner.request import GradingRequest


@pytest.fixture
def parser() -> Arguments:
    built = Arguments(prog="toy")
    add_grading(built, one_exercise=True)
    return built


@pytest.mark.parametrize(
    ("typed", "target"),
    [(".", "."), ("..dots", "..dots"), ("a/b.c", "a/b.c"), ("./a/b/", "a/b"), ("./", ".")],
)
def test_a_target_may_be_typed_as_a_shell_completes_it(
    parser: Arguments, typed: str, target: str
) -> None:
    assert parser.parse_args(["--target", typed]).target == target


@pytest.mark.parametrize("target", ["", "a/../b", "/etc", "C:x", "a\\b"])
def test_what_leads_out_of_the_submission_is_no_target(
    parser: Arguments, target: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as exit_:
        parser.parse_args(["--target", target])

    assert exit_.value.code == 2
    assert capsys.readouterr().err.splitlines()[-1] == (
        f"toy: argument --target: {target} is not a folder within the submission "
        "(expected a path such as apps/web); --help shows the usage"
    )


@pytest.mark.parametrize("issue", ["issue-7", "../ISSUE-7", "ISSUE-7\n"])
def test_what_is_no_issue_id_is_refused(
    parser: Arguments, issue: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as exit_:
        parser.parse_args(["--issue", issue])
    shown = issue.replace("\n", "\\n")

    assert exit_.value.code == 2
    assert capsys.readouterr().err.splitlines()[-1] == (
        f"toy: argument --issue: {shown} is not an issue id "
        "(expected capital letters, a hyphen and digits, such as ISSUE-7); --help shows the usage"
    )


@pytest.mark.parametrize("word", ["02", "foundation/02"])
def test_a_levels_script_grades_one_exercise(requests: list[GradingRequest], word: str) -> None:
    words = ["--exercise", word, "--issue", "AB-1", "--hint", "--hint", "--watch"]
    code = level_main("foundation", "verify.py", words)

    assert code == 1
    assert requests == [
        GradingRequest(level="foundation", number="02", issue="AB-1", hint=2, watch=True)
    ]


def test_a_levels_script_lists_its_level(requests: list[GradingRequest]) -> None:
    level_main("foundation", "verify.py", [])

    assert requests == [GradingRequest(level="foundation")]


@pytest.mark.spec("4.28")
def test_the_help_of_a_levels_script_shows_examples_and_exit_codes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit) as exit_:
        level_main("foundation", "verify.py", ["--help-all"])
    shown = capsys.readouterr().out

    assert exit_.value.code == 0
    assert shown.startswith("usage: python3 verify.py [-h]")
    assert "  python3 verify.py --exercise 02              grade exercise 02\n" in shown
    assert "move your attempt aside: python3 -m verify reset foundation/02\n" in shown
    assert "exit codes: 0 all passed, 1 something failed, 2 wrong usage" in shown
