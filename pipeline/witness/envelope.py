"""Signs a statement, and checks a signature: DSSE envelopes, by securesystemslib."""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING, Any

from pipeline.witness.statement import PAYLOAD

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import (
        Ed25519PrivateKey,
        Ed25519PublicKey,
    )

_SIGNATURE = 64  # bytes (RFC 8032, section 5.1.6)


class NoEnvelope(Exception):
    """What is no envelope with one signature; the message says why, after the file's name."""


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
        raise NoEnvelope("is no envelope")
    kind, payload, signatures = (
        value.get(name) for name in ("payloadType", "payload", "signatures")
    )
    if kind != PAYLOAD:
        raise NoEnvelope(f"holds another type of payload (expected {PAYLOAD})")
    if not isinstance(signatures, list) or len(signatures) != 1:
        number = len(signatures) if isinstance(signatures, list) else 0
        raise NoEnvelope(f"has {number} signatures (expected one)")
    first = signatures[0]
    sig = _decoded(first.get("sig") if isinstance(first, dict) else None, "signature")
    if len(sig) != _SIGNATURE:
        raise NoEnvelope("has a signature that is no Ed25519 signature")
    return _decoded(payload, "payload"), sig


def _decoded(text: Any, what: str) -> bytes:
    if not isinstance(text, str):
        raise NoEnvelope(f"has no {what}")
    try:
        return base64.b64decode(text.encode("ascii"), validate=True)
    except (binascii.Error, UnicodeEncodeError):
        raise NoEnvelope(f"has a {what} that is no base64") from None


def verifies(payload: bytes, signature: bytes, key: Ed25519PublicKey) -> bool:
    """Tell whether a signature over an envelope's payload is by the key.

    The envelope's own `keyid` is nobody's word (DSSE): it is not looked at.
    """
    from securesystemslib.dsse import Envelope
    from securesystemslib.exceptions import UnverifiedSignatureError
    from securesystemslib.signer import (  # type: ignore[attr-defined]  # exported, not marked
        Signature,
        SSlibKey,
    )

    public = SSlibKey.from_crypto(key)
    try:
        public.verify_signature(
            Signature(public.keyid, signature.hex()), Envelope(payload, PAYLOAD, {}).pae()
        )
    except UnverifiedSignatureError:
        return False
    return True
