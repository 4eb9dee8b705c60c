"""The versions of the programs on this machine, each asked once and within a time limit."""

from __future__ import annotations

import re
import sys
from functools import cache

_VERSION = re.compile(r"(\d{1,4})\.(\d{1,4})")
_SECONDS = 5

Version = tuple[int, int]


class Host:
    """Answers for this machine."""

    def version(self, program: str) -> Version | None:
        """Return (major, minor) of `python`, `node`, `npm` or `git`, None where it is missing."""
        return sys.version_info[:2] if program == "python" else _version_of(program)


class FixedHost(Host):
    """Answers from a table: for tests, and for grading that must not depend on a machine."""

    def __init__(self, versions: dict[str, Version | None]) -> None:
        self._versions = versions

    def version(self, program: str) -> Version | None:
        """Return the version that the table gives."""
        return self._versions.get(program)


@cache
def _version_of(program: str) -> Version | None:
    import shutil
    import subprocess

    path = shutil.which(program)
    if path is None:
        return None
    try:
        done = subprocess.run(  # noqa: S603  # a program of the host, never of a submission
            [path, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = _VERSION.search(done.stdout[:4096].decode("ascii", "replace"))
    return (int(match[1]), int(match[2])) if match else None
