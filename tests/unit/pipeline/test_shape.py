"""The markers make pydantic check and describe what they stand for."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
from pydantic import TypeAdapter, ValidationError
from typing_extensions import TypedDict

from pipeline.shape import AtLeast, Count, DocumentedCount, Shape, open_fields

DIGITS = Shape("digits", "^[0-9]+$", "digits only")


@open_fields
class Open(TypedDict):
    """A record that may have more fields."""

    size: int


def errors(kind: Any, value: object) -> list[tuple[str, tuple[str | int, ...]]]:
    try:
        TypeAdapter(kind).validate_python(value)
    except ValidationError as error:
        return [(entry["type"], entry["loc"]) for entry in error.errors()]
    return []


def test_an_open_record_keeps_the_fields_that_it_does_not_list() -> None:
    value = TypeAdapter(Open).validate_python({"size": 1, "more": [2]})

    assert value == {"size": 1, "more": [2]}


@pytest.mark.parametrize("value", ["1", True, 1.0])
def test_the_types_of_a_record_are_never_coerced(value: object) -> None:
    assert errors(Open, {"size": value}) == [("int_type", ("size",))]


@pytest.mark.parametrize(
    ("value", "found"),
    [("1", []), ("", ["string_pattern_mismatch"]), ("1\n", ["string_pattern_mismatch"])],
)
def test_a_shape_is_a_pattern_of_the_whole_string(value: str, found: list[str]) -> None:
    assert [kind for kind, _ in errors(Annotated[str, DIGITS], value)] == found


def test_a_shape_describes_itself_in_the_schema() -> None:
    assert TypeAdapter(Annotated[str, DIGITS]).json_schema() == {
        "type": "string",
        "pattern": "^[0-9]+$",
        "description": "digits only",
    }


def test_a_count_bounds_from_below() -> None:
    kind = Annotated[dict[str, int], Count(1)]

    assert errors(kind, {}) == [("too_short", ())]
    assert errors(kind, {str(number): 0 for number in range(1000)}) == []


@pytest.mark.parametrize(("value", "found"), [(-1, ["greater_than_equal"]), (0, []), (1, [])])
def test_the_smallest_number_allowed_is_included(value: int, found: list[str]) -> None:
    assert [name for name, _ in errors(Annotated[int, AtLeast(0)], value)] == found


def test_a_documented_count_is_told_by_the_schema_and_left_to_a_rule() -> None:
    kind = Annotated[list[int], DocumentedCount(5)]

    assert errors(kind, [1]) == []
    assert TypeAdapter(kind).json_schema() == {
        "type": "array",
        "items": {"type": "integer"},
        "minItems": 5,
        "maxItems": 5,
    }
