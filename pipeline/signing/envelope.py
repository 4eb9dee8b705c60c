"""DSSE envelopes, by securesystemslib: signs a statement, and says why one attests nothing."""

from __future__ import annotations

import base64
import binascii
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from pipeline.protocol.json_text import NotStrictJson, parse
from pipeline.signing.statement import MAX_ENVELOPE, PAYLOAD, PREDICATE, STATEMENT
from pipeline.terminal.display import listed, named

if TYPE_CHECKING:
    from collections.abc import Callable

    from cryptography.hazmat.primitives.asymmetric.ed25519 import (
        Ed25519PrivateKey,
        Ed25519PublicKey,
    )

_SIGNATURE = 64  # bytes (RFC 8032, section 5.1.6)
_SHOWN = 60  # characters of a foreign name in a reason
_MOST_INPUTS = 8
_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


class Expected(NamedTuple):
    """An artifact as it was found: what a statement about it must say.

    `path` is relative to the root, `sha256` the digest of its bytes, `role` its marker. `digest_of`
    returns the digest of another file, empty for one that is not there; `may_have` tells whether
    the repository may have a commit.
    """

    path: str
    sha256: str
    issue: str
    role: str
    digest_of: Callable[[str], str]
    may_have: Callable[[str], bool] = lambda _: True


class NoEnvelope(Exception):
    """Something other than an envelope with one signature; the message follows the file's name."""


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
    """Return the payload and the one signature of an envelope, nothing of which is checked.

    Raises:
        NoEnvelope: its shape is another, its payload another type, or it has not one signature.
    """
    if not isinstance(value, dict):
        raise NoEnvelope("is not an envelope")
    if value.get("payloadType") != PAYLOAD:
        raise NoEnvelope(f"has a different type of payload (expected {PAYLOAD})")
    found = value.get("signatures")
    signatures = found if isinstance(found, list) else []
    if len(signatures) != 1:
        raise NoEnvelope(f"has {len(signatures)} signatures (expected one)")
    first = signatures[0]
    signature = _decoded(first.get("sig") if isinstance(first, dict) else None, "signature")
    if len(signature) != _SIGNATURE:
        raise NoEnvelope("has a signature that is not an Ed25519 signature")
    return _decoded(value.get("payload"), "payload"), signature


def _decoded(text: Any, what: str) -> bytes:
    if not isinstance(text, str):
        raise NoEnvelope(f"has no {what}")
    try:
        return base64.b64decode(text.encode("ascii"), validate=True)
    except (binascii.Error, UnicodeEncodeError):
        raise NoEnvelope(f"has a {what} that is not base64") from None


def _verifies(payload: bytes, signature: bytes, key: Ed25519PublicKey) -> bool:
    """Return whether a signature is by the key; the envelope's `keyid` proves nothing (DSSE)."""
    from securesystemslib.dsse import Envelope
    from securesystemslib.exceptions import UnverifiedSignatureError
    from securesystemslib.signer import (  # type: ignore[attr-defined]  # exported, not marked
        Signature,
        SSlibKey,
    )

    public = SSlibKey.from_crypto(key)
    form = Signature(public.keyid, signature.hex())
    try:
        public.verify_signature(form, Envelope(payload, PAYLOAD, {}).pae())
    except UnverifiedSignatureError:
        return False
    return True


def why_not(data: bytes, key: Ed25519PublicKey, expected: Expected) -> str:
    """Return why an envelope does not attest the artifact, empty if it does.

    Nothing that is in it counts before the signature is verified. The reason follows the name of
    the artifact; what it quotes of the envelope is shortened and safe to print.
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
        return "its envelope is not signed by this key, or has been changed"
    try:
        return _difference(parse(payload), expected)
    except NotStrictJson:
        return "the signed statement is not strict JSON"


def _difference(value: Any, expected: Expected) -> str:
    if not isinstance(value, dict) or value.get("_type") != STATEMENT:
        return "the signed statement is not an in-toto Statement v1"
    if value.get("predicateType") != PREDICATE:
        return f"the statement has a different predicate (expected {PREDICATE})"
    predicate = value.get("predicate")
    if not isinstance(predicate, dict):
        return "the statement has no predicate"
    return (
        _subject_difference(value.get("subject"), expected)
        or _other("the issue", predicate.get("issue"), expected.issue)
        or _other("the role", predicate.get("role"), expected.role)
        or _inputs_difference(predicate.get("inputs"), expected)
        or _commit_difference(predicate.get("tree"), expected)
    )


def _subject_difference(subject: Any, expected: Expected) -> str:
    if not isinstance(subject, list) or len(subject) != 1:
        return "the statement must be about exactly one artifact"
    name, sha256 = _resource(subject[0])
    if name != expected.path:
        return f"the statement is about {_shown(name)}"
    return "" if sha256 == expected.sha256 else "it has been changed since it was witnessed"


def _other(what: str, found: Any, expected: str) -> str:
    if found == expected:
        return ""
    return f"the statement says that {what} is {_shown(found)} (expected {_shown(expected)})"


def _inputs_difference(inputs: Any, expected: Expected) -> str:
    if not isinstance(inputs, list) or len(inputs) > _MOST_INPUTS:
        return "the statement does not say from which artifacts it was made"
    folder = expected.path.rpartition("/")[0]
    found = [_resource(each) for each in inputs]
    if any(name.rpartition("/")[0] != folder for name, _ in found):
        return "the statement names artifacts of another issue"
    other = [name for name, sha256 in found if expected.digest_of(name) != sha256]
    if not other:
        return ""
    return f"it was made from a different {listed([name.rpartition('/')[2] for name in other])}"


def _commit_difference(tree: Any, expected: Expected) -> str:
    commit = tree.get("commit") if isinstance(tree, dict) else None
    if not isinstance(commit, str) or not _COMMIT.fullmatch(commit):
        return "the statement does not say at which commit the turn began"
    if expected.may_have(commit):
        return ""
    return f"its turn began with the commit {commit[:10]}, which is not in the git history"


def _resource(value: Any) -> tuple[str, str]:
    """Return the name and the digest of a resource, empty where they are none."""
    name, digest = (value.get("name"), value.get("digest")) if isinstance(value, dict) else ("", {})
    sha256 = digest.get("sha256") if isinstance(digest, dict) else ""
    return name if isinstance(name, str) else "", sha256 if isinstance(sha256, str) else ""


def _shown(value: Any) -> str:
    return named(value, _SHOWN) if isinstance(value, str) and value else "nothing"
