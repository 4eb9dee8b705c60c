"""What it costs to grade a cohort: against a floor, with faults, with two workers, again, in a zip.

usage: python benchmarks/batch.py [--submissions 2000] [--rounds 3] [--only PART ...]

Each part runs `verify batch` as a user starts it. What is compared runs in turn; medians of the
rounds' ratios are printed. The bounds are stated for `--submissions 20000`; exits with 3 where one
is missed at that size.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from functools import partial
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[0] = ROOT

from benchmarks.cohorts import CANVAS, EXERCISE, FAULTY, FLAWLESS, MIXED, MOODLE, Cohorts
from benchmarks.measure import GRADER, Figure, in_turn, print_figures, ratio_of, spent

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.measure import Spent

FULL = 20_000  # submissions that the bounds are stated for
ARCHIVED, LARGE = 10_000, 50_000  # submissions of the zips


class Bench(NamedTuple):
    """What all parts measure with."""

    cohorts: Cohorts
    size: int
    rounds: int

    def grading(self, source: str, *options: str) -> list[str]:
        """Return the command that grades a cohort into a new gradebook."""
        book = ("--gradebook", self.cohorts.fresh(), "--quiet")
        return [*GRADER, "batch", source, "--exercise", EXERCISE, *book, *options]

    def figure(self, what: str, measured: float, bound: float, *, most: bool = True) -> Figure:
        """Return a figure of a whole cohort."""
        return Figure(what, measured, bound, self.size, FULL, most)


def main() -> int:
    """Measure, print, and return the exit code."""
    parser = argparse.ArgumentParser(description="Grading a cohort, in ratios.")
    parser.add_argument("--submissions", type=int, default=2_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", choices=tuple(PARTS), nargs="+", default=tuple(PARTS))
    options = parser.parse_args()
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Cohorts(folder), options.submissions, options.rounds)
        for part in options.only:
            figures += PARTS[part](bench)
    return print_figures(figures)


def floor(bench: Bench) -> list[Figure]:
    """Measure the CPU time of one worker against the least that a grader does."""
    source = bench.cohorts.folders(FLAWLESS, bench.size)
    least = [sys.executable, os.path.join(ROOT, "benchmarks", "floor.py"), source]
    options = ("--roster", bench.cohorts.roster(bench.size), "--jobs", "1")
    ours, theirs = in_turn(bench.rounds, lambda: bench.grading(source, *options), lambda: least)
    what = "flawless, with a roster, CPU of --jobs 1 / open, json.loads, pydantic, INSERT"
    return [bench.figure(what, _ratio(ours, theirs), 5.5)]


def faults(bench: Bench) -> list[Figure]:
    """Measure the CPU time of submissions with four faults against flawless ones."""
    sources = [bench.cohorts.folders(kind, bench.size) for kind in (FAULTY, FLAWLESS)]
    commands = [partial(bench.grading, source, "--jobs", "1") for source in sources]
    found = in_turn(bench.rounds, *commands)
    return [bench.figure("four faults / flawless, CPU", _ratio(*found), 3.0)]


def workers(bench: Bench) -> list[Figure]:
    """Measure two workers against one."""
    source = bench.cohorts.folders(MIXED, bench.size)
    commands = [partial(bench.grading, source, "--jobs", jobs) for jobs in "12"]
    found = in_turn(bench.rounds, *commands)
    first, second = ([run.wall for run in runs] for runs in found)
    what = "a third flawless, faulty, incomplete: time of --jobs 1 / --jobs 2"
    return [bench.figure(what, ratio_of(first, second), 1.5, most=False)]


def memory(bench: Bench) -> list[Figure]:
    """Measure the largest process, with a cohort against a tenth of it, and with a large zip."""
    few = max(1, bench.size // 10)
    peaks = [
        spent(*bench.grading(bench.cohorts.folders(MIXED, size))).mebibytes
        for size in (bench.size, few)
    ]
    count = bench.size * LARGE // FULL
    archive = bench.grading(bench.cohorts.zipped(MOODLE, count))
    what = f"peak memory of {bench.size:,} / {few:,} submissions"
    return [
        bench.figure(what, peaks[0] / peaks[1], 1.15),
        Figure("a zip, peak MiB of a process", spent(*archive).mebibytes, 100, count, LARGE),
    ]


def resume(bench: Bench) -> list[Figure]:
    """Measure a run over an unchanged cohort against the run before it."""
    source = bench.cohorts.folders(MIXED, bench.size)
    found = []
    for jobs in "12":
        first, again = [], []
        for _ in range(bench.rounds):
            command = bench.grading(source, "--jobs", jobs)
            first.append(spent(*command).wall)
            again.append(spent(*command).wall)
        what = f"resumed run / first run, --jobs {jobs}"
        found.append(bench.figure(what, ratio_of(again, first), 0.5))
    return found


def archive(bench: Bench) -> list[Figure]:
    """Measure one zip against folders of the same submissions, in CPU time."""
    count = max(1, bench.size // 2)
    sources = [bench.cohorts.zipped(shape, count) for shape in (MOODLE, CANVAS)]
    sources.append(bench.cohorts.folders(FLAWLESS, count))
    commands = [partial(bench.grading, source, "--jobs", "1") for source in sources]
    *zips, folders = in_turn(bench.rounds, *commands)
    return [
        Figure(f"one zip as {shape} makes it / folders", ratio, 1.5, count, ARCHIVED)
        for shape, ratio in zip(
            ("Moodle", "Canvas"), (_ratio(runs, folders) for runs in zips), strict=True
        )
    ]


def _ratio(above: list[Spent], below: list[Spent]) -> float:
    seconds = [[run.cpu for run in runs] for runs in (above, below)]
    print("   ".join(f"{median(found):.2f} s" for found in seconds), flush=True)
    return ratio_of(*seconds)


PARTS: dict[str, Callable[[Bench], list[Figure]]] = {
    "floor": floor,
    "faults": faults,
    "workers": workers,
    "memory": memory,
    "resume": resume,
    "archive": archive,
}

if __name__ == "__main__":
    raise SystemExit(main())
