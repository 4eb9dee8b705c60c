"""DSSE envelopes, by securesystemslib: signs a statement, and says why one attests nothing."""

from __future__ import annotations

import base64
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from pipeline.protocol.json_text import NotStrictJson, parse
from pipeline.signing.statement import MAX_ENVELOPE, PAYLOAD, PREDICATE, STATEMENT
from pipeline.terminal.display import listed, named
from pipeline.terminal.fault import Refusal

if TYPE_CHECKING:
    from collections.abc import Callable

    from cryptography.hazmat.primitives.asymmetric.ed25519 import (
        Ed25519PrivateKey,
        Ed25519PublicKey,
    )

_MOST_INPUTS = 8
_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


class Expected(NamedTuple):
    """An artifact as it was found: what a statement about it must say."""

    path: str  #: relative to the root
    sha256: str
    issue: str
    role: str  #: its marker
    digest_of: Callable[[str], str]  #: the digest of a file, empty if it is missing
    may_have: Callable[[str], bool] = lambda _: True  #: whether the repository may have a commit


class NoEnvelope(Refusal):
    """Not an envelope with one signature; the message follows the file's name."""


def signed(payload: bytes, key: Ed25519PrivateKey) -> dict[str, Any]:
    """Return the envelope of a payload, as a value to write as JSON."""
    from securesystemslib.dsse import Envelope
    from securesystemslib.signer import (  # type: ignore[attr-defined]  # exported, not marked
        CryptoSigner,
    )

    envelope = Envelope(payload, PAYLOAD, {})
    envelope.sign(CryptoSigner(key))
    value: dict[str, Any] = envelope.to_dict()
    return value


def opened(value: Any) -> tuple[bytes, bytes]:
    """Return the payload and the one signature of an envelope, unchecked; raise `NoEnvelope`."""
    if _at(value, "payloadType") != PAYLOAD:
        raise NoEnvelope(f"is not a DSSE envelope with the payload type {PAYLOAD}")
    signatures = _at(value, "signatures")
    if not isinstance(signatures, list) or len(signatures) != 1:
        raise NoEnvelope("does not have exactly one signature")
    signature = _decoded(_at(signatures[0], "sig"), "signature")
    return _decoded(_at(value, "payload"), "payload"), signature


def _at(value: Any, *keys: str) -> Any:
    """Return the value at a path of keys, None if it is missing."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _decoded(text: Any, what: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (TypeError, ValueError):
        raise NoEnvelope(f"has no {what} in base64") from None


def _verifies(payload: bytes, signature: bytes, key: Ed25519PublicKey) -> bool:
    """Return whether a signature is by the key; the envelope's `keyid` proves nothing (DSSE)."""
    from cryptography.exceptions import InvalidSignature
    from securesystemslib.dsse import Envelope

    try:
        key.verify(signature, Envelope(payload, PAYLOAD, {}).pae())
    except InvalidSignature:
        return False
    return True


def why_not(data: bytes, key: Ed25519PublicKey, expected: Expected) -> str:
    """Return why an envelope does not attest the artifact, empty if it does.

    Nothing in it counts before the signature is verified. The reason follows the artifact's name,
    and is safe to print.
    """
    if len(data) > MAX_ENVELOPE:
        return f"its envelope is larger than {MAX_ENVELOPE >> 10} KiB"
    try:
        payload, signature = opened(parse(data))
    except NotStrictJson:
        return "its envelope is not strict JSON"
    except NoEnvelope as error:
        return f"its envelope {error}"
    if not _verifies(payload, signature, key):
        return "its envelope is not signed with the witness key, or has been changed"
    try:
        return _difference(parse(payload), expected)
    except NotStrictJson:
        return "the signed statement is not strict JSON"


def _difference(value: Any, expected: Expected) -> str:
    if _at(value, "_type") != STATEMENT or _at(value, "predicateType") != PREDICATE:
        return f"the signed statement is not an in-toto Statement v1 with the predicate {PREDICATE}"
    predicate = _at(value, "predicate")
    return (
        _subject_difference(_at(value, "subject"), expected)
        or _unlike("issue", _at(predicate, "issue"), expected.issue)
        or _unlike("role", _at(predicate, "role"), expected.role)
        or _inputs_difference(_at(predicate, "inputs"), expected)
        or _commit_difference(_at(predicate, "tree", "commit"), expected)
    )


def _subject_difference(subject: Any, expected: Expected) -> str:
    if not isinstance(subject, list) or len(subject) != 1:
        return "the statement must be about exactly one artifact"
    if difference := _unlike("artifact", _at(subject[0], "name"), expected.path):
        return difference
    is_same = _at(subject[0], "digest", "sha256") == expected.sha256
    return "" if is_same else "the artifact has been changed since it was witnessed"


def _unlike(what: str, found: Any, expected: str) -> str:
    if found == expected:
        return ""
    return f"the statement says that the {what} is {_shown(found)} (expected {_shown(expected)})"


def _inputs_difference(inputs: Any, expected: Expected) -> str:
    if not isinstance(inputs, list) or len(inputs) > _MOST_INPUTS:
        return "the statement does not list what the artifact was made from"
    folder, changed = expected.path.rpartition("/")[0], []
    for entry in inputs:
        name, sha256 = _at(entry, "name"), _at(entry, "digest", "sha256")
        if not isinstance(name, str) or name.rpartition("/")[0] != folder:
            return "the statement names artifacts of a different issue"
        if not sha256 or sha256 != expected.digest_of(name):
            changed.append(name.rpartition("/")[2])
    return f"the artifact was made from a different {listed(changed)}" if changed else ""


def _commit_difference(commit: Any, expected: Expected) -> str:
    if not isinstance(commit, str) or not _COMMIT.fullmatch(commit):
        return "the statement does not say at which commit the turn began"
    if expected.may_have(commit):
        return ""
    return f"the turn began at the commit {commit[:10]}, which is not in the git history"


def _shown(value: Any) -> str:
    return named(value, 60) if isinstance(value, str) and value else "nothing"
