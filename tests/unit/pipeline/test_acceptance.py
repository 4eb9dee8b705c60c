"""What is accepted at once is what the careful validation passes; the rest is left to it."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.protocol.acceptance import strictly_parsed, validated
from pipeline.protocol.json_text import NotStrictJson, parse
from pipeline.protocol.validate import EXERCISE, validate
from pipeline.schema import KINDS

WORKER = {"status": "completed", "files_changed": ["a.py"], "blockers": [], "summary": "Done"}
ACCEPTED = [
    json.dumps(WORKER),
    json.dumps(WORKER, indent=2) + "\r\n",
    json.dumps(WORKER, indent="\t"),
    json.dumps(WORKER, separators=(",", ":")),
    '{"a b": -0.5, "ab": [true, false, null], "c": "\u00e9\U0001f600"}',
    "[18446744073709551615]",
]
LEFT_TO_A_CLOSER_LOOK = [
    *('{"a": 1, "a": 1}', '{"a": {"b": 1, "b": 1}}', '{"a":1,"b":2,"a":1}'),
    *(
        "[NaN]",
        "[Infinity]",
        "[1e400]",
        "[1.50]",
        "[18446744073709551616]",
        "[1" + "0" * 5_000 + "]",
    ),
    *('["\\ud800"]', '["\\u0041"]', '["\\/"]', "\ufeff[]", "[1,]", "[1] 2", "", "\x0b[]"),
    "[" * 65 + "]" * 65,
    "[" + ",".join(["[]"] * 20_001) + "]",
    '["' + "x" * (1 << 16) + '"]',
    "null",  # nothing to accept: what stands for a closer look is None too
]


@pytest.mark.parametrize("text", ACCEPTED)
def test_an_ordinary_document_is_parsed_as_the_strict_parser_does(text: str) -> None:
    assert strictly_parsed(text.encode()) == parse(text.encode())


def test_what_may_be_read_in_two_ways_is_left_to_a_closer_look() -> None:
    documents = [text.encode() for text in LEFT_TO_A_CLOSER_LOOK]
    documents += ["[1]".encode("utf-16"), b'["\xff"]', b'["\xed\xa0\x80"]']

    assert [data[:30] for data in documents if strictly_parsed(data) is not None] == []


json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)
WRITTEN = st.builds(
    partial(json.dumps, ensure_ascii=False), json_values, indent=st.sampled_from([None, 2, "\t"])
)


@given(WRITTEN | st.text(alphabet='{}[]",:ab 01.eE-\\u\n', max_size=24))
def test_nothing_is_parsed_otherwise_than_by_the_strict_parser(text: str) -> None:
    parsed = strictly_parsed(text.encode("utf-8", "surrogatepass"))
    try:
        strict = parse(text.encode("utf-8", "surrogatepass"))
    except NotStrictJson:
        strict = None

    assert parsed is None or repr(parsed) == repr(strict)


@pytest.mark.parametrize(
    "document", [WORKER, {**WORKER, "produced_by": "x-worker", "blockers": ["wait"]}, {}, 7, None]
)
def test_the_validation_is_that_of_the_careful_one(document: Any) -> None:
    data, kind = json.dumps(document).encode(), KINDS["worker-result"]

    assert validated(data, kind, EXERCISE) == validate(data, kind, EXERCISE)
