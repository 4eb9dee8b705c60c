"""A cohort whose submissions do to their worker what their names say, and its real gradebook."""

from __future__ import annotations

import contextlib
import ctypes
import faulthandler
import os
import re
import signal
import struct
import sys
import time
from typing import TYPE_CHECKING

from verify.batch.bounds import Bounds
from verify.batch.engine import Engine
from verify.batch.executors.cluster import Cluster
from verify.batch.executors.in_process import InProcess
from verify.batch.executors.pool import Pool
from verify.batch.planning import Planner
from verify.batch.recovery import Task
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
BOUNDS = Bounds(2.0, 100)  # a busy machine holds no sound submission up for so long
CHECKS = (CheckInfo("E04.1", "One", 1, False, "p#1"), CheckInfo("E04.2", "Two", 2, False, "p#2"))  # noqa: FBT003  # as the tuple has it
EXERCISE = ExerciseInfo("expert/04", "Evidence", 3, CHECKS)
JOB = Job(("expert/04",), (RULES,))
_PASS = Record("pass", 3, "pp", '[["read", "a.json"]]', b"0123456789abcdef")
_FOUND = FindingRow(1, 0, "b is missing", "b", "nothing", "a.json", "$.b", 3, 1, "Add b.", "{\n}")
_FAIL = Record("fail", 1, "pf", '[["read", "a.json"]]', b"fedcba9876543210", (_FOUND,))


def grade_by_name(job: Job, batch: Batch) -> tuple[Graded, ...]:
    """Grade submissions: `pass…`, `fail…`, and those that do harm.

    `once PATH` kills its process, but not where PATH is there already, `sending PATH` is killed
    once in the middle of its answer, `rules…` says that the worker has other ones, `slow…` takes
    50 ms; what the others do stands in `DEEDS`. The container `/gone` cannot be opened.
    """
    assert job == JOB
    if batch.container == "/gone":
        raise FileNotFoundError(2, "No such file or directory", "/gone")
    return tuple(Graded(item.id, (_graded(item.payload),)) for item in batch.items)


def _graded(name: str) -> Record:
    deed, _, rest = name.partition(" ")
    if deed == "once" and _is_first(rest):
        _die()
    if deed in DEEDS:
        DEEDS[deed]()
    if deed == "sending" and _is_first(rest):
        _die_sending()
    if deed == "rules":
        raise RulesDiffer("a worker has other checks")
    if deed == "slow":
        time.sleep(0.05)
    return _FAIL if deed == "fail" else _PASS


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(60)  # a signal to oneself may take a moment


def _raise() -> None:
    raise LookupError("no grade")


def _hang() -> None:
    while True:
        with contextlib.suppress(Exception):  # as careless checks do
            time.sleep(60)


def _hang_compiled() -> None:
    re.fullmatch("(a|aa)+b", "a" * 80)


def _hog() -> None:
    held = [bytearray(1 << 24) for _ in range(1_000)]  # 16 GB, were there no bound
    raise AssertionError(len(held))


def _recurse() -> None:
    _recurse()


def _segfault() -> None:
    faulthandler.disable()  # the tests' own
    ctypes.string_at(0)


def _flood() -> None:
    for _ in range(2_000):
        os.write(1, b"\x1b]0;flood\x07" * 1_000)


DEEDS: dict[str, Callable[[], object]] = {
    "die": _die,
    "raise": _raise,
    "hang": _hang,
    "hang-compiled": _hang_compiled,
    "hog": _hog,
    "exit": sys.exit,
    "leave": lambda: os._exit(7),
    "segfault": _segfault,
    "recurse": _recurse,
    "flood": _flood,
    "close": lambda: os.closerange(3, 256),
}


def _die_sending() -> None:
    """Begin to send a worker's answer, and be killed before the rest of it."""
    frame = sys._getframe()  # noqa: SLF001  # only the worker's own loop knows where answers go
    while "inbox" not in frame.f_locals:
        assert frame.f_back is not None
        frame = frame.f_back
    os.write(frame.f_locals["inbox"].fileno(), struct.pack("!i", 4096))
    os.kill(os.getpid(), signal.SIGKILL)


def _is_first(path: str) -> bool:
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return False
    return True


def executor_named(name: str, address: str = "") -> Executor:
    """Return an executor with small batches: `in_process`, `pool` or `cluster`."""
    executor: Executor
    if name == "cluster":
        executor = Cluster(grade_by_name, address, BOUNDS)
    elif name == "in_process":
        executor = InProcess(grade_by_name, BOUNDS)
    else:
        executor = Pool(grade_by_name, 2, BOUNDS)
    executor.batch_size = 10
    return executor


def grade_cohort(
    gradebook: str,
    names: Sequence[str],
    executor: Executor,
    kept: Callable[[Sequence[Graded]], None] = lambda _: None,
    container: str = "/cohort",
) -> None:
    """Grade a cohort into a gradebook, as the command does: a submission for each of `names`."""
    with writing(gradebook) as connection:
        book = Book(connection)
        book.begin(
            "grade",
            started="2026-01-01T00:00:00Z",
            by="ada",
            sources=[("stub", container)],
            options={},
            rules=[(EXERCISE, RULES)],
        )
        book.enlist(
            Enlisted(f"learner-{at:05}", "", "stub", container, name)
            for at, name in enumerate(names)
        )
        with executor:
            carry_out(book, executor, kept)
        book.finish("2026-01-01T00:00:01Z")


def carry_out(book: Book, executor: Executor, kept: Callable[[Sequence[Graded]], None]) -> None:
    """Grade what a book has pending."""

    def keep(results: Sequence[Graded]) -> None:
        book.record(results)
        kept(results)

    task = Task(JOB, (len(CHECKS),), keep, lambda: False)
    planner = Planner(lambda one: one.inner, lambda: executor.batch_size)
    Engine(task, executor).run(planner.batches(book.pending(latest=True)))


def standings(gradebook: str) -> list[Standing]:
    """Return how everybody stands."""
    with reading(gradebook) as connection:
        return list(GradebookCohort(connection).standings())


def main(gradebook: str, *names: str) -> None:
    """Grade a cohort in this very process."""
    grade_cohort(gradebook, names, executor_named("in_process"))


if __name__ == "__main__":
    main(*sys.argv[1:])
