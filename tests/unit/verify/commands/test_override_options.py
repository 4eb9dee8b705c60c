"""The words of `verify override` become what it is asked for, and no score that is none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from verify.commands.override_options import add_override

if TYPE_CHECKING:
    from collections.abc import Callable

    Parsed = Callable[..., dict[str, Any]]

NOTHING = {
    "learner": None,
    "exercise": None,
    "score": None,
    "withdraw": False,
    "reason": None,
    "by": None,
    "gradebook": "gradebook.db",
}


def test_an_override_is_asked_for_word_by_word(parsed: Parsed) -> None:
    words = ["zoe", "--exercise", "expert/04", "--score", "4.5", "--reason", "oral", "--by", "ada"]

    assert parsed(add_override, "override") == NOTHING
    assert parsed(add_override, "override", *words) == {
        **NOTHING,
        "learner": "zoe",
        "exercise": "expert/04",
        "score": 4.5,
        "reason": "oral",
        "by": "ada",
    }
    assert parsed(add_override, "override", "zoe", "--withdraw")["withdraw"] is True


@pytest.mark.parametrize("text", ["-1", "nan", "inf", "1e999", "four", "", "9" * 20, "1_0x"])
def test_what_is_no_score_is_refused(
    parsed: Parsed, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    with pytest.raises(SystemExit) as ended:
        parsed(add_override, "override", "zoe", f"--score={text}")

    assert ended.value.code == 2
    assert f"{text} is no score (expected a number from 0 on, such as 4.5)" in (
        capsys.readouterr().err
    )


def test_a_score_and_its_withdrawal_do_not_go_together(parsed: Parsed) -> None:
    with pytest.raises(SystemExit):
        parsed(add_override, "override", "zoe", "--score", "1", "--withdraw")
