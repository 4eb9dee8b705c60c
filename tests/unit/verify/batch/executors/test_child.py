"""A worker process that keeps too much memory leaves, and one that nothing comes of is ended."""

from __future__ import annotations

import time
from concurrent.futures import Future

import pytest

from tests.stubs.cohort import BOUNDS, JOB
from verify.batch.bounds import Stopped
from verify.batch.executors import child
from verify.batch.executors.child import Child
from verify.batch.executors.wire import packed_batch
from verify.batch.executors.wire_answers import settle
from verify.batch.work import Batch, Graded, Item, Job

_KEPT: list[bytearray] = []


def keep(_: Job, batch: Batch) -> tuple[Graded, ...]:
    """Keep the megabytes that a submission's name says."""
    _KEPT.extend(bytearray(b"x") * (int(item.payload) << 20) for item in batch.items)
    return tuple(Graded(item.id, (None,)) for item in batch.items)


def before_the_first(_: Job, batch: Batch) -> tuple[Graded, ...]:
    """Hang before any submission is looked at."""
    time.sleep(60)
    return tuple(Graded(item.id, (None,)) for item in batch.items)


def answered(worker: Child, name: str) -> tuple[Graded, ...]:
    worker.hand(packed_batch(Batch("stub", "/cohort", (Item(1, name),))), 0.0)
    answer = None
    while answer is None:
        answer = worker.answer() if worker.inbox.poll(0.05) else worker.look()
    future: Future[tuple[Graded, ...]] = Future()
    settle(future, answer)
    return future.result()


def test_a_worker_leaves_after_the_batch_with_which_it_has_grown_too_much() -> None:
    worker = Child(keep, JOB, BOUNDS)
    over = []
    for megabytes in ("1", "60"):
        assert answered(worker, megabytes) == (Graded(1, (None,)),)
        over.append(worker.is_over)

    assert over == [False, True]


def test_a_worker_that_never_comes_to_a_submission_is_ended_and_nobody_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(child, "_BEGINNING", 0.1)
    worker = Child(before_the_first, JOB, BOUNDS)
    with pytest.raises(Stopped) as raised:
        answered(worker, "")

    assert (raised.value.at, raised.value.reason) == (None, "nothing came of its batch for 0.1 s")
    assert worker.is_over


def test_a_worker_that_was_ended_while_nobody_looked_is_noticed() -> None:
    worker = Child(keep, JOB, BOUNDS)
    answered(worker, "1")
    worker._process.kill()  # noqa: SLF001  # as the system does when memory is short
    worker._process.join()  # noqa: SLF001  # as above
    with pytest.raises(Stopped) as raised:
        answered(worker, "1")

    assert "it died of signal 9, SIGKILL" in raised.value.reason
