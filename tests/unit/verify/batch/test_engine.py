"""The engine holds a bounded number of batches, and stops in order."""

from __future__ import annotations

from concurrent.futures import Future
from typing import TYPE_CHECKING

import pytest

from verify.batch import recovery
from verify.batch.engine import Engine
from verify.batch.recovery import Task
from verify.batch.work import Batch, Graded, Item, Job
from verify.gradebook.records import Record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from typing_extensions import Self

JOB = Job(("expert/04",), ("0",))
PASS = Record("pass", 1, "p", "[]", b"")


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look after the workers without waiting first."""
    monkeypatch.setattr(recovery, "_TICK", 0)


class Lost(Exception):
    """What the executor of these tests calls a lost worker."""


class Held:
    """An executor that completes its oldest batch when the engine looks after the workers.

    `answers` says what comes of a batch by its first submission's number.
    """

    workers = 2
    batch_size = 3
    window = 4

    def __init__(self, answers: Callable[[Batch], Exception | None]) -> None:
        self.flying: list[tuple[Batch, Future[tuple[Graded, ...]]]] = []
        self.most = self.rebuilt = 0
        self.tried: list[list[int]] = []
        self._answers = answers

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None: ...

    def submit(self, job: Job, batch: Batch) -> Future[tuple[Graded, ...]]:
        assert job is JOB
        future: Future[tuple[Graded, ...]] = Future()
        self.flying.append((batch, future))
        self.tried.append([item.id for item in batch.items])
        self.most = max(self.most, len(self.flying))
        if len(self.flying) == self.window:
            self.check()
        return future

    def lost(self, error: BaseException) -> bool:
        return isinstance(error, Lost)

    def rebuild(self) -> None:
        self.rebuilt += 1

    def suspects(self) -> Mapping[int, int]:
        return {}

    def check(self) -> None:
        batch, future = self.flying.pop(0)
        error = self._answers(batch)
        if error is None:
            future.set_result(tuple(Graded(item.id, (PASS,)) for item in batch.items))
        else:
            future.set_exception(error)


def batches(number: int, drawn: list[int], size: int = 1) -> Iterator[Batch]:
    for at in range(number):
        drawn.append(at)
        items = tuple(Item(at * size + each, "s") for each in range(size))
        yield Batch("folder", "/a", items)


def run(executor: Held, source: Iterator[Batch], stop_after: int = 1_000) -> dict[int, str]:
    kept: dict[int, str] = {}

    def keep(results: Sequence[Graded]) -> None:
        for number, records in results:
            assert number not in kept
            assert records[0] is not None
            kept[number] = records[0].outcome

    task = Task(JOB, (1,), keep, lambda: len(kept) >= stop_after)
    Engine(task, executor).run(source)
    return kept


def test_no_more_batches_are_made_than_may_be_under_way() -> None:
    drawn: list[int] = []
    executor = Held(lambda _: None)
    kept = run(executor, batches(50, drawn))

    assert kept == dict.fromkeys(range(50), "pass")
    assert executor.most == 4


def test_what_is_under_way_when_the_run_is_stopped_is_kept_and_no_more_is_begun() -> None:
    drawn: list[int] = []
    executor = Held(lambda _: None)
    kept = run(executor, batches(50, drawn), stop_after=10)

    assert len(drawn) <= 10 + executor.window
    assert kept == dict.fromkeys(drawn, "pass")


def test_what_takes_too_long_is_left_when_the_run_is_stopped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(recovery, "_PATIENCE", 0)
    looks: list[int] = []

    class Stuck(Held):
        def check(self) -> None:
            looks.append(1)

    task = Task(JOB, (1,), lambda _: None, lambda: len(looks) > 0)
    Engine(task, Stuck(lambda _: None)).run(batches(2, []))

    assert looks == [1]  # a second one would wait for the same again


def test_a_poisoned_batch_is_halved_until_the_culprit_stands_alone_twice() -> None:
    executor = Held(lambda batch: Lost() if any(i.id == 5 for i in batch.items) else None)
    kept = run(executor, batches(1, [], size=8))

    assert executor.tried == [
        [0, 1, 2, 3, 4, 5, 6, 7],
        [0, 1, 2, 3, 4, 5, 6, 7],
        [0, 1, 2, 3],
        [4, 5, 6, 7],
        [4, 5],
        [4],
        [5],
        [5],
        [6, 7],
    ]
    assert kept == {**dict.fromkeys((0, 1, 2, 3, 4, 6, 7), "pass"), 5: "error"}
    assert executor.rebuilt == 6


def test_a_batch_that_raises_is_halved_and_the_culprit_tried_alone_once() -> None:
    executor = Held(lambda batch: ValueError() if any(i.id == 1 for i in batch.items) else None)
    kept = run(executor, batches(1, [], size=4))

    assert executor.tried == [[0, 1, 2, 3], [0, 1, 2, 3], [0, 1], [0], [1], [2, 3]]
    assert kept == {0: "pass", 1: "error", 2: "pass", 3: "pass"}
