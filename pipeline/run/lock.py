"""Locks: one run at a time for an issue, and in a work tree, whose branch a run changes."""

from __future__ import annotations

import os
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, Literal

from pipeline.files import NO_FOLLOW_FLAGS
from pipeline.terminal.fault import unusable

if TYPE_CHECKING:
    from collections.abc import Iterator

RUN_LOCK = "run.lock"  # in the issue's folder; a run holds it by flock
_WORK_TREE_LOCK = "issue-pipeline.lock"
_PATIENCE = 0.5  # seconds: `pipeline status` holds the lock for an instant

Hold = Literal["absent", "free", "held"]


@contextmanager
def only_run(folder: str, git_folder: str, issue: str) -> Iterator[None]:
    """Hold the locks of an issue's folder and of the work tree; the system frees them on a kill."""
    from filelock import FileLock, Timeout  # slow to import, and needed by a run only

    os.makedirs(folder, exist_ok=True)
    with ExitStack() as held:
        try:
            held.enter_context(FileLock(os.path.join(folder, RUN_LOCK), timeout=_PATIENCE))
            held.callback(_leave, folder)
            work_tree = os.path.join(git_folder, _WORK_TREE_LOCK)
            held.enter_context(FileLock(work_tree, timeout=_PATIENCE))
        except Timeout as error:
            is_of_issue = error.lock_file.endswith(RUN_LOCK)
            raise unusable(
                f"another run of {issue} is in progress: wait for it, or stop it"
                if is_of_issue
                else "a run of a different issue is in progress here: wait for it, or use a "
                "separate work tree (git worktree add)"
            ) from None
        yield


def _leave(folder: str) -> None:
    """Remove the lock, and the folders if they are empty."""
    with suppress(OSError):
        os.unlink(os.path.join(folder, RUN_LOCK))
        os.rmdir(folder)
        os.rmdir(os.path.dirname(folder))


def hold_of(folder: str) -> Hold:
    """Return whether an issue's folder has a lock file, and whether a run holds it.

    A shared lock is tried and released at once. Where there is no `flock` (Windows, some file
    systems), a lock file counts as free; one that cannot be opened counts as absent.
    """
    try:
        descriptor = os.open(f"{folder}/{RUN_LOCK}", NO_FOLLOW_FLAGS)
    except (OSError, ValueError):
        return "absent"
    try:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        fcntl.flock(descriptor, fcntl.LOCK_UN)
    except BlockingIOError:
        return "held"
    except (ImportError, OSError):
        return "free"
    finally:
        os.close(descriptor)
    return "free"
