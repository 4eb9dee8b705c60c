"""Records of clients and signed statements as fuzzing feeds them: sound ones, and targets."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from pipeline.protocol.json_text import NotStrictJson, parse
from pipeline.signing.envelope import Expected, NoEnvelope, opened, signed, why_not
from pipeline.signing.statement import PREDICATE, STATEMENT
from verify.grading.provenance import NoRecords, dispatches_in

if TYPE_CHECKING:
    from collections.abc import Callable

SOUND, REFUSED = "sound", "refused"
_PATH, _DIGEST, _COMMIT = ".pipeline/ISSUE-7/plan.json", "a" * 64, "b" * 40
_EXPECTED = Expected(_PATH, _DIGEST, "ISSUE-7", "x-planner", lambda _: _DIGEST)
_STATEMENT: dict[str, Any] = {
    "_type": STATEMENT,
    "subject": [{"name": _PATH, "digest": {"sha256": _DIGEST}}],
    "predicateType": PREDICATE,
    "predicate": {
        "issue": "ISSUE-7",
        "role": "x-planner",
        "inputs": [{"name": ".pipeline/ISSUE-7/other.json", "digest": {"sha256": _DIGEST}}],
        "tree": {"commit": _COMMIT, "before": _DIGEST, "after": _DIGEST},
    },
}
RECORDS = (
    b'{"event": "start", "agent": "x-worker", "id": "1"}\n'
    b'{"event": "stop", "agent": "x-worker", "id": "1", "status": "completed"}\n'
)


@cache
def key() -> Ed25519PrivateKey:
    """Return the one key that counts."""
    return Ed25519PrivateKey.from_private_bytes(bytes(range(32)))


@cache
def statement() -> bytes:
    """Return a statement that attests the artifact."""
    return json.dumps(_STATEMENT).encode()


def enveloped(payload: bytes) -> bytes:
    """Return a payload in an envelope, signed by the key."""
    return json.dumps(signed(payload, key())).encode()


def envelope(data: bytes) -> str:
    """Check an envelope: what the key has not signed attests nothing."""
    why = why_not(data, key().public_key(), _EXPECTED)
    assert why.isprintable()
    if why:
        return REFUSED
    assert opened(parse(data))[0] == statement()
    return SOUND


def payload(data: bytes) -> str:
    """Check a statement of any content that the key has signed: only the one attests."""
    why = why_not(enveloped(data), key().public_key(), _EXPECTED)
    assert why.isprintable()
    return REFUSED if why else SOUND


def records(data: bytes) -> str:
    """Read the records of a client."""
    try:
        for one in dispatches_in(data):
            assert one.agent
    except NoRecords as error:
        assert "\n" not in str(error)  # noqa: PT017  # the message is what is tried
        return REFUSED
    return SOUND


def shape(data: bytes) -> str:
    """Open an envelope without looking at its signature."""
    try:
        opened(parse(data))
    except (NoEnvelope, NotStrictJson):
        return REFUSED
    return SOUND


TARGETS: dict[str, Callable[[bytes], str]] = {
    "envelope": envelope,
    "payload": payload,
    "records": records,
    "shape": shape,
}


def seeds() -> dict[str, tuple[bytes, ...]]:
    """Return sound inputs by target."""
    whole = (enveloped(statement()),)
    return {"envelope": whole, "payload": (statement(),), "records": (RECORDS,), "shape": whole}
