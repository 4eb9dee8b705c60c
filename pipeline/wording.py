"""Turns pydantic's errors into the problems of the contract, in words for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pipeline.display import quoted
from pipeline.problems import KEY_RULE, Path, Problem
from pipeline.schema import SHAPES, Classification, GitResult, Plan, Step, WorkerResult

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_Words = tuple[str, str, str]  # a problem's rule, message and what was expected

FIELDS, COUNT, CHOICE = "fields", "count", "choice"

_RECORDS = [
    record.__annotations__ for record in (Plan, Step, WorkerResult, GitResult, Classification)
]

_TYPES = {
    "string_type": "a string",
    "int_type": "a whole number",
    "float_type": "a number",
    "list_type": "an array",
    "dict_type": "an object",
}


def problem_of(error: Mapping[str, Any]) -> Problem:
    """Return the problem that one entry of `ValidationError.errors()` tells of."""
    path: Path = tuple(error["loc"])
    kind, found = error["type"], error["input"]
    if kind == "missing":
        return missing_field(path, found)
    if kind in _TYPES:
        return Problem(FIELDS, path, "wrong type", _TYPES[kind], quoted(found))
    rule, message, expected = _CONSTRAINTS.get(kind, _unknown)(error)
    if rule == KEY_RULE:
        path = path[:-1]  # pydantic ends the path of a mapping's key with "[key]"
    return Problem(rule, path, message, expected, quoted(found))


def _shape(error: Mapping[str, Any]) -> _Words:
    shape = SHAPES[error["ctx"]["pattern"]]
    return shape.rule, "wrong form", shape.expected


def _choice(error: Mapping[str, Any]) -> _Words:
    return CHOICE, "not one of the values allowed", error["ctx"]["expected"].replace("'", '"')


def _unknown(error: Mapping[str, Any]) -> _Words:
    return FIELDS, error["msg"], ""


_CONSTRAINTS: dict[str, Callable[[Mapping[str, Any]], _Words]] = {
    "string_pattern_mismatch": _shape,
    "literal_error": _choice,
    "greater_than_equal": lambda e: (FIELDS, "too small", f"{e['ctx']['ge']} or more"),
    "too_short": lambda e: (COUNT, "too few elements", f"at least {e['ctx']['min_length']}"),
}


def missing_field(path: Path, holder: object) -> Problem:
    """Return the problem of a required field that its object lacks, with a name that is near."""
    return Problem(FIELDS, path, "this field is missing", "", _near(str(path[-1]), holder))


def _near(name: str, holder: object) -> str:
    from difflib import get_close_matches  # only where a field is missing

    known = {field for fields in _RECORDS if name in fields for field in fields}
    fields = holder if isinstance(holder, dict) else ()
    keys = [key for key in fields if key not in known and len(key) <= 2 * len(name)]
    same = [key for key in keys if key.replace("-", "_").lower() == name]
    near = same or get_close_matches(name, keys[:100], n=1)
    return f"a field named {quoted(near[0])}" if near else ""
