"""What is accepted at once is what the careful validation passes; the rest is left to it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.acceptance import strictly_parsed, validated
from pipeline.schema import KINDS
from pipeline.strict_json import NotStrictJson, parse
from pipeline.validation import EXERCISE, validate

WORKER = {"status": "completed", "files_changed": ["a.py"], "blockers": [], "summary": "Done"}

ACCEPTED = [
    json.dumps(WORKER),
    json.dumps(WORKER, indent=2),
    json.dumps(WORKER, indent=2) + "\r\n",
    json.dumps(WORKER, indent="\t"),
    json.dumps(WORKER, separators=(",", ":")),
    '{"a b": 1, "ab": 2}',
    '{"a": -0.5, "b": [true, false, null], "c": "\u00e9\U0001f600"}',
    "[18446744073709551615]",
]
LEFT_TO_A_CLOSER_LOOK = [
    '{"a": 1, "a": 1}',
    '{"a": 1, "a": 2}',
    '{"a": {"b": 1, "b": 1}}',
    '{"a":1,"b":2,"a":1}',
    "[NaN]",
    "[Infinity]",
    "[1e400]",
    "[1.50]",
    "[18446744073709551616]",
    "[1" + "0" * 5_000 + "]",
    '["\\ud800"]',
    '["\\u0041"]',
    '["\\/"]',
    "\ufeff[]",
    "[1,]",
    "[1] 2",
    "",
    "\x0b[]",
    "[" * 65 + "]" * 65,
    "[" + ",".join(["[]"] * 20_001) + "]",
    '["' + "x" * (1 << 16) + '"]',
    "null",  # nothing to accept: what stands for a closer look is None too
]


@pytest.mark.parametrize("text", ACCEPTED)
def test_an_ordinary_document_is_parsed_as_the_strict_parser_does(text: str) -> None:
    assert strictly_parsed(text.encode()) == parse(text.encode())


@pytest.mark.parametrize("text", LEFT_TO_A_CLOSER_LOOK, ids=lambda text: ascii(text[:20]))
def test_what_may_be_read_in_two_ways_is_left_to_a_closer_look(text: str) -> None:
    assert strictly_parsed(text.encode()) is None


@pytest.mark.parametrize("data", ["[1]".encode("utf-16"), b'["\xff"]', b'["\xed\xa0\x80"]'])
def test_what_is_not_utf_8_is_left_to_a_closer_look(data: bytes) -> None:
    assert strictly_parsed(data) is None


json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)


@given(json_values, st.sampled_from([None, 1, 2, "\t"]))
def test_a_written_value_is_never_parsed_otherwise(value: Any, indent: int | str | None) -> None:
    data = json.dumps(value, indent=indent, ensure_ascii=False).encode("utf-8", "surrogatepass")
    parsed = strictly_parsed(data)

    assert parsed is None or repr(parsed) == repr(parse(data))


@given(st.text(alphabet='{}[]",:ab 01.eE-\\u\n', max_size=24))
def test_nothing_is_accepted_that_the_strict_parser_refuses(text: str) -> None:
    parsed = strictly_parsed(text.encode())
    try:
        strict = parse(text.encode())
    except NotStrictJson:
        strict = None

    assert parsed is None or repr(parsed) == repr(strict)


@pytest.mark.parametrize(
    "document",
    [
        WORKER,
        {**WORKER, "produced_by": "x-worker"},
        {**WORKER, "blockers": ["wait"]},
        {**WORKER, "status": " "},
        {},
        [],
        7,
        None,
    ],
)
def test_the_validation_is_that_of_the_careful_one(document: Any) -> None:
    data, kind = json.dumps(document).encode(), KINDS["worker-result"]

    assert validated(data, kind, EXERCISE) == validate(data, kind, EXERCISE)
