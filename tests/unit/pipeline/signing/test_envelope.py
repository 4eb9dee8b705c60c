"""A statement counts for the one artifact that it is about, as it was, and for no other."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from pipeline.signing.envelope import Expected, NoEnvelope, opened, signed, why_not
from pipeline.signing.statement import resource

KEY = Ed25519PrivateKey.generate()
PATH, PLAN = ".pipeline/ISSUE-7/worker-result.json", ".pipeline/ISSUE-7/plan.json"
SHA, PLAN_SHA, COMMIT = "ab" * 32, "cd" * 32, "12" * 20
STATEMENT: dict[str, Any] = {
    "_type": "https://in-toto.io/Statement/v1",
    "subject": [resource(PATH, SHA)],
    "predicateType": "urn:issue-pipeline:turn:1",
    "predicate": {
        "issue": "ISSUE-7",
        "role": "x-worker",
        "inputs": [resource(PLAN, PLAN_SHA)],
        "tree": {"commit": COMMIT},
    },
}
NO_STATEMENT = (
    "the signed statement is not an in-toto Statement v1 with the predicate "
    "urn:issue-pipeline:turn:1"
)
NO_INPUTS = "the statement does not list what the artifact was made from"
EXPECTED = Expected(PATH, SHA, "ISSUE-7", "x-worker", {PLAN: PLAN_SHA}.get)  # type: ignore[arg-type]  # None is no digest either


def why(value: Any, expected: Expected = EXPECTED) -> str:
    payload = value if isinstance(value, bytes) else json.dumps(value).encode()
    return why_not(json.dumps(signed(payload, KEY)).encode(), KEY.public_key(), expected)


def changed(**fields: Any) -> dict[str, Any]:
    return STATEMENT | {"predicate": STATEMENT["predicate"] | fields}


def test_a_statement_that_says_what_was_found_attests_it() -> None:
    assert why(STATEMENT) == ""


SIGNED = signed(json.dumps(STATEMENT).encode(), KEY)


@pytest.mark.parametrize(
    "forged",
    [
        signed(json.dumps(STATEMENT).encode(), Ed25519PrivateKey.generate()),
        SIGNED | {"signatures": [{"sig": "YQ=="}]},
        SIGNED | {"payload": signed(json.dumps(changed(role="x-git")).encode(), KEY)["payload"]},
    ],
    ids=["another key", "a signature of another length", "another payload"],
)
def test_what_this_key_has_not_signed_attests_nothing(forged: dict[str, Any]) -> None:
    assert why_not(json.dumps(forged).encode(), KEY.public_key(), EXPECTED) == (
        "its envelope is not signed with the witness key, or has been changed"
    )


@pytest.mark.parametrize(
    ("expected", "message"),
    [
        (
            EXPECTED._replace(path=PLAN),
            f'the statement says that the artifact is "{PATH}" (expected "{PLAN}")',
        ),
        (
            EXPECTED._replace(sha256="00" * 32),
            "the artifact has been changed since it was witnessed",
        ),
        (
            EXPECTED._replace(issue="ISSUE-8"),
            'the statement says that the issue is "ISSUE-7" (expected "ISSUE-8")',
        ),
        (
            EXPECTED._replace(role="x-worker-fast"),
            'the statement says that the role is "x-worker" (expected "x-worker-fast")',
        ),
        (
            EXPECTED._replace(digest_of=lambda _: "00" * 32),
            'the artifact was made from a different "plan.json"',
        ),
        (
            EXPECTED._replace(digest_of=lambda _: ""),
            'the artifact was made from a different "plan.json"',
        ),
        (
            EXPECTED._replace(may_have=lambda commit: commit != COMMIT),
            "the turn began at the commit 1212121212, which is not in the git history",
        ),
    ],
)
def test_a_statement_of_another_artifact_issue_role_or_run_is_reported(
    expected: Expected, message: str
) -> None:
    assert why(STATEMENT, expected=expected) == message


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (b'{"_type": 1, "_type": 2}', "the signed statement is not strict JSON"),
        ([], NO_STATEMENT),
        (STATEMENT | {"_type": "v0.1"}, NO_STATEMENT),
        (STATEMENT | {"predicateType": "x"}, NO_STATEMENT),
        (
            STATEMENT | {"predicate": []},
            'the statement says that the issue is nothing (expected "ISSUE-7")',
        ),
        (STATEMENT | {"subject": []}, "the statement must be about exactly one artifact"),
        (
            STATEMENT | {"subject": STATEMENT["subject"] * 2},
            "the statement must be about exactly one artifact",
        ),
        (
            STATEMENT | {"subject": [1]},
            f'the statement says that the artifact is nothing (expected "{PATH}")',
        ),
        (changed(role=1), 'the statement says that the role is nothing (expected "x-worker")'),
        (
            changed(role="\x1b[31m\u202e"),
            'the statement says that the role is "\\u001b[31m\\u202e" (expected "x-worker")',
        ),
        (changed(tree=[]), "the statement does not say at which commit the turn began"),
        (changed(inputs=None), NO_INPUTS),
        (changed(inputs=[1]), "the statement names artifacts of a different issue"),
        (changed(inputs=[{"name": PLAN}]), 'the artifact was made from a different "plan.json"'),
        (changed(inputs=[1] * 9), NO_INPUTS),
        (
            changed(inputs=[resource("../ISSUE-8/plan.json", PLAN_SHA)]),
            "the statement names artifacts of a different issue",
        ),
    ],
)
def test_what_is_signed_and_says_something_else_is_reported(value: Any, message: str) -> None:
    assert why(value) == message


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b" " * 70_000, "its envelope is larger than 64 KiB"),
        (b"\xff\xfe", "its envelope is not strict JSON"),
        (b"[" * 1_000, "its envelope is not strict JSON"),
        (b'{"payloadType": NaN}', "its envelope is not strict JSON"),
    ],
)
def test_a_hostile_envelope_is_one_reason(data: bytes, message: str) -> None:
    assert why_not(data, KEY.public_key(), EXPECTED) == message


PAYLOAD = b'{"a": 1}'
TYPE = "application/vnd.in-toto+json"


def test_what_is_signed_is_the_type_and_the_payload_as_dsse_puts_them_together() -> None:
    envelope = signed(PAYLOAD, KEY)
    signature = base64.b64decode(envelope["signatures"][0]["sig"])

    KEY.public_key().verify(signature, b'DSSEv1 28 application/vnd.in-toto+json 8 {"a": 1}')

    assert envelope["payloadType"] == TYPE
    assert base64.b64decode(envelope["payload"]) == PAYLOAD


SIGNATURE = {"sig": base64.b64encode(bytes(64)).decode()}
NO_ENVELOPE = f"is not a DSSE envelope with the payload type {TYPE}"


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([], NO_ENVELOPE),
        ({}, NO_ENVELOPE),
        ({"payloadType": "text/plain"}, NO_ENVELOPE),
        ({"payloadType": TYPE}, "does not have exactly one signature"),
        ({"payloadType": TYPE, "signatures": "x"}, "does not have exactly one signature"),
        (
            {"payloadType": TYPE, "signatures": [SIGNATURE] * 2},
            "does not have exactly one signature",
        ),
        ({"payloadType": TYPE, "signatures": [None]}, "has no signature in base64"),
        ({"payloadType": TYPE, "signatures": [{"sig": "é"}]}, "has no signature in base64"),
        ({"payloadType": TYPE, "signatures": [{"sig": "YQ==\n"}]}, "has no signature in base64"),
        ({"payloadType": TYPE, "signatures": [SIGNATURE]}, "has no payload in base64"),
        (
            {"payloadType": TYPE, "signatures": [SIGNATURE], "payload": "*"},
            "has no payload in base64",
        ),
    ],
)
def test_what_is_no_envelope_with_one_signature_is_reported(value: Any, message: str) -> None:
    with pytest.raises(NoEnvelope) as raised:
        opened(value)

    assert str(raised.value) == message
