"""Ends an agent and all that it started, and settles what an earlier run left running."""

from __future__ import annotations

import contextlib
import os
import signal
from typing import TYPE_CHECKING

import psutil

if TYPE_CHECKING:
    from collections.abc import Iterable

MARK = "ISSUE_PIPELINE_AGENT"  # in the environment of an agent and of all that it starts
_GIT_MARK = "ISSUE_PIPELINE_GIT"  # in that of a run's own git and of its hooks
_PATIENCE = 60.0  # seconds: a hook of an earlier run may still test what it is about to commit
_GRACE = 5.0


def mark(root: str, issue: str) -> dict[str, str]:
    """Return the variable by which the agents of an issue are recognised."""
    return {MARK: f"{os.path.realpath(root)}:{issue}"}


def mark_of_git(root: str, issue: str) -> dict[str, str]:
    """Return the variable by which an issue's own git commands and their hooks are recognised."""
    return {_GIT_MARK: f"{os.path.realpath(root)}:{issue}"}


def descendants(parent: int) -> list[psutil.Process]:
    """Return all processes that a process started, also those in their own process groups."""
    with contextlib.suppress(psutil.Error):
        return psutil.Process(parent).children(recursive=True)
    return []


def kill(leader: int, others: Iterable[psutil.Process] = ()) -> None:
    """Kill a process, its group, its descendants, and `others`, at once."""
    everyone = {*others, *descendants(leader)}
    with contextlib.suppress(OSError, psutil.Error):
        if hasattr(os, "killpg"):
            os.killpg(leader, signal.SIGKILL)
        else:
            psutil.Process(leader).kill()
    for process in everyone:
        with contextlib.suppress(psutil.Error):
            process.kill()


def end_leftovers(root: str, issue: str) -> list[str]:
    """Kill the processes that an earlier run of an issue left; return their names.

    Call this only while no other run of the issue can be in progress.
    """
    names = []
    for process in _marked(mark(root, issue)):
        with contextlib.suppress(psutil.Error):
            names.append(process.name())
            process.kill()
    return names


def git_leftovers(root: str, issue: str) -> list[psutil.Process]:
    """Return the git commands of an issue, and their hooks, that no run waits for any more."""
    return _marked(mark_of_git(root, issue))


def settle(processes: list[psutil.Process], patience: float = _PATIENCE) -> None:
    """Wait for processes to end, and end those that take longer: git removes its locks."""
    _, alive = psutil.wait_procs(processes, timeout=patience)
    for stop in (psutil.Process.terminate, psutil.Process.kill):
        for process in alive:
            with contextlib.suppress(psutil.Error):
                stop(process)
        _, alive = psutil.wait_procs(alive, timeout=_GRACE)


def _marked(mark: dict[str, str]) -> list[psutil.Process]:
    """Return the processes that have a variable, without this one and what started it."""
    ((name, value),) = mark.items()
    ours = {os.getpid(), *(parent.pid for parent in psutil.Process().parents())}
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            if process.pid not in ours and process.environ().get(name) == value:
                found.append(process)
    return found
