"""The words of `verify regrade` become what it is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from verify.commands.regrade_options import add_regrade

if TYPE_CHECKING:
    from collections.abc import Callable

    Parsed = Callable[..., dict[str, Any]]


def test_what_is_not_said_is_as_documented(parsed: Parsed) -> None:
    options = parsed(add_regrade, "regrade")
    said = ("exercises", "apply", "course", "gradebook", "jobs", "format_", "quiet")

    assert [options[name] for name in said] == [
        *([], False, "", "gradebook.db", None, "table", False),
    ]


def test_everything_can_be_said(parsed: Parsed) -> None:
    words = ["--exercise", "expert/04", "--apply", "--course", "mine", "--gradebook", "g.db"]
    options = parsed(add_regrade, "regrade", *words, "--jobs", "1", "--format", "json", "--quiet")
    said = ("exercises", "apply", "course", "gradebook", "jobs", "format_", "quiet")

    assert [options[name] for name in said] == [
        *(["expert/04"], True, "mine", "g.db", 1, "json", True),
    ]


@pytest.mark.parametrize("words", [["--format", "xml"], ["--jobs", "none"], ["--exercise", "4"]])
def test_what_makes_no_sense_is_refused(parsed: Parsed, words: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        parsed(add_regrade, "regrade", *words)

    assert ended.value.code == 2
