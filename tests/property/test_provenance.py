"""Whatever stands in records, envelopes and hooks, there is a level or a reason, never a crash."""

from __future__ import annotations

import json
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from pipeline.agents.clients import CLIENTS
from pipeline.agents.export import Conflict, hook_files, merged_hooks
from pipeline.signing.envelope import Expected, signed, why_not
from verify.grading.provenance import NoRecords, dispatches_in, unsupported

KEY = Ed25519PrivateKey.generate()
PATH = ".pipeline/ISSUE-7/plan.json"
EXPECTED = Expected(PATH, "ab" * 32, "ISSUE-7", "x-subplanner", lambda _: "ab" * 32)

TEXTS = st.text(max_size=20) | st.sampled_from(["start", "stop", "completed", "x-worker", PATH])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)


def objects(*names: str) -> st.SearchStrategy[Any]:
    return st.fixed_dictionaries({}, optional=dict.fromkeys(names, VALUES)) | VALUES


LINES = st.lists(objects("event", "agent", "id", "status"), max_size=8)


def data(value: Any) -> bytes:
    return json.dumps(value).encode()


@given(st.binary(max_size=200) | LINES.map(lambda lines: b"\n".join(map(data, lines))))
def test_records_are_read_or_refused(content: bytes) -> None:
    message: list[str]
    try:
        message = list(unsupported(["x-worker", "x-git"], dispatches_in(content)))
    except NoRecords as error:
        message = [str(error)] * 2

    assert len(message) == 2
    assert all(reason.isprintable() for reason in message)


STATEMENTS = st.fixed_dictionaries(
    {"_type": st.just("https://in-toto.io/Statement/v1") | VALUES},
    optional={
        "subject": st.lists(objects("name", "digest"), max_size=2),
        "predicateType": st.just("urn:issue-pipeline:turn:1") | VALUES,
        "predicate": objects("issue", "role", "inputs", "tree"),
    },
)


@given(STATEMENTS | VALUES)
def test_a_statement_of_anything_is_refused_even_where_it_is_signed(value: Any) -> None:
    reason = why_not(data(signed(data(value), KEY)), KEY.public_key(), EXPECTED)

    assert reason
    assert reason.isprintable()


@given(st.binary(max_size=100) | objects("version", "hooks").map(data))
def test_hooks_find_room_or_are_refused_and_nothing_is_lost(content: bytes) -> None:
    wanted = hook_files(CLIENTS["cursor"])[1].text
    try:
        text = merged_hooks(content, wanted)
    except Conflict:
        return
    before, after = json.loads(content), json.loads(text)

    assert after == {**after, **before, "hooks": after["hooks"]}
    for event, entries in before.get("hooks", {}).items():
        there = after["hooks"][event]
        assert there == entries or all(entry in there for entry in entries)
    assert merged_hooks(text.encode(), wanted) == text
