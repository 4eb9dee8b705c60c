"""A schema that could not be checked, or not in bounds, is refused when the course is loaded."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from verify.own_course.faults import CourseFault
from verify.own_course.schemas import Described, read_schema

if TYPE_CHECKING:
    from pathlib import Path

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def read(folder: Path, schema: Any) -> Described:
    file = folder / "note.schema.json"
    file.write_text(schema if isinstance(schema, str) else json.dumps(schema), encoding="utf-8")
    return read_schema(str(file))


@pytest.mark.parametrize(
    ("schema", "told"),
    [
        ("{", ":1:2: the document ends too early (expected }, "),
        ([], ":1:1: a schema of an artifact is an object (found an array of 0 elements)"),
        ({"$schema": "x:y"}, f':1:13: $["$schema"]: another dialect (expected {DIALECT}'),
        ({"type": "strnig"}, ":1:10: $.type: not one of the values allowed (expected "),
        (
            {"items": {"requierd": ["a"]}},
            ':1:24: $.items.requierd: "requierd" is not checked here (expected required)',
        ),
        (
            {"allOf": [{"unevaluatedProperties": False}]},
            ':1:38: $.allOf[0].unevaluatedProperties: "unevaluatedProperties" is not checked here',
        ),
        (
            {"format": "uri"},
            ":1:12: $.format: not checked here (expected one of date, email, ipv4, ipv6, uuid, or",
        ),
        (
            {"properties": {"a": {"$schema": "x:y"}}},
            ':1:34: $.properties.a["$schema"]: this stands at the top of a schema only',
        ),
        (
            {"$ref": "https://example.org/other.json"},
            ':1:10: $["$ref"]: this refers to no schema of this file (expected such as #/$defs/',
        ),
        ({"$ref": "#/$defs/gone"}, ':1:10: $["$ref"]: this refers to no schema of this file '),
        (
            {"pattern": "a{99999999}"},
            ":1:13: $.pattern: this pattern cannot be matched in linear time (expected no look-",
        ),
        (
            {"pattern": "(?=a)"},
            ":1:13: $.pattern: this pattern cannot be matched in linear time (expected no look-",
        ),
        (
            {"patternProperties": {"(a)\\1": {}}},
            ':1:34: $.patternProperties["(a)\\\\1"]: this pattern cannot be matched in linear time',
        ),
    ],
)
def test_what_is_wrong_is_told_with_its_place(tmp_path: Path, schema: Any, told: str) -> None:
    with pytest.raises(CourseFault) as refusal:
        read(tmp_path, schema)

    message = str(refusal.value).removeprefix(str(tmp_path / "note.schema.json"))
    assert message.startswith(told)
    assert "\n" not in message


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#/$defs/a~1b%20c", "$defs": {"a/b c": {"type": "string"}}},
        {"properties": {"$ref": {"type": "string"}, "format": {"$ref": "#"}}},
        {"const": {"$ref": "https://example.org"}, "enum": [{"pattern": "("}]},
        {"x-note": {"pattern": "("}, "$comment": "mine", "title": "A note"},
        {"pattern": "^\\p{L}+$"},
        {"prefixItems": [{"not": {"type": "string"}}, {"$ref": "#/prefixItems/0/not"}, False]},
    ],
)
def test_what_only_looks_like_a_fault_is_accepted(tmp_path: Path, schema: Any) -> None:
    assert read(tmp_path, schema) == Described(schema, None)


def test_what_only_says_which_dialect_it_is_is_left_out(tmp_path: Path) -> None:
    schema = {"$schema": DIALECT, "$id": "https://example.org/note", "examples": ["first", "2"]}

    assert read(tmp_path, schema) == Described({"examples": ["first", "2"]}, "first")
