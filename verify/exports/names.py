"""Names of files for learners: safe and different on every file system, whatever a key holds."""

from __future__ import annotations

import hashlib
import re

_SAFE = re.compile("[a-z0-9][a-z0-9_-]{0,79}")
_UNSAFE = re.compile("[^a-z0-9_-]+")
_DEVICE = re.compile("(?:con|prn|aux|nul|com[0-9]|lpt[0-9])")  # Windows opens these as devices


def name_of(key: str) -> str:
    """Return the name that a learner's file has, without an ending.

    A key of lower-case ASCII letters, digits, `_` and `-` is its own name. Any other one is made
    such a name and gets a digest of the key behind a dot, which no key's own name has: names differ
    even where the file system ignores case or normalises Unicode.
    """
    if _SAFE.fullmatch(key) and not _DEVICE.fullmatch(key):
        return key
    digest = hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return f"{_UNSAFE.sub('-', key.lower())[:40].strip('-') or 'learner'}.{digest}"
