"""An own artifact is read strictly, checked by its schema, and located; a schema is, too."""

from __future__ import annotations

import json
import socket
from typing import TYPE_CHECKING, Any

import pytest

from verify.checks.validity import follows_schema, is_json, is_there
from verify.model import PASSED, Finding
from verify.own_course.artifacts import WrongArtifact, own_artifact, own_kind
from verify.own_course.faults import CourseFault
from verify.own_course.schemas import Described, read_schema

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from verify.artifacts import Context
    from verify.model import Exercise
    from verify.own_course.artifacts import OwnKind

FILE = ".pipeline/ISSUE-7/note.json"


@pytest.fixture
def kind(tmp_path: Path) -> Callable[[Any], OwnKind]:
    def build(schema: Any) -> OwnKind:
        file = tmp_path / "artifacts" / "note.schema.json"
        file.parent.mkdir(exist_ok=True)
        file.write_text(json.dumps(schema, indent=2), encoding="utf-8")
        own_kind.cache_clear()
        return own_kind(str(file))

    return build


def lines(kind: OwnKind, text: str) -> list[str]:
    return [problem.line_for("note.json") for problem in kind.validate(text.encode()).problems]


def test_the_checks_of_the_course_work_on_an_own_artifact(
    kind: Callable[[Any], OwnKind], tmp_path: Path, context_on: Callable[..., Context]
) -> None:
    kind({"required": ["text"], "properties": {"text": {"type": "string"}}})
    source = own_artifact("note.json", beside=str(tmp_path / "exercises" / "week-1" / "ex.py"))

    right = context_on({FILE: {"text": "Done"}})
    wrong = context_on({FILE: '{\n  "text": 7\n}'})
    nearly = context_on({FILE: "{'text': 7}"})
    elsewhere = context_on({"note.json": {"text": "Done"}})

    checks = (is_there(source), is_json(source), follows_schema(source))
    assert [check(right) for check in checks] == [PASSED] * 3
    assert follows_schema(source)(wrong).findings == (
        Finding("wrong type", "a string", "7", FILE, "$.text", 2, 11),
    )
    assert [(f.line, f.column) for f in is_json(source)(nearly).findings] == [(1, 2)]
    assert [f.action for f in is_there(source)(elsewhere).findings] == [
        f"Move note.json to {FILE}."
    ]


def test_an_artifact_may_have_a_place_of_its_own(
    kind: Callable[[Any], OwnKind], tmp_path: Path, toy_exercise: Callable[..., Exercise]
) -> None:
    kind({"type": "object"})
    beside = str(tmp_path / "ex.py")

    placed = own_artifact("note.json", beside=beside, path="notes/today.json")
    of_another = own_artifact("note.json", beside=beside, issue="ISSUE-8")

    assert placed.located(toy_exercise()) == "notes/today.json"
    assert of_another.located(toy_exercise()) == ".pipeline/ISSUE-8/note.json"


def test_an_artifact_that_a_course_cannot_have_is_refused(tmp_path: Path) -> None:
    for name in ("plan.json", "Note.json", "../note.json", "note.txt", "x.json"):
        with pytest.raises(WrongArtifact):
            own_artifact(name, beside=str(tmp_path / "ex.py"))


SCHEMA = {
    "type": "object",
    "required": ["a", "b"],
    "additionalProperties": False,
    "dependentRequired": {"c": ["d"]},
    "properties": {
        "a": {"type": "array", "uniqueItems": True, "items": {"type": ["object", "string"]}},
        "b": {"type": "string", "pattern": "^(a+)+$", "description": "nothing but a"},
        "c": {"enum": ["x", 1]},
        "d": {"type": "string", "format": "date"},
    },
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a": [], "b": "aa", "c": 1, "d": "2026-02-28"}', []),
        (
            '{"a": [1], "z": 1, "c": 2}',
            [
                "note.json:1:8: $.a[0]: wrong type (expected an object or a string, found 1)",
                'note.json:1:17: $.z: this field is not allowed here (expected only "a", "b", ',
                'note.json:1:25: $.c: not one of the values allowed (expected "x", 1, found 2)',
                "note.json:1:26: $.b: this field is missing (expected nothing but a)",
                'note.json:1:26: $.d: this field is missing beside "c"',
            ],
        ),
        ('{"a": 1, "a": 2}', ["note.json:1:10: this object has the key twice"]),
        ("NaN", ["note.json:1:1: JSON has no such number"]),
    ],
)
def test_each_problem_is_told_where_it_stands(
    kind: Callable[[Any], OwnKind], text: str, expected: list[str]
) -> None:
    told = lines(kind(SCHEMA), text)

    assert len(told) == len(expected)
    assert all(line.startswith(start) for line, start in zip(told, expected, strict=True)), told


def test_the_first_example_of_a_schema_is_shown_and_must_not_break_it(
    kind: Callable[[Any], OwnKind],
) -> None:
    assert kind({"examples": [{"text": "Größe"}]}).example == '{\n  "text": "Größe"\n}'
    with pytest.raises(CourseFault, match=r"its example breaks it: examples: wrong type"):
        kind({"type": "object", "examples": ["text"]})


def test_a_schema_that_refers_to_itself_without_end_is_refused(
    kind: Callable[[Any], OwnKind],
) -> None:
    around = {
        "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}},
        "$ref": "#/$defs/a",
    }
    for schema in ({"$ref": "#"}, around, {"anyOf": [{"$ref": "#"}, {"type": "string"}]}):
        with pytest.raises(CourseFault, match="refers to itself without end"):
            kind(schema)


TREE = {
    "$defs": {
        "node": {
            "anyOf": [
                {"type": "string", "minLength": 3},
                {"type": "array", "items": {"$ref": "#/$defs/node"}},
                {"type": "array", "maxItems": 5, "items": {"$ref": "#/$defs/node"}},
                {"type": "array", "maxItems": 6, "items": {"$ref": "#/$defs/node"}},
            ]
        }
    },
    "$ref": "#/$defs/node",
}


@pytest.mark.parametrize(("depth", "what"), [(60, "levels"), (12, "steps")])
def test_an_artifact_that_is_too_much_work_is_refused(
    kind: Callable[[Any], OwnKind], depth: int, what: str
) -> None:
    tree = kind(TREE)
    (told,) = lines(tree, "[" * depth + '"x"' + "]" * depth)

    assert told.startswith("note.json:1:1: this is too much to check (expected at most 100")
    assert told.endswith(f"{what} of its schema)")
    assert lines(tree, '["abc"]') == []  # the next is not charged for it


def test_a_large_artifact_is_checked_in_bounds(kind: Callable[[Any], OwnKind]) -> None:
    unique = kind({"uniqueItems": True})
    many: list[Any] = [{"k": number} for number in range(6_000)]
    runaway = json.dumps({"a": [], "b": "a" * 50_000 + "!"})

    assert lines(unique, json.dumps(many)) == []
    assert len(lines(unique, json.dumps([*many, {"k": 1}]))) == 1
    assert len(lines(kind(SCHEMA), runaway)) == 1
    assert len(lines(kind({"items": {"type": "string"}}), json.dumps([1] * 5_000))) == 1_000


def test_the_network_is_never_asked(
    kind: Callable[[Any], OwnKind], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket.socket, "connect", refused)
    monkeypatch.setattr(socket, "getaddrinfo", refused)
    checked = kind({"$id": "https://example.org/note", "items": {"format": "email"}})

    assert lines(checked, '["ada@example.org", "ada"]') == [
        'note.json:1:21: $[1]: wrong form (expected format email, found "ada")'
    ]


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
