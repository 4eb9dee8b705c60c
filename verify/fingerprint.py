"""What an artifact says, as a digest: how it is written does not count."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING
from unicodedata import normalize

from pipeline.protocol.layout import GIT_RESULT
from verify.artifacts import ArtifactRef
from verify.checks.validity import OfProblems
from verify.gradebook.copies import NOTHING
from verify.gradebook.stored import DIGEST

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from verify.artifacts import Artifact, Context
    from verify.model import Exercise

try:
    import orjson
except ImportError:  # the extra `cohort` is not installed: the same digests, more slowly
    _HAS_ORJSON = False
else:
    _HAS_ORJSON = True


def compared(exercise: Exercise) -> tuple[ArtifactRef, ...]:
    """Return the artifacts of an exercise in the order of a fingerprint: git results come last.

    A git result describes a commit of the learner's own. It is compared only where the other
    artifacts say nothing about who wrote them.
    """
    runs = (check.run for check in exercise.checks)
    read = [run.source for run in runs if isinstance(run, OfProblems)]
    submitted = [each for each in exercise.artifacts if isinstance(each, ArtifactRef)]
    return tuple(sorted(dict.fromkeys([*submitted, *read]), key=is_git_result))


def is_git_result(source: ArtifactRef) -> bool:
    """Tell whether an artifact is a git result."""
    return source.name == GIT_RESULT


def fingerprint_of(context: Context, sources: Iterable[ArtifactRef]) -> bytes:
    """Return the digests of a submission's artifacts, 16 bytes each; empty where it has none."""
    digests = b"".join([_digest_of(context.artifact(source)) for source in sources])
    return digests if digests.strip(b"\0") else b""


def _digest_of(artifact: Artifact) -> bytes:
    if artifact.unreadable is not None:
        return NOTHING
    if artifact.value is None:  # it is not JSON: as it was written
        return sha256(artifact.data).digest()[:DIGEST]
    return digest_of(artifact.value)


def digest_of(value: Any) -> bytes:
    """Return the digest of a parsed value: 1 and 1.0 are the same, 1 and true are not."""
    text = _dumped(value)
    # the first question about 0 answers the second in a tenth of its time
    if not text.isascii() or (b"0" in text and b".0" in text):
        text = _dumped(_plain(value))
    return sha256(text).digest()[:DIGEST]


def _dumped(value: Any) -> bytes:
    if _HAS_ORJSON:
        try:
            return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
        except TypeError:  # half a character, or a number of more than 64 bits
            pass
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return text.encode("utf-8", "surrogatepass")


def _plain(value: Any) -> Any:
    """Return a value with texts in their composed form and whole numbers without a fraction."""
    if isinstance(value, str):
        return normalize("NFC", value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if isinstance(value, dict):
        return {normalize("NFC", key): _plain(each) for key, each in value.items()}
    return value
