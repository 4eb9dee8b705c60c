"""Reads the JSON Schema of an artifact and refuses what could not be checked, or not in bounds."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote

from jsonschema import Draft202012Validator, FormatChecker

from pipeline.files import MAX_BYTES, Unreadable, read_file
from pipeline.protocol.json_text import NotStrictJson, locate, parse, text_of
from pipeline.protocol.problems import Problem
from pipeline.terminal.display import named, quoted, visible
from verify.own_course.faults import fault_at, fault_of
from verify.own_course.keywords import compiled
from verify.own_course.schema_wording import problem_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pipeline.protocol.problems import Path

DIALECT = "https://json-schema.org/draft/2020-12/schema"
FORMATS = ("date", "email", "ipv4", "ipv6", "uuid")  # told without a package that may be missing

_ONE = ("additionalProperties", "contains", "else", "if", "items", "not", "propertyNames", "then")
_LIST = ("allOf", "anyOf", "oneOf", "prefixItems")
_MAP = ("$defs", "dependentSchemas", "patternProperties", "properties")
_SAID = ("$comment", "$id", "$schema", "default", "deprecated", "description", "examples")
_SAID_TOO = (
    "readOnly",
    "then",
    "else",
    "title",
    "writeOnly",
    "minContains",
    "maxContains",
    "$defs",
)
_UNCHECKED = {"$dynamicRef", "unevaluatedItems", "unevaluatedProperties"}  # costly, rarely needed
_KNOWN = {*Draft202012Validator.VALIDATORS, *_SAID, *_SAID_TOO} - _UNCHECKED
_NOTE = "x-"  # an author's own annotations begin so


class Described(NamedTuple):
    """A schema that was checked, and the first of its `examples`, None where it has none."""

    schema: dict[str, Any]
    example: Any


def read_schema(path: str) -> Described:
    """Return the schema in a file, without what only says which dialect it is of.

    Raises:
        CourseFault: it cannot be read, is not strict JSON, is no schema of Draft 2020-12, has a
            keyword or a format that is not checked, refers to another file, or has a pattern
            that cannot be matched in linear time.
    """
    try:
        data = read_file(path, MAX_BYTES)
        schema = parse(data)
    except Unreadable as error:
        raise fault_at(path, str(error)) from None
    except NotStrictJson as error:
        raise fault_of(error.problems[0], path) from None
    problems = list(_problems(schema))
    if problems:
        raise fault_of(locate(text_of(data), problems)[0], path)
    plain = {key: value for key, value in schema.items() if key not in ("$schema", "$id")}
    return Described(plain, next(iter(schema.get("examples", ())), None))


def _problems(schema: Any) -> Iterator[Problem]:
    from jsonschema.exceptions import SchemaError

    if not isinstance(schema, dict):
        yield Problem("type", (), "a schema of an artifact is an object", "", quoted(schema))
        return
    dialect = schema.get("$schema", DIALECT)
    if dialect != DIALECT:
        yield Problem("$schema", ("$schema",), "another dialect", DIALECT, quoted(dialect))
        return
    try:
        Draft202012Validator.check_schema(schema, format_checker=FormatChecker(()))
    except SchemaError as error:
        parts_of_it = error.context or ()  # of several forms, the one that says more than its type
        yield problem_of(next((each for each in parts_of_it if each.validator != "type"), error))
        return
    parts = dict(_parts(schema))
    for path, part in parts.items():
        yield from _of_keywords(part, path)
        yield from _of_reference(part, path, parts)
        yield from _of_patterns(part, path)


def _parts(schema: Any, path: Path = ()) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yield every schema within a schema with its path, itself first."""
    if not isinstance(schema, dict):
        return
    yield path, schema
    for key, value in schema.items():
        if key in _ONE:
            yield from _parts(value, (*path, key))
        elif key in _LIST:
            for index, each in enumerate(value):
                yield from _parts(each, (*path, key, index))
        elif key in _MAP:
            for name, each in value.items():
                yield from _parts(each, (*path, key, name))


def _of_keywords(part: dict[str, Any], path: Path) -> Iterator[Problem]:
    for key in part:
        if path and key in ("$id", "$schema"):
            yield Problem(key, (*path, key), "this stands at the top of a schema only")
        elif key not in _KNOWN and not key.startswith(_NOTE):
            near = difflib.get_close_matches(key, _KNOWN, n=1)
            expected = (
                near[0] if near else f"a name that begins with {_NOTE} for a note of your own"
            )
            yield Problem(key, (*path, key), f"{named(key)} is not checked here", expected)
    if part.get("format", FORMATS[0]) not in FORMATS:
        expected = f"one of {', '.join(FORMATS)}, or a pattern"
        found = quoted(part["format"])
        yield Problem("format", (*path, "format"), "not checked here", expected, found)


def _of_reference(
    part: dict[str, Any], path: Path, parts: dict[Path, dict[str, Any]]
) -> Iterator[Problem]:
    reference = part.get("$ref")
    if reference is None:
        return
    message, found = "this refers to no schema of this file", quoted(reference)
    if not reference.startswith("#") or not _leads_to(reference, parts):
        yield Problem("$ref", (*path, "$ref"), message, "such as #/$defs/name", found)


def _leads_to(reference: str, parts: dict[Path, dict[str, Any]]) -> bool:
    """Tell whether a JSON Pointer (RFC 6901) leads to one of the schemas."""
    pointer = unquote(reference[1:])
    steps = [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]
    known = {tuple(map(str, path)) for path in parts}
    return pointer[:1] in ("", "/") and tuple(steps) in known


def _of_patterns(part: dict[str, Any], path: Path) -> Iterator[Problem]:
    if "pattern" in part:
        yield from _of_pattern(part["pattern"], (*path, "pattern"))
    for each in part.get("patternProperties", ()):
        yield from _of_pattern(each, (*path, "patternProperties", each))


def _of_pattern(pattern: str, path: Path) -> Iterator[Problem]:
    try:
        compiled(pattern)
    except ValueError as error:
        why = visible(" ".join(str(error).split()), 200)
        message = "this pattern cannot be matched in linear time"
        yield Problem("pattern", path, message, "no look-around and no reference back", why)
