"""Texts of a gradebook are read back as they were written, and nothing else is taken for one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from verify.gradebook import stored
from verify.gradebook.stored import (
    NotOurs,
    checks_of,
    document,
    ids_of,
    options_of,
    questions_of,
)
from verify.gradebook.values import CheckInfo

if TYPE_CHECKING:
    from collections.abc import Callable

ODD = 'a"], ["read", "b\\", "\u2028é\ud800\x00'  # as a hostile artifact may name a file


@pytest.mark.parametrize(
    "asked",
    [
        (),
        (("read", "a.json"),),
        (("read", ".pipeline/ISSUE-7/plan.json"), ("is_file", ""), ("names", "src")),
        (("is_file", ODD), ("read", ODD), ("is_file", "], [")),
    ],
)
def test_questions_are_read_as_they_were_written(asked: tuple[tuple[str, str], ...]) -> None:
    assert questions_of(json.dumps(asked)) == asked


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("", "is no list of questions"),
        ("nope", "is no list of questions"),
        ("[[]]", "is no list of questions"),
        ('{"read": "a"}', "is no list of questions"),
        ('[["read", "a"], 7, ["read", "b"]]', "is no list of questions"),
        ('[["read", "a", "b"]]', "is no list of questions"),
        ('[["read", "\\q"]]', "is no list of questions"),
        ('[["read"]]', "asks what no grading asks"),
        ('[["close", "a"]]', "asks what no grading asks"),
        ('[["__class__", "a"]]', "asks what no grading asks"),
    ],
)
def test_what_asks_nothing_of_a_submission_is_not_obeyed(text: str, wrong: str) -> None:
    with pytest.raises(NotOurs) as raised:
        questions_of(text)

    assert str(raised.value) == wrong


def test_more_than_any_grading_asks_is_refused_before_it_is_parsed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(stored, "MOST_ASKED", 3)
    monkeypatch.setattr(stored, "MAX_QUESTIONS", 100)
    three = json.dumps([("read", "a")] * 3)
    told = []
    for text in (json.dumps([("read", "a")] * 4), json.dumps([("read", "a" * 90)])):
        with pytest.raises(NotOurs) as raised:
            questions_of(text)
        told.append(str(raised.value))

    assert len(questions_of(three)) == 3
    assert told == ["asks more than any grading does"] * 2


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("{", "is no JSON"),
        ("[" * 100_000, "is no JSON"),
        (" " * (stored.MAX_DOCUMENT + 1), "has more than 4,194,304 characters"),
    ],
)
def test_a_text_that_is_no_document_is_refused(text: str, wrong: str) -> None:
    with pytest.raises(NotOurs) as raised:
        document(text)

    assert str(raised.value) == wrong


def test_options_are_read_with_what_is_unknown_of_them() -> None:
    options = {"exercises": ["expert/04"], "target": ".", "issue": "ISSUE-7", "later": [1]}

    assert options_of(json.dumps(options)) == options
    assert options_of('{"target": "sandbox/app", "issue": null}') == {
        "target": "sandbox/app",
        "issue": None,
    }


@pytest.mark.parametrize(
    ("options", "wrong"),
    [
        ([], "is no JSON object"),
        ({"course": 5}, 'has an option "course" of the wrong type'),
        ({"exercises": "expert/04"}, 'has an option "exercises" of the wrong type'),
        ({"strict": "no"}, 'has an option "strict" of the wrong type'),
        ({"issue": "../../secret"}, "has an issue that is no issue's id"),
        ({"target": "../.."}, "has a target that is not within a submission"),
        ({"target": "/etc"}, "has a target that is not within a submission"),
    ],
)
def test_options_that_no_run_had_are_refused(options: Any, wrong: str) -> None:
    with pytest.raises(NotOurs) as raised:
        options_of(json.dumps(options))

    assert str(raised.value) == wrong


CHECK = {"code": "E04.1", "title": "Steps", "points": 2, "advisory": False, "page": "e.md#e04-1"}


def test_checks_and_ids_are_read() -> None:
    assert checks_of(json.dumps([CHECK])) == (
        CheckInfo("E04.1", "Steps", 2, advisory=False, page="e.md#e04-1"),
    )
    assert ids_of('{"SIS ID": "7"}') == {"SIS ID": "7"}


@pytest.mark.parametrize(
    "value",
    [
        {},
        [],
        [7],
        [{}],
        [{**CHECK, "points": "2"}],
        [{**CHECK, "points": True}],
        [{**CHECK, "points": -1}],
        [{**CHECK, "points": 10**30}],
        [{**CHECK, "colour": "red"}],
    ],
)
def test_what_is_no_list_of_checks_is_refused(value: Any) -> None:
    with pytest.raises(NotOurs, match="is no list of checks"):
        checks_of(json.dumps(value))


@pytest.mark.parametrize("value", [[], 7, {"a": 1}, {"a": None}, {"a": ["b"]}])
def test_what_is_no_object_of_texts_is_refused(value: Any) -> None:
    read: Callable[[str], Any] = ids_of
    with pytest.raises(NotOurs, match="is no JSON object of texts"):
        read(json.dumps(value))
