"""The engine holds a bounded number of batches, and stops in order."""

from __future__ import annotations

from concurrent.futures import Future
from typing import TYPE_CHECKING

import pytest

from verify.batch import engine
from verify.batch.bounds import BOUNDS, Stopped, died
from verify.batch.engine import Engine
from verify.batch.executors.base import Unfit
from verify.batch.recovery import Task
from verify.batch.work import Batch, Graded, Item, Job
from verify.gradebook.records import Record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from typing_extensions import Self

JOB = Job(("expert/04",), ("0",))
PASS = Record("pass", 1, "p", "[]", b"")


class Held:
    """An executor that completes its oldest batch when the engine waits.

    `answers` says what comes of a batch, and whether it was alone: its results, or why there are
    none. Each of `tried` is the numbers of a batch; of one that was alone, they are negative.
    """

    workers = 2
    batch_size = 3
    window = 4
    bounds = BOUNDS

    def __init__(self, answers: Callable[[Batch], Stopped | None]) -> None:
        self.flying: list[tuple[Batch, Future[tuple[Graded, ...]]]] = []
        self.most = 0
        self.tried: list[list[int]] = []
        self._answers = answers

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None: ...

    def submit(self, job: Job, batch: Batch, *, alone: bool = False) -> Future[tuple[Graded, ...]]:
        assert job is JOB
        future: Future[tuple[Graded, ...]] = Future()
        self.flying.append((batch, future))
        self.tried.append([-item.id if alone else item.id for item in batch.items])
        self.most = max(self.most, len(self.flying))
        return future

    def wait(self, seconds: float) -> None:
        assert seconds > 0
        batch, future = self.flying.pop(0)
        stopped = self._answers(batch)
        if stopped is None:
            future.set_result(tuple(Graded(item.id, (PASS,)) for item in batch.items))
        else:
            future.set_exception(stopped)


class OneByOne(Held):
    """The same with one batch under way at a time."""

    window = 1


def at_any_of(culprits: set[int], *, known: bool = True) -> Callable[[Batch], Stopped | None]:
    """Return answers: a batch ends at the first of the culprits, which is told where `known`."""

    def answer(batch: Batch) -> Stopped | None:
        places = [at for at, item in enumerate(batch.items) if item.id in culprits]
        return died(-9, at=places[0] if known else None) if places else None

    return answer


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
    monkeypatch.setattr(engine, "_PATIENCE", 0)
    looks: list[int] = []

    class Stuck(Held):
        def wait(self, seconds: float) -> None:
            assert seconds > 0
            looks.append(1)

    task = Task(JOB, (1,), lambda _: None, lambda: len(looks) > 0)
    Engine(task, Stuck(lambda _: None)).run(batches(2, []))

    assert looks == [1]  # a second one would wait for the same again


def test_a_batch_is_split_at_the_culprit_who_is_tried_alone_after_everybody_else() -> None:
    executor = OneByOne(at_any_of({5}))
    kept = run(executor, batches(2, [], size=8))

    assert executor.tried == [
        [0, 1, 2, 3, 4, 5, 6, 7],
        [0, 1, 2, 3, 4],
        [8, 9, 10, 11, 12, 13, 14, 15],
        [6, 7],
        [-5],
    ]
    assert kept == {**dict.fromkeys(range(16), "pass"), 5: "error"}


def test_a_batch_whose_culprit_nobody_knows_is_halved_until_it_stands_alone() -> None:
    executor = OneByOne(at_any_of({5}, known=False))
    kept = run(executor, batches(1, [], size=8))

    assert executor.tried == [
        [0, 1, 2, 3, 4, 5, 6, 7],
        [0, 1, 2, 3],
        [4, 5, 6, 7],
        [4, 5],
        [6, 7],
        [4],
        [5],
        [-5],
    ]
    assert kept == {**dict.fromkeys(range(8), "pass"), 5: "error"}


def test_hostile_neighbours_in_a_row_end_no_run_in_which_others_can_be_graded() -> None:
    culprits = set(range(8, 88))
    executor = Held(at_any_of(culprits))
    kept = run(executor, batches(12, [], size=8))

    assert kept == {n: "error" if n in culprits else "pass" for n in range(96)}
    assert executor.tried.count([88]) > 0  # that was graded before: the machine is in order


def test_a_machine_that_grades_nothing_any_more_ends_the_run_and_condemns_nobody() -> None:
    executor = OneByOne(lambda _: died(-9, at=0) if executor.tried[3:] else None)
    with pytest.raises(Unfit) as raised:
        run(executor, batches(60, [], size=8))

    assert executor.tried[-1] == [16]  # graded before, and not any more
    assert str(raised.value) == (
        "nothing can be graded any more: 20 batches in a row failed, and one that could be graded"
        " cannot any more; the last: grading this submission ends the process that grades it (it"
        " died of signal 9, SIGKILL): this is our fault (is there enough memory, and time?)"
    )


def test_who_had_too_little_memory_among_others_is_tried_alone() -> None:
    starved = Record("error", None, "e", "[]", b"", (), "Traceback\nMemoryError\n")

    class Small(OneByOne):
        def wait(self, seconds: float) -> None:
            assert seconds > 0
            batch, future = self.flying.pop(0)
            alone = self.tried[-1][0] < 0
            hungry = {1, 2} if not alone else {2}
            future.set_result(
                tuple(Graded(i.id, (starved if i.id in hungry else PASS,)) for i in batch.items)
            )

    executor = Small(lambda _: None)
    kept = run(executor, batches(1, [], size=4))

    assert executor.tried == [[0, 1, 2, 3], [-1], [-2]]
    assert kept == {0: "pass", 1: "pass", 2: "error", 3: "pass"}
