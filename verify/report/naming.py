"""Names the learners' pages: safe on every file system, stable from report to report."""

from __future__ import annotations

import hashlib
import re

_PLAIN = re.compile(r"[^a-z0-9]+")
_READABLE = 32  # characters of the key that a file's name shows


def page_name(key: str, attempt: str) -> str:
    """Return the file name of a learner's attempt.

    A key is anything a folder or a roster can hold: only its ASCII letters and digits are shown,
    and 80 bits of a digest of it tell apart what looks the same.
    """
    told = f"{len(key)}:{key}{attempt}".encode("utf-8", "surrogatepass")
    digest = hashlib.blake2b(told, digest_size=10).hexdigest()
    readable = _PLAIN.sub("-", key[:_READABLE].lower()).strip("-")
    return f"{readable}-{digest}.html" if readable else f"{digest}.html"
