"""A fingerprint says what an artifact says, however it is written."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pipeline.protocol.json_text import parse
from verify import fingerprint
from verify.fingerprint import digest_of

PLAN = '{"title": "Caf\u00e9", "steps": [{"order": 1, "file": "a"}, {"order": 2, "file": "b"}]}'


@pytest.mark.parametrize(
    "written",
    [
        json.dumps(json.loads(PLAN), indent=8),
        '{"steps": [{"file": "a", "order": 1}, {"file": "b", "order": 2}], "title": "Caf\u00e9"}',
        PLAN.replace("\u00e9", "\\u00e9"),
        PLAN.replace("\u00e9", "e\u0301"),
        PLAN.replace("1,", "1.0,").replace("2,", "20E-1,"),
    ],
    ids=["indented", "another order of keys", "escaped", "decomposed", "fractions"],
)
@pytest.mark.parametrize("orjson", [True, False])
def test_the_same_value_written_otherwise_is_the_same(
    written: str, monkeypatch: pytest.MonkeyPatch, *, orjson: bool
) -> None:
    plan = digest_of(json.loads(PLAN))
    monkeypatch.setattr(fingerprint, "_HAS_ORJSON", orjson)

    assert digest_of(parse(written.encode())) == plan
    assert digest_of([1.0, {"a": 2e3}]) == digest_of([1, {"a": 2000}])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ([1], [True]),
        ([1], ["1"]),
        ([0], [None]),
        (["a", "b"], ["b", "a"]),
        ({"a": ""}, {"a": None}),
        (["v1.0"], ["v1"]),
        (["caf\u00e9"], ["cafe"]),
    ],
)
def test_another_value_is_another(one: Any, other: Any) -> None:
    assert digest_of(one) != digest_of(other)


@pytest.mark.parametrize("value", ["\ud800", 10**300, -0.0, {"\ud800": [1e300]}, {}, None])
def test_every_value_of_json_has_a_digest(value: Any) -> None:
    assert len(digest_of(value)) == 16
