"""The versions of the programs on this machine, each asked once and within a time limit."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from functools import cache

_VERSION = re.compile(r"(\d{1,4})\.(\d{1,4})")
_SECONDS = 5

Version = tuple[int, int]
# Answers with (major, minor) of `python`, `node`, `npm` or `git`, None where it is missing:
# `installed_version`, or `dict.get` and `no_version` where grading must not depend on the machine.
VersionOf = Callable[[str], Version | None]


def no_version(_: str) -> None:
    """Return no version, so that a cohort gets the same grades on any machine."""


@cache
def installed_version(program: str) -> Version | None:
    """Return the version of a program on this machine, None where it is missing."""
    if program == "python":
        return sys.version_info[:2]
    import shutil
    import subprocess

    path = shutil.which(program)
    if path is None:
        return None
    words = [path, "--version"]
    try:
        done = subprocess.run(  # noqa: S603  # a program of the host, never of a submission
            words, stdin=subprocess.DEVNULL, capture_output=True, timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = _VERSION.search(done.stdout[:4096].decode("ascii", "replace"))
    return (int(match[1]), int(match[2])) if match else None
