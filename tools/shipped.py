"""Writes down the sandbox as it is shipped, so that its tests can tell a learner's work from it.

usage: python tools/shipped.py

Run it after a deliberate change of the sandbox. The file has the form of the command sha256sum.
"""

from __future__ import annotations

import hashlib
import os
import sys
from typing import TYPE_CHECKING

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[0] = ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

SANDBOX = os.path.join(ROOT, "sandbox")
RECORD = os.path.join(ROOT, "fixtures", "solutions", "shipped.sha256")
LEARNERS_OWN = frozenset({"node_modules", ".pipeline", ".cursor"})


def shipped(sandbox: str = SANDBOX) -> str:
    """Return a line for each file of the sandbox: the digest of its text, and its path."""
    lines = []
    for path in sorted(_files(sandbox)):
        with open(os.path.join(sandbox, *path.split("/")), "rb") as file:
            text = file.read().replace(b"\r\n", b"\n")  # as git may have checked it out
        lines.append(f"{hashlib.sha256(text).hexdigest()}  {path}\n")
    return "".join(lines)


def _files(sandbox: str) -> Iterator[str]:
    for folder, folders, names in os.walk(sandbox):
        folders[:] = [name for name in folders if name not in LEARNERS_OWN]
        for name in names:
            yield os.path.relpath(os.path.join(folder, name), sandbox).replace(os.sep, "/")


def recorded() -> str:
    """Return what was written down."""
    with open(RECORD, encoding="utf-8") as file:
        return file.read()


def main() -> int:
    """Write the record; return the exit code."""
    with open(RECORD, "w", encoding="utf-8", newline="\n") as file:
        file.write(shipped())
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
