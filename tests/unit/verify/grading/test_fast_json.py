"""A cohort's artifacts are parsed as a learner's own are, with orjson and without."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.protocol import json_text
from pipeline.protocol.json_text import NotStrictJson
from verify.grading import fast_json
from verify.grading.fast_json import canonical, parse

WORKER = {"status": "completed", "files_changed": ["a.py"], "blockers": [], "summary": "Done"}
AT_ONCE = [
    json.dumps(WORKER),
    json.dumps(WORKER, indent=2) + "\r\n",
    json.dumps(WORKER, indent="\t"),
    json.dumps(WORKER, separators=(",", ":")),
    '{"a b": -0.5, "ab": [true, false, null], "c": "\u00e9\U0001f600"}',
    "[18446744073709551615]",
]
CAREFULLY = [
    *('{"a": 1, "a": 1}', '{"a": {"b": 1, "b": 1}}', '{"a":1,"b":2,"a":1}'),
    *("[NaN]", "[Infinity]", "[1e400]", "[1.50]", "[18446744073709551616]"),
    *('["\\ud800"]', '["\\u0041"]', '["\\/"]', "\ufeff[]", "[1,]", "[1] 2", "", "\x0b[]"),
    "[1" + "0" * 5_000 + "]",
    "[" * 65 + "]" * 65,
    "[" + ",".join(["[]"] * 20_001) + "]",
]


def careful(data: bytes) -> Any:
    raise NotImplementedError


@pytest.mark.parametrize("text", AT_ONCE)
def test_an_ordinary_document_is_parsed_at_once(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fast_json, "parse_carefully", careful)

    assert parse(text.encode()) == json_text.parse(text.encode())


def test_what_may_be_read_in_two_ways_is_parsed_carefully(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fast_json, "parse_carefully", careful)
    documents = [text.encode() for text in CAREFULLY]

    for data in [*documents, "[1]".encode("utf-16"), b'["\xff"]', b'["\xed\xa0\x80"]']:
        with pytest.raises(NotImplementedError):
            parse(data)


def test_without_orjson_the_values_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    quickly = [(parse(text.encode()), canonical(json.loads(text))) for text in AT_ONCE]
    monkeypatch.setattr(fast_json, "_HAS_ORJSON", False)

    assert [(parse(t.encode()), canonical(json.loads(t))) for t in AT_ONCE] == quickly


@pytest.mark.parametrize("value", ["\ud800", 1 << 64, {"b": 10**400, "a": ["\udfff"]}])
def test_what_orjson_does_not_write_is_written_all_the_same(value: Any) -> None:
    compact = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)

    assert canonical(value) == compact.encode("utf-8", "surrogatepass")


json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)
WRITTEN = st.builds(
    partial(json.dumps, ensure_ascii=False), json_values, indent=st.sampled_from([None, 2, "\t"])
)


@given(WRITTEN | st.text(alphabet='{}[]",:ab 01.eE-\\u\n', max_size=24))
def test_nothing_is_parsed_otherwise_than_by_the_careful_parser(text: str) -> None:
    data = text.encode("utf-8", "surrogatepass")

    assert answer_of(parse, data) == answer_of(json_text.parse, data)


def answer_of(parser: Any, data: bytes) -> str:
    try:
        return repr(parser(data))
    except NotStrictJson as error:
        return repr(error.problems)
