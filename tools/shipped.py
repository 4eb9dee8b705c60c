"""Makes the archive of the sandbox as it is shipped: a git bundle, the same bytes everywhere.

`pipeline demo` plays recorded runs in a clone of it, and the sandbox's tests compare the sandbox
with it, to tell a learner's work from what is shipped. tools/generate.py writes and checks it.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pipeline.bootstrap import ROOT
from tools.bundles import Bundle, Stamp

if TYPE_CHECKING:
    from collections.abc import Iterator

SANDBOX = os.path.join(ROOT, "sandbox")
ARCHIVE = "fixtures/sandbox.bundle"
LEARNERS_OWN = frozenset({"node_modules", ".pipeline", ".cursor"})
_BEGUN = 1_767_258_000  # 2026-01-01 09:00:00 UTC


def shipped(sandbox: str = SANDBOX) -> bytes:
    """Return the archive of a sandbox: one commit on `main`, with its files below `sandbox/`."""
    files = {}
    for path in sorted(_files(sandbox)):
        with open(os.path.join(sandbox, *path.split("/")), "rb") as file:
            text = file.read().replace(b"\r\n", b"\n")  # as git may have checked it out
        files[f"sandbox/{path}"] = text
    made = Bundle()
    stamp = Stamp(_BEGUN, _BEGUN)
    made.refs["refs/heads/main"] = made.commit(made.tree(files), [], stamp, "chore: begin")
    return made.data()


def _files(sandbox: str) -> Iterator[str]:
    for folder, folders, names in os.walk(sandbox):
        folders[:] = [name for name in folders if name not in LEARNERS_OWN]
        for name in names:
            yield os.path.relpath(os.path.join(folder, name), sandbox).replace(os.sep, "/")


def recorded() -> bytes:
    """Return the archive that is in the repository."""
    with open(os.path.join(ROOT, *ARCHIVE.split("/")), "rb") as file:
        return file.read()
