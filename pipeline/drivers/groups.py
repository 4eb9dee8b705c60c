"""Ends a process together with all that it has started."""

from __future__ import annotations

import contextlib
import os
import signal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_KILL = getattr(signal, "SIGKILL", signal.SIGTERM)  # Windows has no other


def ask_to_end(leader: int) -> None:
    """Ask a group of processes to end, by its leader."""
    _signal(leader, signal.SIGTERM)


def kill(leader: int, others: Iterable[int] = ()) -> None:
    """Kill a group, all that its leader has started, and `others`, at once."""
    everyone = {*others, *descendants(leader)}
    _signal(leader, _KILL)
    for each in everyone:
        with contextlib.suppress(OSError):
            os.kill(each, _KILL)


def descendants(parent: int) -> list[int]:
    """Return what a process has started and what that has, where the system tells (`/proc`).

    Clients of agents give each command a group of its own, which the end of theirs does not reach.
    """
    children: dict[int, list[int]] = {}
    for process, its_parent in _parents():
        children.setdefault(its_parent, []).append(process)
    found, left = [], [parent]
    while left:
        below = children.get(left.pop(), [])
        found += below
        left += below
    return found


def _signal(leader: int, number: int) -> None:
    """Send a signal to a group of processes; where the system has none, to the process."""
    with contextlib.suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(leader, number)
        else:
            os.kill(leader, number)


def _parents() -> Iterator[tuple[int, int]]:
    with contextlib.suppress(OSError):
        for name in filter(str.isdecimal, os.listdir("/proc")):
            with contextlib.suppress(OSError), open(f"/proc/{name}/stat", "rb") as file:
                # After the name in brackets, which may hold anything: the state, the parent.
                yield int(name), int(file.read().rpartition(b")")[2].split()[1])
