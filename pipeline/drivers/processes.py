"""Ends an agent together with all that it has started, also what an earlier run left running."""

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
    """Return what a process has started, also in groups of their own, as clients start commands."""
    with contextlib.suppress(psutil.Error):
        return psutil.Process(parent).children(recursive=True)
    return []


def kill(leader: int, others: Iterable[psutil.Process] = ()) -> None:
    """Kill a process, its group, what it has started, and `others`, at once."""
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
    """Kill what an earlier run of an issue has left running; return the names of the programs.

    Call it only while no other run of the issue can be under way.
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
