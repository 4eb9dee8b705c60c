"""Grades a batch in a worker of a cluster: in a bounded process beside each of its threads."""

from __future__ import annotations

import multiprocessing
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from verify.batch.executors.child import SPAWN, Child

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verify.batch.bounds import Bounds
    from verify.batch.executors.base import Grade
    from verify.batch.work import Job

_LOOK = 0.25  # seconds between two looks at a process
_children: dict[tuple[str, int], Child] = {}  # by the run and the thread that they grade for
_starting = threading.Lock()


class Order(NamedTuple):
    """What is the same for all batches of a run; `run` is a name that no other run has."""

    run: str
    grade: Grade
    job: Job
    bounds: Bounds


def graded_beside(order: Order, packed: bytes, slack: float, *, alone: bool) -> bytes:
    """Return the answer to a packed batch, of a process that may die without harm to the worker."""
    child = _child_for(order, alone=alone)
    child.hand(packed, slack)
    answer = None
    while answer is None:
        answer = child.answer() if child.inbox.poll(_LOOK) else child.look()
    if alone:
        child.end()
    return answer


def end_children(run: str) -> None:
    """End the processes of this worker that grade for a run: it is over."""
    for key in [key for key in _children if key[0] == run]:
        _children.pop(key).end()


def _child_for(order: Order, *, alone: bool) -> Child:
    key = order.run, threading.get_ident()
    child = _children.get(key)
    if child is not None and not child.is_over and not alone:
        return child
    if child is not None:
        child.end()
    with _starting, _as_parent():
        child = _children[key] = Child(order.grade, order.job, order.bounds, SPAWN)
    return child


@contextmanager
def _as_parent() -> Iterator[None]:
    """Let a process have children that must have none, as a worker under a nanny.

    They end with it all the same: each waits for its parent's end.
    """
    settings = multiprocessing.current_process()._config  # type: ignore[attr-defined]  # noqa: SLF001  # nowhere else
    before = settings.get("daemon")
    settings["daemon"] = False
    try:
        yield
    finally:
        settings["daemon"] = before
