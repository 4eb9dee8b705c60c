"""A worker of a cluster grades in a process beside it: that one may die, the worker does not."""

from __future__ import annotations

import os
from concurrent.futures import Future
from typing import TYPE_CHECKING

import pytest

from tests.stubs import cohort
from verify.batch.bounds import Stopped
from verify.batch.executors.elsewhere import Order, end_children, graded_beside
from verify.batch.executors.wire import packed_batch
from verify.batch.executors.wire_answers import settle
from verify.batch.work import Batch, Graded, Item, Job
from verify.gradebook.records import Record

if TYPE_CHECKING:
    from collections.abc import Iterator


def grade_by_process(_: Job, batch: Batch) -> tuple[Graded, ...]:
    """Give the number of the process as the score; one named `leave` ends it."""
    for item in batch.items:
        if item.payload == "leave":
            os._exit(4)
    return tuple(Graded(i.id, (Record("pass", os.getpid(), "p", "[]", b""),)) for i in batch.items)


@pytest.fixture(autouse=True)
def _ended() -> Iterator[None]:
    yield
    for run in ("1", "2"):
        end_children(run)


def graded(name: str, *, alone: bool = False, run: str = "1") -> int | str:
    """Return the process that graded a submission, or why none did."""
    packed = packed_batch(Batch("stub", "/cohort", (Item(1, name),)))
    order = Order(run, grade_by_process, cohort.JOB, cohort.BOUNDS)
    answer = graded_beside(order, packed, 0.0, alone=alone)
    future: Future[tuple[Graded, ...]] = Future()
    settle(future, answer)
    error = future.exception()
    if error is not None:
        assert isinstance(error, Stopped)
        return error.reason
    (record,) = future.result()[0].records
    assert record is not None
    return record.score or 0


def test_who_is_tried_alone_gets_a_process_that_has_graded_nothing_else() -> None:
    told = [graded("ada"), graded("bob", alone=True), graded("cai")]

    assert len({*told, os.getpid()}) == 4


def test_two_runs_on_one_cluster_have_processes_of_their_own() -> None:
    told = [graded("ada"), graded("ada", run="2"), graded("bob"), graded("bob", run="2")]
    end_children("1")
    told += [graded("cai", run="2"), graded("cai")]

    assert told[:2] == told[2:4]
    assert told[1] == told[4]
    assert len({*told, os.getpid()}) == 4
