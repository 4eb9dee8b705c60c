"""The classification record: exactly five tasks, each with its six fields."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pipeline.schema import KINDS
from pipeline.validation import validate

TASK = {
    "task": "Fix a typo",
    "file_count": 1,
    "domain_scope": "single",
    "signals": ["single file"],
    "tier": "trivial",
    "agents": ["x-worker-fast"],
}
SCOPES = '"single" or "cross-domain"'
TIERS = '"trivial", "standard" or "complex"'
TEXT = "text that is not blank"


def found(value: object) -> list[tuple[Any, ...]]:
    result = validate(json.dumps(value).encode(), KINDS["classifications"])
    return [(p.rule, p.path, p.message, p.expected, p.found) for p in result.problems]


def found_in_third(field: str, value: object) -> list[tuple[Any, ...]]:
    return found([TASK, TASK, {**TASK, field: value}, TASK, TASK])


@pytest.mark.spec("2.5.4", "2.5.5", "2.5.6", "2.5.7", "2.5.8", "2.5.9")
@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("task", "任务"),
        ("file_count", 0),
        ("file_count", 10**99),
        ("domain_scope", "cross-domain"),
        ("signals", []),
        ("signals", ["documentation only", "no tests"]),
        ("tier", "standard"),
        ("tier", "complex"),
        ("agents", ["x-worker-fast", "x-reviewer-fast"]),
        ("agents", ["anyone"]),
    ],
)
def test_a_value_that_is_allowed_has_no_problem(field: str, value: object) -> None:
    assert found_in_third(field, value) == []


@pytest.mark.spec("2.5.4", "2.5.5", "2.5.6", "2.5.7", "2.5.8", "2.5.9", "7.5")
@pytest.mark.parametrize(
    ("field", "value", "rule", "message", "expected", "shown"),
    [
        ("task", "\u200b", "text", "wrong form", TEXT, r'"\u{200b}"'),
        ("task", 1, "fields", "wrong type", "a string", "1"),
        ("file_count", -1, "fields", "too small", "0 or more", "-1"),
        ("file_count", "1", "fields", "wrong type", "a whole number", '"1"'),
        ("file_count", True, "fields", "wrong type", "a whole number", "true"),
        ("file_count", 1.0, "fields", "wrong type", "a whole number", "1.0"),
        ("file_count", 1.5, "fields", "wrong type", "a whole number", "1.5"),
        ("file_count", None, "fields", "wrong type", "a whole number", "null"),
        ("domain_scope", "Single", "choice", "not one of the values allowed", SCOPES, '"Single"'),
        ("domain_scope", "", "choice", "not one of the values allowed", SCOPES, '""'),
        ("domain_scope", 1, "choice", "not one of the values allowed", SCOPES, "1"),
        ("tier", "simple", "choice", "not one of the values allowed", TIERS, '"simple"'),
        ("tier", "trivial ", "choice", "not one of the values allowed", TIERS, '"trivial "'),
        (
            "tier",
            ["trivial"],
            "choice",
            "not one of the values allowed",
            TIERS,
            "an array of 1 element",
        ),
        ("tier", {}, "choice", "not one of the values allowed", TIERS, "an object of 0 fields"),
        ("tier", None, "choice", "not one of the values allowed", TIERS, "null"),
        ("signals", "single file", "fields", "wrong type", "an array", '"single file"'),
        ("agents", "x-worker", "fields", "wrong type", "an array", '"x-worker"'),
        ("agents", [], "count", "too few elements", "at least 1", "an array of 0 elements"),
    ],
)
def test_a_value_that_is_not_allowed_is_a_problem(
    *, field: str, value: object, rule: str, message: str, expected: str, shown: str
) -> None:
    assert found_in_third(field, value) == [(rule, (2, field), message, expected, shown)]


@pytest.mark.spec("2.5.7", "2.5.9")
@pytest.mark.parametrize("field", ["signals", "agents"])
def test_every_element_of_a_list_is_a_text(field: str) -> None:
    assert found_in_third(field, ["a", "", 1]) == [
        ("text", (2, field, 1), "wrong form", TEXT, '""'),
        ("fields", (2, field, 2), "wrong type", "a string", "1"),
    ]


@pytest.mark.parametrize("field", list(TASK))
def test_a_missing_field_is_a_problem(field: str) -> None:
    lacking = {key: value for key, value in TASK.items() if key != field}

    assert found([lacking, TASK, TASK, TASK, TASK]) == [
        ("fields", (0, field), "this field is missing", "", ""),
    ]


@pytest.mark.spec("2.5.1")
@pytest.mark.parametrize(
    ("size", "message", "expected", "shown"),
    [
        (0, "too few elements", "exactly 5", "an array of 0 elements"),
        (1, "too few elements", "exactly 5", "an array of 1 element"),
        (4, "too few elements", "exactly 5", "an array of 4 elements"),
        (6, "too many elements", "exactly 5", "an array of 6 elements"),
    ],
)
def test_there_are_exactly_five_tasks(size: int, message: str, expected: str, shown: str) -> None:
    assert found([TASK] * size) == [("count", (), message, expected, shown)]


def test_the_number_of_tasks_is_told_beside_what_is_wrong_with_them() -> None:
    wrong = {**TASK, "file_count": "1"}

    assert found([TASK, wrong, TASK, TASK]) == [
        ("count", (), "too few elements", "exactly 5", "an array of 4 elements"),
        ("fields", (1, "file_count"), "wrong type", "a whole number", '"1"'),
    ]
    assert found([TASK] * 5 + [wrong]) == [
        ("count", (), "too many elements", "exactly 5", "an array of 6 elements"),
        ("fields", (5, "file_count"), "wrong type", "a whole number", '"1"'),
    ]


@pytest.mark.parametrize(
    ("value", "shown"), [(TASK, "an object of 6 fields"), (None, "null"), ("a", '"a"')]
)
def test_a_document_that_is_no_array_is_a_problem(value: object, shown: str) -> None:
    assert found(value) == [("fields", (), "wrong type", "an array", shown)]


def test_a_task_that_is_no_object_is_a_problem() -> None:
    assert found([TASK, TASK, TASK, TASK, "a"]) == [
        ("fields", (4,), "wrong type", "an object", '"a"'),
    ]
