"""Ends an agent and all processes that it started, also those left by an earlier run."""

from __future__ import annotations

import contextlib
import os
import signal
from typing import TYPE_CHECKING

import psutil

if TYPE_CHECKING:
    from collections.abc import Iterable

MARK = "ISSUE_PIPELINE_AGENT"  # in the environment of an agent and of all that it starts


def mark(root: str, issue: str) -> dict[str, str]:
    """Return the variable by which the agents of an issue are recognised."""
    return {MARK: f"{os.path.realpath(root)}:{issue}"}


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
    for each in everyone:
        with contextlib.suppress(psutil.Error):
            each.kill()


def end_leftovers(root: str, issue: str) -> list[str]:
    """Kill the processes that an earlier run of an issue left; return their names.

    Call this only while no other run of the issue can be in progress.
    """
    (value,) = mark(root, issue).values()
    own = {os.getpid(), *(each.pid for each in psutil.Process().parents())}
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            if process.pid not in own and process.environ().get(MARK) == value:
                found.append(process.name())
                process.kill()
    return found
