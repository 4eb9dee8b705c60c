"""Keywords of JSON Schema say what the standard says, in bounds, and where exactly."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema import Draft202012Validator

from verify.own_course.effort import Effort
from verify.own_course.keywords import compiled, validator_class


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
        (
            {
                "properties": {"a": {}},
                "patternProperties": {"^x": {}},
                "additionalProperties": False,
            },
            {"a": 1, "xa": 1, "b": 1},
            [(["b"], "additionalProperties")],
        ),
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


def test_what_is_missing_beside_another_field_is_told_with_its_name() -> None:
    schema = {"dependentRequired": {"a\n": ["b"]}}
    (error,) = validator_class(Effort())(schema).iter_errors({"a\n": 1})

    assert error.message == 'this field is missing beside "a\\n"'


@pytest.mark.parametrize("pattern", ["(?=a)", r"(a)\1", "(", "[z-a]", "a{99999999}"])
def test_a_pattern_that_needs_more_than_linear_time_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        compiled(pattern)
