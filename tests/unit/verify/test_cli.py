"""The two command lines parse, build a request, call, and return the exit code."""

from __future__ import annotations

import pytest

from verify import cli, level_command, moving_on
from verify.request import Request

FIRST = ("foundation/01", "practitioner/01", "expert/01")
CHECK = "python3 -m verify check: argument LEVEL/NN"
NOT_AN_EXERCISE = "is not an exercise (expected LEVEL/NN, such as foundation/02)"


@pytest.fixture
def requests(monkeypatch: pytest.MonkeyPatch) -> list[Request]:
    """Return the requests that were to be carried out: each is noted and answered with 1."""
    noted: list[Request] = []

    def execute(request: Request) -> int:
        noted.append(request)
        return 1

    monkeypatch.setattr(cli, "execute", execute)
    monkeypatch.setattr(level_command, "execute", execute)
    return noted


@pytest.mark.parametrize("words", [["check"], []])
def test_an_exercise_is_graded_by_its_name(requests: list[Request], words: list[str]) -> None:
    code = cli.main([*words, "expert/1", "--project", "x", "--format", "json", "--strict"])

    assert code == 1
    assert requests == [
        Request(level="expert", number="1", project="x", format="json", strict=True, console=True)
    ]


@pytest.mark.parametrize(
    ("words", "called"),
    [
        ([], ("show_next", None)),
        (["next", "--project", "x"], ("show_next", "x")),
        (["reset", "expert/01", "--project", "x"], ("reset", "expert", "01", "x")),
    ],
)
def test_moving_on_is_a_command_of_its_own(
    monkeypatch: pytest.MonkeyPatch, words: list[str], called: tuple[str | None, ...]
) -> None:
    calls: list[tuple[str | None, ...]] = []
    for name in ("show_next", "reset"):

        def note(*arguments: str | None, name: str = name) -> int:
            calls.append((name, *arguments))
            return 2

        monkeypatch.setattr(moving_on, name, note)

    assert cli.main(words) == 2
    assert calls == [called]


def test_list_grades_a_level_or_all(requests: list[Request]) -> None:
    cli.main(["list", "expert", "--strict"])
    cli.main(["list", "-v"])

    assert requests == [
        Request(level="expert", strict=True, console=True),
        Request(level="", verbose=True, console=True),
    ]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ["list", "expert", "--target", "x"],
            "python3 -m verify: unrecognized arguments: --target x",
        ),
        (["check", "expert"], f"{CHECK}: expert {NOT_AN_EXERCISE}"),
        (["check", "\x1b[2J"], rf"{CHECK}: \u{{1b}}[2J {NOT_AN_EXERCISE}"),
        (
            ["check", "1"],
            f"{CHECK}: 1 is not an exercise (each level has one: {', '.join(FIRST)})",
        ),
    ],
)
def test_wrong_usage_ends_with_2_and_a_sentence(
    capsys: pytest.CaptureFixture[str], words: list[str], sentence: str
) -> None:
    with pytest.raises(SystemExit) as exit_:
        cli.main(words)

    assert exit_.value.code == 2
    assert capsys.readouterr() == ("", f"{sentence}; --help shows what is possible\n")


@pytest.mark.parametrize("word", ["02", "foundation/02"])
def test_a_levels_script_grades_one_exercise(requests: list[Request], word: str) -> None:
    words = ["--exercise", word, "--issue", "AB-1", "--hint", "--hint", "--watch"]
    code = level_command.main("foundation", "verify.py", words)

    assert code == 1
    assert requests == [Request(level="foundation", number="02", issue="AB-1", hint=2, watch=True)]


def test_a_levels_script_lists_its_level(requests: list[Request]) -> None:
    level_command.main("foundation", "verify.py", [])

    assert requests == [Request(level="foundation")]


@pytest.mark.spec("4.28")
def test_the_help_of_a_levels_script_shows_examples_and_exit_codes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit) as exit_:
        level_command.main("foundation", "verify.py", ["--help"])
    shown = capsys.readouterr().out

    assert exit_.value.code == 0
    assert shown.startswith("usage: python3 verify.py [-h]")
    assert "  python3 verify.py --exercise 02              grade exercise 02\n" in shown
    assert "move your attempt aside: python3 -m verify reset foundation/02\n" in shown
    assert "exit codes: 0 all passed, 1 something failed, 2 wrong usage" in shown
