"""What a schema has against an artifact is told in words for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from verify.own_course.effort import Effort
from verify.own_course.keywords import validator_class
from verify.own_course.schema_wording import problem_of

if TYPE_CHECKING:
    from pipeline.problems import Problem


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
