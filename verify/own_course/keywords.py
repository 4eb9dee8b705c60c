"""The keywords of JSON Schema that are carried out otherwise here: bounded, and with exact places.

The library's own match patterns by backtracking, compare the elements of an array pairwise, and
name what is missing in their message only.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from jsonschema import Draft202012Validator, ValidationError
from jsonschema.validators import extend
from pydantic_core import SchemaError, SchemaValidator

from pipeline.terminal.display import named

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verify.own_course.effort import Effort


def validator_class(effort: Effort) -> Any:
    """Return a class of validators of Draft 2020-12 whose keywords count their work."""
    keywords = {**Draft202012Validator.VALIDATORS, **_OWN}
    return extend(  # type: ignore[no-untyped-call]  # its stub leaves the arguments open
        Draft202012Validator,
        validators={name: effort.counted(keyword) for name, keyword in keywords.items()},
    )


@lru_cache(maxsize=256)
def compiled(pattern: str) -> SchemaValidator:
    """Return what tells whether a text has a match of a pattern, in time linear in the text.

    Raises:
        ValueError: the pattern is malformed, or needs what no such matcher can do: to look around,
            or to refer back.
    """
    try:
        return SchemaValidator(
            {"type": "str", "pattern": pattern, "regex_engine": "rust-regex", "strict": True}
        )
    except SchemaError as error:
        raise ValueError(str(error).partition("SchemaError: ")[2] or str(error)) from None


def _matches(pattern: str, text: str) -> bool:
    return compiled(pattern).isinstance_python(text)


def _pattern(validator: Any, pattern: str, instance: Any, _: Any) -> Iterator[ValidationError]:
    if validator.is_type(instance, "string") and not _matches(pattern, instance):
        yield ValidationError("wrong form")


def _below(validator: Any, value: Any, schema: Any, key: str) -> Iterator[ValidationError]:
    """Yield what a schema has against the value of a key."""
    if schema is False:  # the library tells of it without the key
        yield ValidationError("", validator=None, path=(key,), instance=value)  # type: ignore[arg-type]  # as it says for false
    else:
        yield from validator.descend(value, schema, path=key)


def _properties(
    validator: Any, schemas: dict[str, Any], instance: Any, _: Any
) -> Iterator[ValidationError]:
    if validator.is_type(instance, "object"):
        for key, schema in schemas.items():
            if key in instance:
                yield from _below(validator, instance[key], schema, key)


def _pattern_properties(
    validator: Any, schemas: dict[str, Any], instance: Any, _: Any
) -> Iterator[ValidationError]:
    if not validator.is_type(instance, "object"):
        return
    for pattern, schema in schemas.items():
        for key, value in instance.items():
            if _matches(pattern, key):
                yield from _below(validator, value, schema, key)


def _additional_properties(
    validator: Any, allowed: Any, instance: Any, schema: Any
) -> Iterator[ValidationError]:
    if not validator.is_type(instance, "object"):
        return
    known, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
    for key, value in instance.items():
        if key in known or any(_matches(pattern, key) for pattern in patterns):
            continue
        if allowed is False:
            yield ValidationError("this field is not allowed here", path=(key,))
        else:
            yield from _below(validator, value, allowed, key)


def _property_names(
    validator: Any, schema: Any, instance: Any, _: Any
) -> Iterator[ValidationError]:
    if validator.is_type(instance, "object"):
        for key in instance:
            yield from _below(validator, key, schema, key)


def _required(validator: Any, names: list[str], instance: Any, _: Any) -> Iterator[ValidationError]:
    if validator.is_type(instance, "object"):
        for name in names:
            if name not in instance:
                yield ValidationError("this field is missing", path=(name,))


def _dependent_required(
    validator: Any, names: dict[str, list[str]], instance: Any, _: Any
) -> Iterator[ValidationError]:
    if not validator.is_type(instance, "object"):
        return
    for name, wanted in names.items():
        for other in wanted:
            if name in instance and other not in instance:
                message = f"this field is missing beside {named(name)}"
                yield ValidationError(message, path=(other,))


def _unique_items(
    validator: Any, unique: object, instance: Any, _: Any
) -> Iterator[ValidationError]:
    if not unique or not validator.is_type(instance, "array"):
        return
    seen = set()
    for index, value in enumerate(instance):
        key = _comparable(value)
        if key in seen:
            yield ValidationError("this element stands in the array before", path=(index,))
        seen.add(key)


def _comparable(value: Any) -> Any:
    """Return what is equal for equal JSON values: 1 and 1.0 are, 1 and true are not."""
    if isinstance(value, dict):
        return "object", frozenset((key, _comparable(each)) for key, each in value.items())
    if isinstance(value, list):
        return "array", tuple(map(_comparable, value))
    return isinstance(value, bool), value


_OWN = {
    "pattern": _pattern,
    "properties": _properties,
    "patternProperties": _pattern_properties,
    "additionalProperties": _additional_properties,
    "propertyNames": _property_names,
    "required": _required,
    "dependentRequired": _dependent_required,
    "uniqueItems": _unique_items,
}
