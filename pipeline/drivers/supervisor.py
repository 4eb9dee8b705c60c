"""Runs an agent's program, and ends it and all that it started when the runner is gone.

usage: python supervisor.py INPUT WORD…

`INPUT` is the path of the program's standard input, empty for none. The runner holds the other end
of this process's standard input: it closes when the runner ends, however that ends. The exit
code is the program's, or 128 plus the number of the signal that ended it.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading

import psutil

GRACE = 2.0  # seconds between the request to end and the end
_ADOPT = 36  # Linux's PR_SET_CHILD_SUBREAPER: what loses its parent becomes this process's


def main(given: str, words: list[str]) -> int:
    """Run the program to its end, or to the runner's."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_ADOPT, 1, 0, 0, 0)
    with open(given or os.devnull, "rb") as prompt:
        program = subprocess.Popen(words, stdin=prompt, start_new_session=True)  # noqa: S603  # the user's own command, no shell
    threading.Thread(target=_end_with_the_runner, args=(program,), daemon=True).start()
    code = program.wait()
    _kill_all()
    return code if code >= 0 else 128 - code


def _end_with_the_runner(program: subprocess.Popen[bytes]) -> None:
    os.read(0, 1)  # returns at the end of the input
    with contextlib.suppress(OSError):
        program.terminate()
    with contextlib.suppress(subprocess.TimeoutExpired):
        program.wait(GRACE)
    _kill_all()
    os._exit(1)


def _kill_all() -> None:
    """Kill all descendants of this process, until none is left."""
    while found := psutil.Process().children(recursive=True):
        for each in found:
            with contextlib.suppress(psutil.Error):
                each.kill()
        psutil.wait_procs(found, timeout=GRACE)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1], sys.argv[2:]))
