"""Says why an artifact's envelope does not attest it: of a run's own, and of what is handed in."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from pipeline.protocol.json_text import NotStrictJson, parse
from pipeline.terminal.display import listed, named
from pipeline.witness.envelope import NoEnvelope, opened, verifies
from pipeline.witness.statement import MAX_ENVELOPE, PREDICATE, STATEMENT

if TYPE_CHECKING:
    from collections.abc import Callable

    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

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
    if not verifies(payload, signature, key):
        return "its envelope is not signed by this key, or has been altered"
    try:
        return _difference(parse(payload), expected)
    except NotStrictJson:
        return "what is signed is not strict JSON"


def _difference(value: Any, expected: Expected) -> str:
    if not isinstance(value, dict) or value.get("_type") != STATEMENT:
        return "what is signed is no in-toto Statement v1"
    if value.get("predicateType") != PREDICATE:
        return f"what is signed has another predicate (expected {PREDICATE})"
    predicate = value.get("predicate")
    if not isinstance(predicate, dict):
        return "what is signed has no predicate"
    return (
        _subject_difference(value.get("subject"), expected)
        or _other("the issue", predicate.get("issue"), expected.issue)
        or _other("the role", predicate.get("role"), expected.role)
        or _inputs_difference(predicate.get("inputs"), expected)
        or _commit_difference(predicate.get("tree"), expected)
    )


def _subject_difference(subject: Any, expected: Expected) -> str:
    if not isinstance(subject, list) or len(subject) != 1:
        return "what is signed is not about one artifact"
    name, sha256 = _resource(subject[0])
    if name != expected.path:
        return f"what is signed is about {_shown(name)}"
    return "" if sha256 == expected.sha256 else "it has been altered after it was witnessed"


def _other(what: str, found: Any, expected: str) -> str:
    if found == expected:
        return ""
    return f"what is signed says that {what} is {_shown(found)} (expected {_shown(expected)})"


def _inputs_difference(inputs: Any, expected: Expected) -> str:
    if not isinstance(inputs, list) or len(inputs) > _MOST_INPUTS:
        return "what is signed does not say from which artifacts it was made"
    folder = expected.path.rpartition("/")[0]
    found = [_resource(each) for each in inputs]
    if any(name.rpartition("/")[0] != folder for name, _ in found):
        return "what is signed was made from artifacts of another issue"
    other = [name for name, sha256 in found if expected.digest_of(name) != sha256]
    if not other:
        return ""
    return f"it was made from another {listed([name.rpartition('/')[2] for name in other])}"


def _commit_difference(tree: Any, expected: Expected) -> str:
    commit = tree.get("commit") if isinstance(tree, dict) else None
    if not isinstance(commit, str) or not _COMMIT.fullmatch(commit):
        return "what is signed does not say with which commit the turn began"
    if expected.may_have(commit):
        return ""
    return f"its turn began with the commit {commit[:10]}, which the git history does not have"


def _resource(value: Any) -> tuple[str, str]:
    """Return the name and the digest of a resource, empty where they are none."""
    if not isinstance(value, dict):
        return "", ""
    name, digest = value.get("name"), value.get("digest")
    sha256 = digest.get("sha256") if isinstance(digest, dict) else ""
    return name if isinstance(name, str) else "", sha256 if isinstance(sha256, str) else ""


def _shown(value: Any) -> str:
    return named(value, _SHOWN) if isinstance(value, str) and value else "nothing"
