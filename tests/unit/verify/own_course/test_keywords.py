"""Keywords of JSON Schema say what the standard says, in bounds, and where exactly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from jsonschema import Draft202012Validator, ValidationError

from verify.own_course import effort
from verify.own_course.effort import Effort, Exhausted
from verify.own_course.keywords import compiled, validator_class

if TYPE_CHECKING:
    from collections.abc import Iterator

CLOSED = {"properties": {"a": {}}, "patternProperties": {"^x": {}}, "additionalProperties": False}


def told(schema: Any, value: Any) -> list[tuple[list[Any], str]]:
    """Return the path and the keyword of each error."""
    errors = validator_class(Effort())(schema).iter_errors(value)
    return [(list(error.absolute_path), str(error.validator)) for error in errors]


@pytest.mark.parametrize(
    ("schema", "value", "errors"),
    [
        ({"pattern": "^a+$"}, "aaa", []),
        ({"pattern": "^a+$"}, "ab", [([], "pattern")]),
        ({"pattern": "a"}, 7, []),
        ({"properties": {"a": {"type": "string"}}}, {"a": 7, "b": 7}, [(["a"], "type")]),
        ({"properties": {"a": False}}, {"a": 7}, [(["a"], "None")]),
        ({"properties": {"a": False}}, ["a"], []),
        ({"patternProperties": {"^x": {"type": "null"}}}, {"xa": 1, "a": 1}, [(["xa"], "type")]),
        ({"patternProperties": {"^x": False}}, [7], []),
        (CLOSED, {"a": 1, "xa": 1, "b": 1}, [(["b"], "additionalProperties")]),
        ({"additionalProperties": {"type": "null"}}, {"b": 1}, [(["b"], "type")]),
        ({"additionalProperties": False}, 7, []),
        ({"propertyNames": {"maxLength": 1}}, {"a": 1, "bb": 1}, [(["bb"], "maxLength")]),
        ({"propertyNames": False}, 7, []),
        ({"required": ["a", "b"]}, {"a": 1}, [(["b"], "required")]),
        ({"required": ["a"]}, [], []),
        (
            {"dependentRequired": {"a": ["b", "c"], "d": ["e"]}},
            {"a": 1, "b": 1},
            [(["c"], "dependentRequired")],
        ),
        ({"dependentRequired": {"a": ["b"]}}, "a", []),
        ({"uniqueItems": True}, [1, 2, 1.0, 2], [([2], "uniqueItems"), ([3], "uniqueItems")]),
        ({"uniqueItems": True}, [1, True, 0, False, "1", [1], {"a": 1}], []),
        (
            {"uniqueItems": True},
            [{"a": [1], "b": 2}, {"b": 2.0, "a": [1.0]}],
            [([1], "uniqueItems")],
        ),
        ({"uniqueItems": False}, [1, 1], []),
        ({"uniqueItems": True}, "aa", []),
    ],
)
def test_a_keyword_says_where_and_what(
    schema: Any, value: Any, errors: list[tuple[list[Any], str]]
) -> None:
    assert told(schema, value) == errors
    assert Draft202012Validator(schema).is_valid(value) == (not errors)


def test_a_pattern_that_needs_more_than_linear_time_is_refused() -> None:
    for pattern in ("(?=a)", r"(a)\1", "(", "[z-a]", "a{99999999}"):
        with pytest.raises(ValueError, match=r"."):
            compiled(pattern)


def asked(keyword: Any, value: Any = None) -> list[str]:
    return [error.message for error in keyword(None, value, None, None)]


def test_the_work_on_one_artifact_is_counted_and_begins_anew(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(effort, "MAX_STEPS", 10)
    counted = Effort()
    keyword = counted.counted(lambda _, messages, *__: map(ValidationError, messages or ()))
    long = asked(keyword, ["x" * 899])  # a message costs as much as many steps
    with pytest.raises(Exhausted, match="at most 10 steps of its schema"):
        asked(keyword, ["x" * 100])
    counted.begin()

    assert long == ["x" * 899]
    assert [asked(keyword) for _ in range(10)] == [[]] * 10
    with pytest.raises(Exhausted):
        asked(keyword)


def test_keywords_within_keywords_have_a_deepest_level_and_come_back_from_it() -> None:
    counted = Effort()

    def deeper(_: Any, levels: int, *__: Any) -> Iterator[ValidationError]:
        if levels > 1:
            yield from keyword(None, levels - 1, None, None) or ()

    keyword = counted.counted(deeper)
    with pytest.raises(Exhausted, match="at most 100 levels of its schema"):
        asked(keyword, 101)
    counted.begin()

    assert asked(keyword, 100) == asked(keyword, 100) == []
