"""A cohort whose submissions do to their worker what their names say, and its real gradebook."""

from __future__ import annotations

import os
import signal
import struct
import sys
import time
from typing import TYPE_CHECKING, Any

from verify.batch.engine import Engine
from verify.batch.executors.cluster import Cluster
from verify.batch.executors.in_process import InProcess
from verify.batch.executors.pool import Pool
from verify.batch.planning import Planner
from verify.batch.recovery import Task, condemned
from verify.batch.rules import RulesDiffer
from verify.batch.work import Graded, Job
from verify.gradebook.book import Book, Enlisted
from verify.gradebook.opening import reading, writing
from verify.gradebook.reading import GradebookCohort
from verify.gradebook.records import FindingRow, Record
from verify.gradebook.values import CheckInfo, ExerciseInfo

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from verify.batch.executors.base import Executor
    from verify.batch.work import Batch
    from verify.gradebook.values import Standing

RULES = "0" * 64
CHECKS = (CheckInfo("E04.1", "One", 1, False, "p#1"), CheckInfo("E04.2", "Two", 2, False, "p#2"))  # noqa: FBT003  # as the tuple has it
EXERCISE = ExerciseInfo("expert/04", "Evidence", 3, CHECKS)
JOB = Job(("expert/04",), (RULES,))
_PASS = Record("pass", 3, "pp", '[["read", "a.json"]]', b"0123456789abcdef")
_FOUND = FindingRow(1, 0, "b is missing", "b", "nothing", "a.json", "$.b", 3, 1, "Add b.", "{\n}")
_FAIL = Record("fail", 1, "pf", '[["read", "a.json"]]', b"fedcba9876543210", (_FOUND,))


def grade_by_name(job: Job, batch: Batch) -> tuple[Graded, ...]:
    """Grade submissions: `pass…`, `fail…`, and those that do harm.

    `die…` kills its process, `once PATH` too, but not where PATH is there already, `raise…` raises,
    `sending PATH` is killed once in the middle of its answer, `rules…` says that the worker has
    other ones, `slow…` takes 50 ms.
    """
    return tuple(Graded(item.id, (_graded(item.payload, job),)) for item in batch.items)


def _graded(name: str, job: Job) -> Record:
    deed, _, rest = name.partition(" ")
    if deed == "die" or (deed == "once" and _is_first(rest)):
        os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(60)  # a signal to oneself may take a moment
    if deed == "raise":
        raise LookupError(f"no grade for {name} of {job.exercises[0]}")
    if deed == "sending" and _is_first(rest):
        _die_sending()
    if deed == "rules":
        raise RulesDiffer("a worker has other checks")
    if deed == "slow":
        time.sleep(0.05)
    return _FAIL if deed == "fail" else _PASS


def _die_sending() -> None:
    """Begin to send a pool's result, and be killed before the rest of it."""
    frame = sys._getframe()  # noqa: SLF001  # only the pool's own loop knows where results go
    while "result_queue" not in frame.f_locals:
        assert frame.f_back is not None
        frame = frame.f_back
    os.write(frame.f_locals["result_queue"]._writer.fileno(), struct.pack("!i", 4096))  # noqa: SLF001  # as above
    os.kill(os.getpid(), signal.SIGKILL)


def _is_first(path: str) -> bool:
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return False
    return True


def executor_named(name: str, journal: Any, address: str = "") -> Executor:
    """Return an executor with small batches: `in_process`, `pool` or `cluster`."""
    executor: Executor
    if name == "cluster":
        executor = Cluster(grade_by_name, address)
    else:
        executor = (
            InProcess(grade_by_name, journal) if name == "in_process" else Pool(grade_by_name, 2)
        )
    executor.batch_size = 10
    return executor


def grade_cohort(
    gradebook: str,
    names: Sequence[str],
    choose: Callable[[Book], Executor],
    kept: Callable[[Sequence[Graded]], None] = lambda _: None,
) -> None:
    """Grade a cohort into a gradebook, as the command does: a submission for each of `names`."""
    with writing(gradebook) as connection:
        book = Book(connection)
        book.begin(
            "grade",
            started="2026-01-01T00:00:00Z",
            by="ada",
            sources=[("stub", "/cohort")],
            options={},
            rules=[(EXERCISE, RULES)],
        )
        book.enlist(
            Enlisted(f"learner-{at:05}", "", "stub", "/cohort", name)
            for at, name in enumerate(names)
        )
        with choose(book) as executor:
            carry_out(book, executor, kept)
        book.finish("2026-01-01T00:00:01Z")


def carry_out(book: Book, executor: Executor, kept: Callable[[Sequence[Graded]], None]) -> None:
    """Grade what a book has pending."""

    def keep(results: Sequence[Graded]) -> None:
        book.record(results)
        kept(results)

    task = Task(JOB, (len(CHECKS),), keep, lambda: False)
    planner = Planner(
        lambda one: one.inner,
        lambda: executor.batch_size,
        executor.suspects(),
        lambda number: keep([condemned(task, number)]),
    )
    Engine(task, executor).run(planner.batches(book.pending(latest=True)))


def standings(gradebook: str) -> list[Standing]:
    """Return how everybody stands."""
    with reading(gradebook) as connection:
        return list(GradebookCohort(connection).standings())


def main(gradebook: str, *names: str) -> None:
    """Grade a cohort in this very process."""
    grade_cohort(gradebook, names, lambda book: executor_named("in_process", book))


if __name__ == "__main__":
    main(*sys.argv[1:])
