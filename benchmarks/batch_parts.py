"""One core against the floor, and where the time of a run goes: measured on the run itself."""

from __future__ import annotations

import os
import sys
import time
from contextlib import contextmanager
from functools import partial
from itertools import islice
from statistics import median
from typing import TYPE_CHECKING, Any
from unittest import mock

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
if ROOT not in sys.path:
    sys.path.insert(0, ROOT)

from benchmarks.batch_cohorts import folder_of, read_by_calls
from benchmarks.batch_runs import warm, words
from pipeline.protocol.layout import ARTIFACTS
from verify.child import workers
from verify.gradebook.reading import Submissions
from verify.gradebook.recording import RunRecorder
from verify.intake.opening import open_entry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from benchmarks.batch_cohorts import Cohorts, Gradebooks

PIECE = 250  # submissions that a door is opened for, as in a run
FOUND, PENDING, GRADED, RECORDED = "found", "pending", "graded", "recorded"


class Clock:
    """Adds up the seconds that a run spends in the calls which are wrapped."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    def wrapped(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        """Return a call that counts its seconds under a name."""

        def timed(*args: Any, **options: Any) -> Any:
            start = time.perf_counter()
            try:
                return call(*args, **options)
            finally:
                self._add(name, start)

        return timed

    def drawn(self, name: str, call: Callable[..., Iterator[Any]]) -> Callable[..., Iterator[Any]]:
        """Return a generator that counts the seconds of its own under a name."""

        def timed(*args: Any, **options: Any) -> Iterator[Any]:
            source = call(*args, **options)
            while True:
                start = time.perf_counter()
                one = next(source, None)
                self._add(name, start)
                if one is None:
                    return
                yield one

        return timed

    def _add(self, name: str, start: float) -> None:
        spent = time.perf_counter() - start
        self.seconds[name] = self.seconds.get(name, 0.0) + spent


def floor_and_parts(
    cohorts: Cohorts, gradebooks: Gradebooks, exercise: str, count: int, rounds: int
) -> float:
    """Measure and print; return the median ratio of a run to the floors before and after it."""
    source, files = cohorts.folders(exercise, count), cohorts.files(exercise, count)
    _floor(files)  # the files are in memory from here on
    warm(words(source, exercise, gradebooks.fresh(), "--jobs", "1"))
    floors, runs, parts = [_floor(files)], [], []
    for _ in range(rounds):
        command = words(source, exercise, gradebooks.fresh(), "--jobs", "1")
        runs.append(warm(command, f"{count:,} submissions graded"))
        floors.append(_floor(files))
        parts.append(_parts(source, exercise, gradebooks.fresh()))
        floors.append(_floor(files))
    before, after = floors[0:-1:2], floors[1::2]
    ratios = [2 * run / (one + two) for run, one, two in zip(runs, before, after, strict=True)]
    _print_parts(exercise, count, median(floors), median(runs), parts)
    return median(ratios)


def _floor(files: list[str]) -> float:
    start = time.perf_counter()
    read_by_calls(files)
    return time.perf_counter() - start


def _parts(source: str, exercise: str, gradebook: str) -> dict[str, float]:
    """Return the seconds of a run's parts, and `read`: the same files through the same door."""
    clock = Clock()
    start = time.perf_counter()
    with _watched(clock):
        warm(words(source, exercise, gradebook, "--jobs", "1"))
    total = time.perf_counter() - start
    found = dict(clock.seconds)
    found["rest"] = total - sum(found.values())
    found["read"] = _read(source, folder_of(exercise))
    found[GRADED] -= found["read"]
    return found


@contextmanager
def _watched(clock: Clock) -> Iterator[None]:
    """Count the parts of a run: a few calls a batch, and one a submission."""
    with (
        mock.patch.object(
            RunRecorder, "add_submissions", clock.wrapped(FOUND, RunRecorder.add_submissions)
        ),
        mock.patch.object(Submissions, "__iter__", clock.drawn(PENDING, Submissions.__iter__)),
        mock.patch.object(RunRecorder, "record", clock.wrapped(RECORDED, RunRecorder.record)),
        mock.patch.object(workers, "run", partial(_here, clock)),
    ):
        yield


def _here(
    clock: Clock, call: Callable[[Any, bool], Any], tasks: Iterator[Any], **_: Any
) -> Iterator[list[tuple[Any, Any]]]:
    """Carry tasks out in this process, where their time can be taken; as `workers.run`."""
    again = False
    timed = clock.wrapped(GRADED, lambda piece: [(task, call(task, again)) for task in piece])
    while piece := list(islice(tasks, PIECE)):
        yield timed(piece)


def _read(source: str, inner: str) -> float:
    paths = [f"{inner}/{name}" for name in ARTIFACTS]
    names = sorted(os.listdir(source))
    start = time.perf_counter()
    for name in names:
        files = open_entry("folder", source, name)
        for path in paths:
            files.read(path)
        files.close()
    return time.perf_counter() - start


def _print_parts(
    exercise: str, count: int, floor: float, run: float, parts: list[dict[str, float]]
) -> None:
    rows = {
        "the floor": floor,
        "the whole run": run,
        "  listed and written down": _median(parts, FOUND),
        "  asked for what is pending": _median(parts, PENDING),
        "  files read through the door": _median(parts, "read"),
        "  digests, parsing, validation, checks": _median(parts, GRADED),
        "  results recorded": _median(parts, RECORDED),
        "  the rest: opening, planning, summary": _median(parts, "rest"),
    }
    print(f"\n{exercise}, {count:,} submissions{'us each':>18}{'floors':>9}")
    for name, seconds in rows.items():
        print(f"{name:<40}{seconds / count * 1e6:>12.1f}{seconds / floor:>9.2f}", flush=True)


def _median(parts: list[dict[str, float]], name: str) -> float:
    return median(part[name] for part in parts)
