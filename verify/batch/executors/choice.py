"""Chooses who grades: this process, several of this machine, or a cluster."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from verify.batch.bounds import BOUNDS

if TYPE_CHECKING:
    from verify.batch.bounds import Bounds
    from verify.batch.executors.base import Executor, Grade

_WORTH = 8  # submissions that a worker should get at least: to start one takes a while


def executor_for(
    grade: Grade,
    *,
    jobs: int | None,
    scheduler: str | None,
    total: int,
    bounds: Bounds = BOUNDS,
) -> Executor:
    """Return the executor for so many submissions; each kind is imported only where it is chosen.

    `jobs` is 1 for this very process, None for as many workers as there are usable processors.
    `bounds` are what a submission may take.
    """
    if scheduler is not None:
        from verify.batch.executors.cluster import Cluster

        return Cluster(grade, scheduler, bounds)
    workers = usable_processors() if jobs is None else jobs
    if workers == 1:
        from verify.batch.executors.in_process import InProcess

        return InProcess(grade, bounds)
    from verify.batch.executors.pool import Pool

    return Pool(grade, max(1, min(workers, -(-total // _WORTH))), bounds)


def usable_processors() -> int:
    """Return how many processors this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0)) or 1
    return os.cpu_count() or 1
