"""The JSON columns of a gradebook are read as they were written, any other is refused."""

from __future__ import annotations

import json
import pickle
from typing import TYPE_CHECKING, Any

import pytest

from verify.gradebook.columns import NotOurs, checks_of, ids_of, letters_of, options_of, reads_of
from verify.gradebook.records import Results
from verify.grading.model import (
    PASSED,
    CheckInfo,
    Finding,
    Outcome,
    Result,
    Verdict,
    not_checked,
)

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
    assert letters_of("pfse", 4) == "pfse"


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
        letters_of(outcomes, 2)


def test_h_results_are_sent_as_they_are_stored_and_read_as_they_were() -> None:
    infos = tuple(
        CheckInfo(f"E04.{n}", "Steps", 1, advisory=False, page="e.md#e04") for n in range(1, 5)
    )
    wrong = Verdict(Outcome.FAIL, (Finding("wrong", line=3), Finding("odd \ud800", found="\udcff")))
    results = (
        Result(infos[0], PASSED),
        Result(infos[1], wrong),
        Result(infos[2], Verdict(Outcome.SKIP), "E04.2"),
        Result(infos[3], not_checked("too large")),
    )
    sent = pickle.loads(pickle.dumps(Results.of(infos, results)))  # noqa: S301  # our own
    clean = Finding("odd \\ud800", found="\\udcff")

    assert (sent.letters, [row[:3] for row in sent.rows]) == (
        "pfsu",
        [(1, 0, "wrong"), (1, 1, "odd \\ud800"), (2, 0, ""), (3, 0, "too large")],
    )
    assert tuple(sent) == (
        results[0],
        Result(infos[1], Verdict(Outcome.FAIL, (wrong.findings[0], clean))),
        *results[2:],
    )
    assert Results.of(infos, sent) is sent
