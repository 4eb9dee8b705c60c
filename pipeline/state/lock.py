"""Whether a run of an issue is going on: asked of its lock, without making or keeping one."""

from __future__ import annotations

import os
from typing import Literal

from pipeline.files import NO_FOLLOW_FLAGS

RUN_LOCK = "run.lock"  # in the folder; a run holds it by flock, and leaves the file behind

Hold = Literal["absent", "free", "held"]


def hold_of(folder: str) -> Hold:
    """Return whether an issue's folder has a lock file, and whether a run holds it.

    The file is opened for reading, never made. A shared lock is tried and given back at once: for
    some microseconds a run that starts then is refused the lock, so a run tries more than once.
    A lock that cannot be opened counts as absent. Where the system has no `flock` (Windows), and
    where the file system offers none, a lock file counts as free.
    """
    try:
        descriptor = os.open(f"{folder}/{RUN_LOCK}", NO_FOLLOW_FLAGS)
    except (OSError, ValueError):
        return "absent"
    try:
        return "held" if _is_held(descriptor) else "free"
    finally:
        os.close(descriptor)


def _is_held(descriptor: int) -> bool:
    try:
        import fcntl
    except ImportError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    fcntl.flock(descriptor, fcntl.LOCK_UN)
    return False
