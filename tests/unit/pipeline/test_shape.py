"""The markers make pydantic check and describe what they stand for."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
from pydantic import TypeAdapter, ValidationError
from typing_extensions import TypedDict

from pipeline.shape import AtLeast, Count, Shape, closed_fields, open_fields

DIGITS = Shape("digits", "^[0-9]+$", "digits only")


@open_fields
class Open(TypedDict):
    """A record that may have more fields."""

    size: int


@closed_fields
class Closed(TypedDict):
    """A record that may not."""

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


def test_a_closed_record_refuses_the_fields_that_it_does_not_list() -> None:
    assert errors(Closed, {"size": 1}) == []
    assert errors(Closed, {"size": 1, "more": 2}) == [("extra_forbidden", ("more",))]


@pytest.mark.parametrize("record", [Open, Closed])
@pytest.mark.parametrize("value", ["1", True, 1.0])
def test_the_types_of_a_record_are_never_coerced(record: object, value: object) -> None:
    assert errors(record, {"size": value}) == [("int_type", ("size",))]


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


@pytest.mark.parametrize(
    ("size", "found"), [(0, ["too_short"]), (1, []), (2, []), (3, ["too_long"])]
)
def test_a_count_bounds_a_list_with_both_ends_included(size: int, found: list[str]) -> None:
    kind = Annotated[list[int], Count(1, 2)]

    assert [name for name, _ in errors(kind, [0] * size)] == found


def test_a_count_without_an_upper_end_bounds_only_from_below() -> None:
    kind = Annotated[dict[str, int], Count(1)]

    assert errors(kind, {}) == [("too_short", ())]
    assert errors(kind, {str(number): 0 for number in range(1000)}) == []


@pytest.mark.parametrize(("value", "found"), [(-1, ["greater_than_equal"]), (0, []), (1, [])])
def test_the_smallest_number_allowed_is_included(value: int, found: list[str]) -> None:
    assert [name for name, _ in errors(Annotated[int, AtLeast(0)], value)] == found
