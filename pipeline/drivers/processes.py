"""Ends an agent together with all that it has started, also what an earlier run left running."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

import psutil

if TYPE_CHECKING:
    from collections.abc import Iterable

MARK = "ISSUE_PIPELINE_AGENT"  # in the environment of an agent and of all that it starts


def mark(root: str, issue: str) -> dict[str, str]:
    """Return the variable by which the agents of an issue are recognised."""
    return {MARK: f"{os.path.realpath(root)}:{issue}"}


def descendants(parent: int) -> list[psutil.Process]:
    """Return what a process has started, and what that has.

    Clients of agents give each command a group of its own, which the end of theirs does not reach.
    """
    with contextlib.suppress(psutil.Error):
        return psutil.Process(parent).children(recursive=True)
    return []


def ask_to_end(leader: int) -> None:
    """Ask a process to end, and those of its group where the system has groups."""
    _signal(leader, 15)  # SIGTERM


def kill(leader: int, others: Iterable[psutil.Process] = ()) -> None:
    """Kill a process, its group, what it has started, and `others`, at once."""
    everyone = {*others, *descendants(leader)}
    _signal(leader, 9)  # SIGKILL
    for each in everyone:
        with contextlib.suppress(psutil.Error):
            each.kill()


def _signal(leader: int, number: int) -> None:
    with contextlib.suppress(OSError, psutil.Error):
        if hasattr(os, "killpg"):
            os.killpg(leader, number)
        else:
            psutil.Process(leader).terminate()


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
