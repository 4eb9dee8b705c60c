"""The work on one artifact is counted, and ends where no honest artifact goes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from jsonschema import ValidationError

from verify.own_course import effort
from verify.own_course.effort import Effort, Exhausted

if TYPE_CHECKING:
    from collections.abc import Iterator


def complaining(_: Any, messages: list[str], *__: Any) -> Iterator[ValidationError]:
    """Complain of a value with each of the messages."""
    yield from map(ValidationError, messages)


def content(*_: Any) -> None:
    """Have nothing against a value, as some keywords of the library say it."""


def asked(keyword: Any, value: Any = None) -> list[str]:
    return [error.message for error in keyword(None, value, None, None)]


def test_a_counted_keyword_says_what_it_said_before() -> None:
    counted = Effort()

    assert asked(counted.counted(complaining), ["a", "b"]) == ["a", "b"]
    assert asked(counted.counted(content)) == []


def test_a_keyword_may_be_asked_so_often_and_afresh_for_the_next_artifact(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(effort, "MAX_STEPS", 3)
    counted = Effort()
    keyword = counted.counted(content)
    for _ in range(3):
        asked(keyword)
    with pytest.raises(Exhausted) as raised:
        asked(keyword)
    counted.begin()

    assert str(raised.value) == "at most 3 steps of its schema"
    assert asked(keyword) == []


def test_a_long_message_costs_as_much_as_many_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(effort, "MAX_STEPS", 10)
    keyword = Effort().counted(complaining)

    assert asked(keyword, ["x" * 899]) == ["x" * 899]
    with pytest.raises(Exhausted):
        asked(keyword, ["x" * 100])


def test_keywords_within_keywords_have_a_deepest_level_and_come_back_from_it() -> None:
    counted = Effort()

    def deeper(_: Any, levels: int, *__: Any) -> Iterator[ValidationError]:
        if levels > 1:
            yield from keyword(None, levels - 1, None, None) or ()

    keyword = counted.counted(deeper)
    with pytest.raises(Exhausted) as raised:
        asked(keyword, 101)

    counted.begin()

    assert str(raised.value) == "at most 100 levels of its schema"
    assert asked(keyword, 100) == asked(keyword, 100) == []
