"""An envelope is what DSSE says it is, and one with anything else in it is told apart."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from pipeline.witness.envelope import NoEnvelope, opened, signed, verifies

KEY = Ed25519PrivateKey.generate()
PAYLOAD = b'{"a": 1}'
TYPE = "application/vnd.in-toto+json"


def test_what_is_signed_is_the_type_and_the_payload_as_dsse_puts_them_together() -> None:
    envelope = signed(PAYLOAD, KEY)
    signature = base64.b64decode(envelope["signatures"][0]["sig"])

    KEY.public_key().verify(signature, b'DSSEv1 28 application/vnd.in-toto+json 8 {"a": 1}')

    assert envelope["payloadType"] == TYPE
    assert base64.b64decode(envelope["payload"]) == PAYLOAD


def test_a_signature_is_verified_whatever_its_hint_says() -> None:
    envelope = signed(PAYLOAD, KEY)
    envelope["signatures"][0]["keyid"] = "another"
    payload, signature = opened(envelope)

    assert verifies(payload, signature, KEY.public_key())


def test_another_key_another_payload_and_another_signature_do_not_verify() -> None:
    payload, signature = opened(signed(PAYLOAD, KEY))
    other = Ed25519PrivateKey.generate().public_key()

    found = [
        verifies(payload, signature, other),
        verifies(payload + b" ", signature, KEY.public_key()),
        verifies(payload, bytes(64), KEY.public_key()),
        verifies(payload, bytes([signature[0] ^ 1]) + signature[1:], KEY.public_key()),
    ]

    assert found == [False] * 4


SIGNATURE = {"sig": base64.b64encode(bytes(64)).decode()}


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ([], "is no envelope"),
        ({}, f"holds another type of payload (expected {TYPE})"),
        ({"payloadType": "text/plain"}, f"holds another type of payload (expected {TYPE})"),
        ({"payloadType": TYPE}, "has 0 signatures (expected one)"),
        ({"payloadType": TYPE, "signatures": "x"}, "has 0 signatures (expected one)"),
        ({"payloadType": TYPE, "signatures": [SIGNATURE] * 2}, "has 2 signatures (expected one)"),
        ({"payloadType": TYPE, "signatures": [None]}, "has no signature"),
        ({"payloadType": TYPE, "signatures": [{"sig": "é"}]}, "has a signature that is no base64"),
        (
            {"payloadType": TYPE, "signatures": [{"sig": "YQ=="}]},
            "has a signature that is no Ed25519 signature",
        ),
        ({"payloadType": TYPE, "signatures": [SIGNATURE]}, "has no payload"),
        (
            {"payloadType": TYPE, "signatures": [SIGNATURE], "payload": "*"},
            "has a payload that is no base64",
        ),
    ],
)
def test_what_is_no_envelope_with_one_signature_is_told(value: Any, told: str) -> None:
    with pytest.raises(NoEnvelope) as raised:
        opened(value)

    assert str(raised.value) == told
