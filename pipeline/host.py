"""What the machine that grades has: the versions of its programs, asked once and with a limit."""

from __future__ import annotations

import os
import re
import signal
import sys
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import subprocess

_VERSION = re.compile(r"(\d{1,4})\.(\d{1,4})")
_SECONDS = 5
_MOST = 1 << 12  # bytes of an answer: a version stands at its beginning

Version = tuple[int, int]


class Host:
    """Answers for this machine."""

    def version(self, program: str) -> Version | None:
        """Return (major, minor) of `python`, `node` or `git`, None where it is not on PATH."""
        return sys.version_info[:2] if program == "python" else _asked(program)


class FixedHost(Host):
    """Answers from a table: for tests and for grading that must not depend on a machine."""

    def __init__(self, versions: dict[str, Version | None]) -> None:
        self._versions = versions

    def version(self, program: str) -> Version | None:
        """Return the version that the table gives."""
        return self._versions.get(program)


@cache
def _asked(program: str) -> Version | None:
    import shutil
    import subprocess

    path = shutil.which(program)
    if path is None:
        return None
    try:
        process = subprocess.Popen(  # noqa: S603  # a program of the host, never of a submission
            [path, "--version"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # so that what it has started ends with it
        )
    except OSError:
        return None
    match = _VERSION.search(_first_words(process))
    return (int(match[1]), int(match[2])) if match else None


def _first_words(process: subprocess.Popen[bytes]) -> str:
    """Return the beginning of what a program prints, and end it, whatever it is doing by then."""
    from threading import Timer

    limit = Timer(_SECONDS, _end, [process])
    limit.start()
    with process:
        said = process.stdout.read(_MOST) if process.stdout else b""
        limit.cancel()
        _end(process)
    return said.decode("ascii", "replace")


def _end(process: subprocess.Popen[bytes]) -> None:
    with suppress(OSError):  # it has ended by itself
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
