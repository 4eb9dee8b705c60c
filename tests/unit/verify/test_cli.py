"""The command line parses, builds a request, calls, and returns the exit code."""

from __future__ import annotations

import pytest

from verify import cli
from verify.learner.request import GradingRequest

FIRST = ("foundation/01", "practitioner/01", "expert/01")
CHECK = "python3 -m verify check: argument LEVEL/NN"
NOT_AN_EXERCISE = "is not an exercise (expected LEVEL/NN, such as foundation/02)"


@pytest.mark.parametrize("words", [["check"], []])
def test_an_exercise_is_graded_by_its_name(
    requests: list[GradingRequest], words: list[str]
) -> None:
    code = cli.main([*words, "expert/1", "--project", "x", "--format", "json", "--strict"])

    assert code == 1
    assert requests == [
        GradingRequest(
            level="expert", number="1", project="x", format="json", strict=True, console=True
        )
    ]


@pytest.mark.parametrize(("words", "project"), [([], None), (["next", "--project", "x"], "x")])
def test_without_a_command_the_next_exercise_is_shown(
    monkeypatch: pytest.MonkeyPatch, words: list[str], project: str | None
) -> None:
    monkeypatch.setattr(
        "verify.commands.next.show_next", lambda project: {None: 0, "x": 2}[project]
    )

    assert cli.main(words) == {None: 0, "x": 2}[project]


def test_list_grades_a_level_or_all(requests: list[GradingRequest]) -> None:
    cli.main(["list", "expert", "--strict"])
    cli.main(["list", "-v"])

    assert requests == [
        GradingRequest(level="expert", strict=True, console=True),
        GradingRequest(level="", verbose=True, console=True),
    ]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ["list", "expert", "--target", "x"],
            "python3 -m verify list: unrecognized arguments: --target",
        ),
        (["check", "expert"], f"{CHECK}: expert {NOT_AN_EXERCISE}"),
        (["check", "\x1b[2J"], rf"{CHECK}: \u{{1b}}[2J {NOT_AN_EXERCISE}"),
        (
            ["check", "1"],
            f"{CHECK}: 1 is not an exercise (add its level: {', '.join(FIRST)})",
        ),
    ],
)
def test_wrong_usage_ends_with_2_and_a_sentence(
    capsys: pytest.CaptureFixture[str], words: list[str], sentence: str
) -> None:
    with pytest.raises(SystemExit) as exit_:
        cli.main(words)

    assert exit_.value.code == 2
    assert capsys.readouterr() == ("", f"{sentence}; --help shows the usage\n")
