"""The digest of a repository at one moment, of what the runner looks at around every turn."""

from __future__ import annotations

import hashlib
import json
import re
from typing import TYPE_CHECKING

from pipeline.witness.statement import FOLDER

if TYPE_CHECKING:
    from collections.abc import Mapping

# git's own settings are of one machine, and the runner writes the envelopes between the turns
_APART = re.compile(rf"\.git/.*|(?:.*/)?\.pipeline/[^/]+/{FOLDER}(?:/.*)?", re.DOTALL)


def tree_digest(sha: str, files: Mapping[str, str]) -> str:
    """Return the SHA-256, in hexadecimal, of a commit and the marks of what differs from it.

    It is that of a JSON array in ASCII: the commit's id, then a pair of path and mark for each
    file, in the order of the paths.
    """
    marks = [[name, mark] for name, mark in sorted(files.items()) if not _APART.fullmatch(name)]
    return hashlib.sha256(json.dumps([sha, *marks]).encode("ascii")).hexdigest()
