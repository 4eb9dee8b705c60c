"""Turns what a JSON Schema has against an artifact into problems, in words for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pipeline.protocol.problems import Problem
from pipeline.terminal.display import listed, quoted, visible

if TYPE_CHECKING:
    from collections.abc import Callable

    from jsonschema import ValidationError
    from jsonschema.exceptions import SchemaError

_SHOWN = 200  # characters of a description or a pattern
_TYPES = {
    "string": "a string",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "an array",
    "object": "an object",
    "null": "null",
}
NOTHING = "nothing"  # the rule of what no schema allows


def problem_of(error: ValidationError | SchemaError) -> Problem:
    """Return the problem that one error of the validator tells of; its rule is the keyword."""
    keyword = error.validator if isinstance(error.validator, str) else NOTHING
    message, expected = _WORDS.get(keyword, _unknown)(error)
    path = tuple(error.absolute_path)
    return Problem(keyword, path, message, expected, _found(keyword, error.instance))


def _found(keyword: str, instance: Any) -> str:
    if keyword in ("required", "dependentRequired", "additionalProperties", "uniqueItems"):
        return ""
    if keyword in ("minLength", "maxLength"):
        return f"{len(instance)} character{'s' * (len(instance) != 1)}"
    return quoted(instance)


def _described(error: ValidationError | SchemaError, otherwise: str = "") -> str:
    schema: Any = error.schema
    said = schema.get("description") if isinstance(schema, dict) else None
    return visible(said, _SHOWN) if isinstance(said, str) else otherwise


def _type(error: ValidationError | SchemaError) -> tuple[str, str]:
    wanted: Any = error.validator_value
    types: list[Any] = wanted if isinstance(wanted, list) else [wanted]
    return "wrong type", " or ".join(_TYPES.get(each, str(each)) for each in types)


def _missing(error: ValidationError | SchemaError) -> tuple[str, str]:
    name = str(error.absolute_path[-1]) if error.absolute_path else ""
    schema: Any = error.schema
    field = schema.get("properties", {}).get(name, {}) if isinstance(schema, dict) else {}
    said = field.get("description") if isinstance(field, dict) else None
    return error.message, visible(said, _SHOWN) if isinstance(said, str) else ""


def _not_allowed(error: ValidationError | SchemaError) -> tuple[str, str]:
    schema: Any = error.schema
    known = schema.get("properties", {}) if isinstance(schema, dict) else {}
    return error.message, f"only {listed(known, limit=20)}" if known else "no field"


def _choice(error: ValidationError | SchemaError) -> tuple[str, str]:
    values: Any = error.validator_value
    return "not one of the values allowed", ", ".join(map(quoted, values[:20]))


def _pattern(error: ValidationError | SchemaError) -> tuple[str, str]:
    pattern = visible(str(error.validator_value), _SHOWN)
    return "wrong form", _described(error, f"text that matches {pattern}")


def _bound(message: str, expected: str) -> Callable[..., tuple[str, str]]:
    return lambda error: (message, expected.format(quoted(error.validator_value)))


def _form(message: str) -> Callable[..., tuple[str, str]]:
    return lambda error: (message, _described(error))


def _unknown(error: ValidationError | SchemaError) -> tuple[str, str]:
    return "not what its schema allows", _described(error)


_WORDS: dict[str, Callable[..., tuple[str, str]]] = {
    "type": _type,
    "required": _missing,
    "dependentRequired": _missing,
    "additionalProperties": _not_allowed,
    "uniqueItems": lambda error: (error.message, "each element once"),
    "enum": _choice,
    "const": _bound("not the value expected", "{}"),
    "pattern": _pattern,
    "format": lambda error: ("wrong form", _described(error, f"format {error.validator_value}")),
    "minLength": _bound("text too short", "at least {} characters"),
    "maxLength": _bound("text too long", "at most {} characters"),
    "minItems": _bound("too few elements", "at least {}"),
    "maxItems": _bound("too many elements", "at most {}"),
    "minProperties": _bound("too few fields", "at least {}"),
    "maxProperties": _bound("too many fields", "at most {}"),
    "minimum": _bound("too small", "{} or more"),
    "exclusiveMinimum": _bound("too small", "more than {}"),
    "maximum": _bound("too large", "{} or less"),
    "exclusiveMaximum": _bound("too large", "less than {}"),
    "multipleOf": _bound("not a multiple", "a multiple of {}"),
    "items": _form("more elements than there is a schema for"),
    "contains": _form("too few or too many elements of the kind that is asked for"),
    "anyOf": _form("fits none of the forms allowed"),
    "oneOf": _form("fits none of the forms allowed, or more than one"),
    "not": _form("has a form that is not allowed"),
    NOTHING: lambda _: ("nothing is allowed here", ""),
}
