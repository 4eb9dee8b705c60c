"""The pool's processes share what was imported before them: nothing writes to it in passing."""

from __future__ import annotations

import gc

from verify.batch.executors.pool import Pool
from verify.batch.work import Batch, Graded, Item, Job

JOB = Job(("foundation/04",), ("",))
BATCH = Batch("folder", "/srv/cohort", (Item(1, "abe"),))


def frozen(_: Job, batch: Batch) -> tuple[Graded, ...]:
    """Tell in place of a result's id whether a worker's collections pass over anything."""
    return tuple(Graded(int(gc.get_freeze_count() > 0), (None,)) for _ in batch.items)


def test_what_is_shared_with_workers_is_passed_over_by_collections_while_they_run() -> None:
    with Pool(frozen, 1) as pool:
        future = pool.submit(JOB, BATCH)
        while not future.done():
            pool.wait(1.0)
        (graded,) = future.result()
        meanwhile = gc.get_freeze_count()

    assert graded.id == 1
    assert meanwhile > 0
    assert gc.get_freeze_count() == 0
