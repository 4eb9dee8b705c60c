"""One run at a time: of an issue, and in a work tree, whose branch a run changes."""

from __future__ import annotations

import os
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING

from pipeline.state import RUN_LOCK

if TYPE_CHECKING:
    from collections.abc import Iterator

_PATIENCE = 0.5  # seconds: `pipeline status` tries the lock for an instant
_WORK_TREE_LOCK = "issue-pipeline.lock"


class AlreadyRunning(Exception):
    """Another run holds the lock; nothing was done."""


@contextmanager
def only_run(folder: str, git_folder: str, issue: str) -> Iterator[None]:
    """Hold the locks of an issue's folder and of the work tree; the system frees them on a kill.

    Raises:
        AlreadyRunning: another process holds one of them.
    """
    from filelock import FileLock, Timeout  # slow to import, and needed by a run only

    os.makedirs(folder, exist_ok=True)
    with ExitStack() as held:
        try:
            held.enter_context(FileLock(os.path.join(folder, RUN_LOCK), timeout=_PATIENCE))
            held.callback(_leave, folder)
            held.enter_context(
                FileLock(os.path.join(git_folder, _WORK_TREE_LOCK), timeout=_PATIENCE)
            )
        except Timeout as error:
            own = error.lock_file.endswith(RUN_LOCK)
            raise AlreadyRunning(
                f"another run of {issue} is going on: wait for it, or end it"
                if own
                else "a run of another issue is going on here: wait for it, or give this one a "
                "work tree of its own (git worktree add)"
            ) from None
        yield


def _leave(folder: str) -> None:
    """Leave the folder as the agents left it, none where they left nothing."""
    with suppress(OSError):
        os.unlink(os.path.join(folder, RUN_LOCK))
        os.rmdir(folder)
        os.rmdir(os.path.dirname(folder))
