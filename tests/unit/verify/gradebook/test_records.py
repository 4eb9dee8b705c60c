"""The JSON columns of a gradebook are read as they were written, any other is refused."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from verify.gradebook.records import NotOurs, checks_of, ids_of, options_of, outcomes_of, reads_of
from verify.grading.model import CheckInfo, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable

ODD = 'a"], ["read", "b\\", "\u2028é\ud800\x00'  # as a hostile artifact may name a file
CHECK = {"code": "E04.1", "title": "Steps", "points": 2, "advisory": False, "page": "e.md#e04-1"}


def test_texts_are_read_as_they_were_written() -> None:
    asked = (("read", "a.json"), ("is_file", ODD), ("names", ""), ("history", ""))
    options = {"exercises": ["expert/04"], "target": ".", "issue": "ISSUE-7", "later": [1]}

    assert reads_of(json.dumps(asked)) == asked
    assert reads_of("[]") == ()
    assert options_of(json.dumps(options)) == options
    assert options_of('{"target": "sandbox/app"}') == {"target": "sandbox/app"}
    assert checks_of(json.dumps([CHECK])) == (
        CheckInfo("E04.1", "Steps", 2, advisory=False, page="e.md#e04-1"),
    )
    assert ids_of('{"SIS ID": "7"}') == {"SIS ID": "7"}
    assert outcomes_of("pfse", 4) == (Outcome.PASS, Outcome.FAIL, Outcome.SKIP, Outcome.ERROR)


@pytest.mark.parametrize(
    ("read", "value", "wrong"),
    [
        (reads_of, {"read": "a"}, "is not a list of reads"),
        (reads_of, [["read", "a"], 7], "is not a list of reads"),
        (reads_of, [["read", "a", "b"]], "is not a list of reads"),
        (reads_of, [["read", 7]], "is not a list of reads"),
        (reads_of, [["__class__", "a"]], "is not a list of reads"),
        (options_of, [], "is not the options of a run"),
        (options_of, {"strict": "no"}, "is not the options of a run"),
        (options_of, {"course": 7}, "is not the options of a run"),
        (options_of, {"issue": "../../secret"}, "is not the options of a run"),
        (options_of, {"target": "../.."}, "is not the options of a run"),
        (options_of, {"target": 7}, "is not the options of a run"),
        (checks_of, [7], "is not a list of checks"),
        (checks_of, [{**CHECK, "colour": "red"}], "is not a list of checks"),
        (ids_of, [], "is not a JSON object"),
    ],
)
def test_what_no_grading_writes_is_refused(
    read: Callable[[str], Any], value: Any, wrong: str
) -> None:
    with pytest.raises(NotOurs) as raised:
        read(json.dumps(value))

    assert str(raised.value) == wrong


@pytest.mark.parametrize("text", ["{", "[" * 100_000])
def test_a_text_that_is_not_json_is_refused(text: str) -> None:
    with pytest.raises(NotOurs, match="is not a JSON object"):
        ids_of(text)


@pytest.mark.parametrize("outcomes", ["p", "ppp", "pz"])
def test_outcomes_are_one_letter_of_ours_for_each_check(outcomes: str) -> None:
    with pytest.raises(NotOurs, match="is not a list of outcomes"):
        outcomes_of(outcomes, 2)
