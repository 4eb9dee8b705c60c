"""The words of `verify flaky` become what it is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from verify.commands.flaky_options import add_flaky

if TYPE_CHECKING:
    from collections.abc import Callable

    Parsed = Callable[..., dict[str, Any]]


def test_submissions_exercises_and_how_often_are_read(parsed: Parsed) -> None:
    words = ["a", "b", "--exercise", "expert/04", "--course", "mine", "--times", "20"]

    assert parsed(add_flaky, "flaky") == {
        "submissions": [],
        "exercises": [],
        "course": "",
        "times": 3,
    }
    assert parsed(add_flaky, "flaky", *words) == {
        "submissions": ["a", "b"],
        "exercises": ["expert/04"],
        "course": "mine",
        "times": 20,
    }


@pytest.mark.parametrize("text", ["1", "21", "0", "-3", "3.5", "many", "\u0663", "9" * 30])
def test_too_few_or_too_many_times_are_refused(
    parsed: Parsed, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    with pytest.raises(SystemExit) as ended:
        parsed(add_flaky, "flaky", f"--times={text}")

    assert ended.value.code == 2
    assert "is no number from 2 to 20" in capsys.readouterr().err
