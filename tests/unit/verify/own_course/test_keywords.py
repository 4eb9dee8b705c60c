"""Keywords of JSON Schema say what the standard says, in bounds, where, and in words for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from jsonschema import Draft202012Validator, ValidationError

from verify.own_course import effort
from verify.own_course.effort import Effort, Exhausted
from verify.own_course.keywords import validator_class
from verify.own_course.schema_wording import problem_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pipeline.protocol.problems import Problem

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


def problems(schema: Any, value: Any) -> list[Problem]:
    return [problem_of(error) for error in validator_class(Effort())(schema).iter_errors(value)]


@pytest.mark.parametrize(
    ("schema", "value", "told"),
    [
        ({"type": "string"}, 7, "type|wrong type|a string|7"),
        ({"type": ["integer", "null"]}, "a", 'type|wrong type|a whole number or null|"a"'),
        ({"enum": ["a", 7]}, "b", 'enum|not one of the values allowed|"a", 7|"b"'),
        ({"const": "a"}, "b", 'const|not the value expected|"a"|"b"'),
        ({"pattern": "^a$"}, "b", 'pattern|wrong form|text that matches ^a$|"b"'),
        ({"pattern": "^a$", "description": "an a"}, "b", 'pattern|wrong form|an a|"b"'),
        ({"minLength": 2}, "b", "minLength|text too short|at least 2 characters|1 character"),
        ({"maxLength": 1}, "bc", "maxLength|text too long|at most 1 characters|2 characters"),
        ({"minItems": 1}, [], "minItems|too few elements|at least 1|an array of 0 elements"),
        ({"maxItems": 0}, [7], "maxItems|too many elements|at most 0|an array of 1 element"),
        ({"minProperties": 1}, {}, "minProperties|too few fields|at least 1|an object of 0 fields"),
        ({"minimum": 3}, 2, "minimum|too small|3 or more|2"),
        ({"exclusiveMinimum": 3}, 3, "exclusiveMinimum|too small|more than 3|3"),
        ({"maximum": 3}, 4, "maximum|too large|3 or less|4"),
        ({"exclusiveMaximum": 3}, 3, "exclusiveMaximum|too large|less than 3|3"),
        ({"multipleOf": 2}, 3, "multipleOf|not a multiple|a multiple of 2|3"),
        ({"anyOf": [False]}, 1, "anyOf|fits none of the forms allowed||1"),
        ({"not": {}}, 1, "not|has a form that is not allowed||1"),
        (False, 1, "nothing|nothing is allowed here||1"),
        ({"required": ["b"], "properties": {"b": True}}, {}, "required|this field is missing||"),
        (
            {"uniqueItems": True},
            [1, 1],
            "uniqueItems|this element stands in the array before|each element once|",
        ),
        (
            {"properties": {"a": {}, "b": {}}, "additionalProperties": False},
            {"c": 1},
            'additionalProperties|this field is not allowed here|only "a", "b"|',
        ),
        (
            {"additionalProperties": False},
            {"c": 1},
            "additionalProperties|this field is not allowed here|no field|",
        ),
    ],
)
def test_a_broken_keyword_is_told_with_what_was_expected_and_found(
    schema: Any, value: Any, told: str
) -> None:
    (problem,) = problems(schema, value)

    assert [problem.rule, problem.message, problem.expected, problem.found] == told.split("|")


def test_a_missing_field_is_told_with_its_description() -> None:
    described = {"a": {"description": f"who\x1b {'x' * 300}"}}
    (problem,) = problems({"required": ["a"], "properties": described}, {})

    assert (problem.path, problem.message) == (("a",), "this field is missing")
    assert problem.expected.startswith("who\\u{1b} xxx")
    assert len(problem.expected) <= 210
