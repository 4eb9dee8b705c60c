"""An own artifact is read strictly, checked by its schema, and located; a schema is, too."""

from __future__ import annotations

import json
import socket
from typing import TYPE_CHECKING, Any

import pytest

from verify.course.checks.validity import follows_schema, is_json, is_there
from verify.course.own_course.artifacts import WrongArtifact, own_artifact, own_kind
from verify.course.own_course.loading import CourseFault
from verify.grading.model import PASSED, Finding

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from verify.course.own_course.artifacts import OwnKind
    from verify.grading.artifacts import Context
    from verify.grading.model import Exercise

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
        Finding("this does not match its schema", 'type "string"', "7", FILE, "$.text", 2, 11),
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
    "properties": {
        "a": {"type": "array", "items": {"type": ["object", "string"]}},
        "b": {"type": "string", "description": "nothing but a"},
        "c": {"enum": ["x", 1]},
        "d": False,
    },
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a": [], "b": "aa", "c": 1}', []),
        (
            '{"a": [1], "z": 1, "c": 2}',
            [
                (
                    "1:8: $.a[0]: this does not match its schema "
                    '(expected type ["object", "string"], found 1)'
                ),
                "1:17: $.z: this field is not allowed here",
                '1:25: $.c: this does not match its schema (expected enum ["x", 1], found 2)',
                "1:26: $.b: this field is missing (expected nothing but a)",
            ],
        ),
        ('{"a": [], "b": "aa", "d": 3}', ["1:1: nothing is allowed here"]),
        (
            '{"a": [], "b": 7}',
            ["1:16: $.b: this does not match its schema (expected nothing but a, found 7)"],
        ),
        (
            '{"a": 1, "a": 2}',
            [
                (
                    "1:10: duplicate key in this object"
                    ' (expected each key only once, found "a"). To do: Decide which of the two is'
                    " right, and remove the other one."
                )
            ],
        ),
    ],
)
def test_each_problem_has_its_place(
    kind: Callable[[Any], OwnKind], text: str, expected: list[str]
) -> None:
    assert lines(kind(SCHEMA), text) == [f"note.json:{line}" for line in expected]


def test_the_first_example_of_a_schema_is_shown_and_must_not_break_it(
    kind: Callable[[Any], OwnKind],
) -> None:
    assert kind({"examples": [{"text": "Größe"}]}).example == '{\n  "text": "Größe"\n}'
    with pytest.raises(
        CourseFault,
        match=r"its example does not match the schema: examples: this does not match its schema",
    ):
        kind({"type": "object", "examples": ["text"]})


def test_an_artifact_that_is_nested_too_deep_for_its_schema_is_a_problem(
    kind: Callable[[Any], OwnKind],
) -> None:
    nested = kind({"items": {"$ref": "#"}})

    assert lines(kind({"$ref": "#"}), "{}") == [
        "note.json:1:1: this is nested too deeply for its schema"
    ]
    assert lines(nested, "[[]]") == []


def test_very_many_problems_are_cut(kind: Callable[[Any], OwnKind]) -> None:
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
        (
            'note.json:1:21: $[1]: this does not match its schema (expected format "email", '
            'found "ada")'
        )
    ]


@pytest.mark.parametrize(
    ("schema", "fault"),
    [
        ("{", ":1:2: the document is cut off (expected the rest of it, "),
        ("[]", ": the schema of an artifact must be an object"),
        (
            '{"type": "strnig"}',
            ':1:10: $.type: this does not match its schema (expected enum ["array", ',
        ),
        (
            '{"pattern": "("}',
            ':1:13: $.pattern: this does not match its schema (expected format "regex"',
        ),
        (
            '{"enum": [{"$ref": "#/x"}], "not": {"anyOf": [{"$ref": "#/$defs/a"}]}}',
            ':1:56: $.not.anyOf[0]["$ref"]: this is not in the file (expected a place such as ',
        ),
        (
            '{"$ref": "https://example.org/a.json"}',
            ':1:10: $["$ref"]: this is not in the file (expected a place such as ',
        ),
    ],
)
def test_what_is_wrong_with_a_schema_is_one_line_with_its_place(
    tmp_path: Path, schema: str, fault: str
) -> None:
    file = tmp_path / "note.schema.json"
    file.write_text(schema, encoding="utf-8")
    with pytest.raises(CourseFault) as refusal:
        own_kind(str(file))

    message = str(refusal.value).removeprefix(str(file))
    assert message.startswith(fault)
    assert "\n" not in message
