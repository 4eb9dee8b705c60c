"""What one task may use, how the system enforces it, and how a task that fails is reported."""

from __future__ import annotations

import math
import os
import signal
import sys
import time
from typing import NamedTuple

from pipeline.terminal.exit_codes import BROKEN

if sys.platform != "win32":  # Windows has none of these limits
    import resource

SECONDS, MEGABYTES, WALL = 2.0, 300, 60.0
_FILES = 512  # that a worker may hold open: it reads one submission at a time
_LESS = "Submit a .zip without large files"
_AGAIN = "The next run tries again."


class Limits(NamedTuple):
    """What one task may use."""

    cpu: float = SECONDS  #: seconds of CPU time
    megabytes: int = MEGABYTES  #: beyond the worker's own
    wall: float = WALL  #: seconds

    def extended(self, cpu: float, wall: float) -> Limits:
        """Return limits with more seconds of CPU time, and in all."""
        return self._replace(cpu=self.cpu + cpu, wall=self.wall + wall)


class Failed(NamedTuple):
    """Why a task has no result."""

    reason: str  #: what happened, for people
    step: str  #: what to do
    crash: str = ""  #: the traceback of what it raised
    is_large: bool = False  #: it took more CPU time or memory than it may


class StopRun(Exception):
    """The whole run must end; the message is one line, `code` the exit code."""

    code = BROKEN


class CannotContinue(StopRun):
    """Grading cannot continue: no worker is left, or the collection or the rules have changed."""


class Interrupted(Exception):
    """A signal ended the run; the message says what is done, `code` is the exit code."""

    def __init__(self, done: str, code: int) -> None:
        super().__init__(done)
        self.code = code


def confine() -> None:
    """Make this process a worker: it prints nothing, ignores Ctrl-C and writes no file."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the terminal sends it to all: the grader answers
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # not as the grader does, who forked us
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    os.close(nowhere)
    if sys.platform != "win32":
        signal.signal(signal.SIGXCPU, signal.SIG_DFL)
        for limit, most in (
            (resource.RLIMIT_CORE, 0),
            (resource.RLIMIT_FSIZE, 0),
            (resource.RLIMIT_NOFILE, _FILES),
        ):
            hard = resource.getrlimit(limit)[1]
            value = _least(most, hard)
            # A service that is run has limits of its own, which cannot be above this one.
            resource.setrlimit(limit, (value, hard if limit == resource.RLIMIT_FSIZE else value))


def allow_cpu(seconds: float) -> None:
    """Have the system end this process after this much more CPU time, in whole seconds."""
    if sys.platform != "win32":
        _, hard = resource.getrlimit(resource.RLIMIT_CPU)
        most = hard if seconds == math.inf else math.ceil(time.process_time() + seconds)
        resource.setrlimit(resource.RLIMIT_CPU, (_least(most, hard), hard))


def allow_memory(megabytes: float) -> None:
    """Allow this process this much more memory than it has now, as RLIMIT_DATA counts it."""
    if sys.platform == "linux":
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        most = hard
        if megabytes != math.inf:
            with open("/proc/self/statm", "rb") as file:  # private and writable, in pages
                held = int(file.read().split()[5]) * os.sysconf("SC_PAGE_SIZE")
            most = held + (int(megabytes) << 20)
        resource.setrlimit(resource.RLIMIT_DATA, (_least(most, hard), hard))


def _least(value: int, limit: int) -> int:
    return limit if value == -1 else value if limit == -1 else min(value, limit)  # -1: no limit


def too_slow(limits: Limits) -> Failed:
    """Return the failure of a task that used too much CPU time."""
    what = f"took more than {limits.cpu:g} s of CPU time"
    return _exceeded(what, f"{_LESS}, or raise --time-limit if the checks need longer", large=True)


def too_big(limits: Limits) -> Failed:
    """Return the failure of a task that needed too much memory."""
    what = f"needed more than {limits.megabytes} MB of memory"
    return _exceeded(what, f"{_LESS}, or raise --memory-limit if the checks need more", large=True)


def endless(limits: Limits) -> Failed:
    """Return the failure of a task that did not end."""
    return _exceeded(f"did not finish within {limits.wall:g} s", "Look at the submission")


def _exceeded(what: str, step: str, *, large: bool = False) -> Failed:
    return Failed(f"grading this submission {what}", f"{step}. {_AGAIN}", is_large=large)


def died(exit_code: int | None, limits: Limits) -> Failed:
    """Return the failure of a task whose process ended; a negative code is a signal."""
    how = "cause unknown" if exit_code is None else f"exit code {exit_code}"
    if exit_code is not None and exit_code < 0:
        name = signal.Signals(-exit_code).name if -exit_code in set(signal.Signals) else "unknown"
        if name == "SIGXCPU":
            return too_slow(limits)
        how = f"signal {-exit_code}, {name}"
    reason = f"grading this submission crashed the grading process ({how})"
    return Failed(reason, f"Report this, unless the machine ran out of memory. {_AGAIN}")


def raised(error: BaseException) -> Failed:
    """Return the failure of a task whose call raised an exception."""
    import traceback  # a fault is rare, a start is not

    from pipeline.terminal.display import raised_text

    crash = "".join(traceback.format_exception(error))
    reason = f"grading this submission failed ({raised_text(error)})"
    return Failed(reason, f"Report this with the log file. {_AGAIN}", crash)
