"""What it costs to grade a cohort, against the same files read, one worker, less of it, or before.

usage: python benchmarks/batch.py [--submissions 2000] [--rounds 3] [--only PART ...]

The parts: `floor` (the whole command in a warm process, one core, against the bare system calls
that read the same files, and where its time goes), `workers` (two against one), `memory` (a cohort
against a tenth of it), `resume` (an unchanged cohort against its first run), `archive` (one zip of
a learning platform against folders). What is compared runs in turn; medians of the rounds' ratios
are printed. The bounds are stated for `--submissions 100000`; exits with 3 where one is missed at
that size.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[0] = ROOT

from benchmarks.batch_cohorts import EXERCISES, SHAPES, Cohorts, Gradebooks
from benchmarks.batch_parts import floor_and_parts
from benchmarks.batch_runs import (
    Figure,
    peak_of,
    print_figures,
    ratio_of,
    side_by_side,
    warm,
    whole,
    words,
)

if TYPE_CHECKING:
    from collections.abc import Callable

TRACE = "practitioner/04"
FULL, ARCHIVED = 100_000, 10_000  # submissions that the bounds are stated for
FEW = 1_000  # submissions of the smallest cohort that the archives are measured with


class Bench(NamedTuple):
    """What all parts measure with."""

    cohorts: Cohorts
    gradebooks: Gradebooks
    size: int
    rounds: int


def main() -> int:
    """Measure, print, and return the exit code."""
    parser = argparse.ArgumentParser(description="Grading a cohort, in ratios.")
    parser.add_argument("--submissions", type=int, default=2_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", choices=tuple(PARTS), nargs="+", default=tuple(PARTS))
    options = parser.parse_args()
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory() as folder, Gradebooks(folder) as gradebooks:
        bench = Bench(Cohorts(folder), gradebooks, options.submissions, options.rounds)
        for part in options.only:
            figures += PARTS[part](bench)
    return print_figures(figures)


def floor(bench: Bench) -> list[Figure]:
    """Measure one core against reading, for each exercise with a trace."""
    found = []
    for exercise in EXERCISES:
        ratio = floor_and_parts(bench.cohorts, bench.gradebooks, exercise, bench.size, bench.rounds)
        what = f"{exercise}, one core, recorded / os.open, os.read, os.close"
        found.append(Figure(what, ratio, 3.0, bench.size, FULL))
        if exercise != TRACE:
            bench.cohorts.drop(exercise, bench.size)
    return found


def workers(bench: Bench) -> list[Figure]:
    """Measure two workers against one, whole processes; and what two processors can do at most."""
    one, two, both = [], [], []
    for _ in range(bench.rounds):
        one.append(whole(_words(bench, "--jobs", "1")))
        two.append(whole(_words(bench, "--jobs", "2")))
        source = bench.cohorts.folders(TRACE, bench.size)
        books = (bench.gradebooks.fresh(), bench.gradebooks.beside())
        both.append(side_by_side([words(source, TRACE, book, "--jobs", "1") for book in books]))
    spent = {"--jobs 1": one, "--jobs 2": two, "two commands at once": both}
    _print_seconds("workers", spent)
    most = ratio_of([2 * seconds for seconds in one], both)
    print(f"the most that two processors gain here, with nothing in common: {most:.2f}")
    what = "time of --jobs 1 / --jobs 2"
    return [Figure(what, ratio_of(one, two), 1.8, bench.size, FULL, most=False)]


def memory(bench: Bench) -> list[Figure]:
    """Measure the memory of all processes, with a cohort and a tenth of it."""
    if not os.path.exists("/proc/self/smaps_rollup"):
        print("\nmemory: this system does not tell the proportional set size of a process")
        return []
    few = max(1, bench.size // 10)
    print(f"\n{'peak memory (PSS)':<20}{'submissions':>12}{'MiB':>8}{'looks':>7}")
    peaks = {few: [0.0], bench.size: [0.0]}
    for _ in range(bench.rounds):
        for count, found in peaks.items():
            source = bench.cohorts.folders(TRACE, count)
            command = words(source, TRACE, bench.gradebooks.fresh(), "--jobs", "2")
            peak = peak_of(command)
            found.append(peak.mebibytes)
            print(f"{'--jobs 2':<20}{count:>12,}{peak.mebibytes:>8.1f}{peak.looks:>7}")
    ratio = ratio_of(peaks[bench.size][1:], peaks[few][1:])
    what = f"peak memory of {bench.size:,} / {few:,} submissions"
    return [Figure(what, ratio, 1.15, bench.size, FULL)]


def resume(bench: Bench) -> list[Figure]:
    """Measure a run over an unchanged cohort against the run before it."""
    runs: dict[str, Callable[[list[str]], float]] = {"1": warm, "2": whole}
    found, unchanged = [], f"{bench.size:,} unchanged"
    for jobs, run in runs.items():
        first, again = [], []
        for _ in range(bench.rounds):
            command = _words(bench, "--jobs", jobs)
            first.append(run(command))
            again.append(run(command))
        warm(command, unchanged)
        _print_seconds(f"resume, --jobs {jobs}", {"first": first, "resumed": again})
        what = f"resumed run / first run, --jobs {jobs}"
        found.append(Figure(what, ratio_of(again, first), 0.5, bench.size, FULL))
    return found


def archive(bench: Bench) -> list[Figure]:
    """Measure one zip against folders of the same submissions, one core, in a warm process."""
    count = max(bench.size // 10, FEW)
    sources = {"folders": bench.cohorts.folders(TRACE, count)}
    sources |= {shape: bench.cohorts.zipped(TRACE, count, shape) for shape in SHAPES}
    spent: dict[str, list[float]] = {name: [] for name in sources}
    for lap in range(bench.rounds + 1):
        for name, source in sources.items():
            command = words(source, TRACE, bench.gradebooks.fresh(), "--jobs", "1")
            seconds = warm(command, f"{count:,} submissions graded")
            if lap:  # the first one warms up
                spent[name].append(seconds)
    _print_seconds(f"archive, {count:,} submissions", spent)
    return [
        Figure(
            f"one zip as {shape.title()} makes it / folders",
            ratio_of(spent[shape], spent["folders"]),
            1.5,
            count,
            ARCHIVED,
        )
        for shape in SHAPES
    ]


def _words(bench: Bench, *options: str) -> list[str]:
    source = bench.cohorts.folders(TRACE, bench.size)
    return words(source, TRACE, bench.gradebooks.fresh(), *options)


def _print_seconds(title: str, spent: dict[str, list[float]]) -> None:
    shown = "".join(f"   {name} {median(seconds):.2f} s" for name, seconds in spent.items())
    print(f"\n{title}:{shown}", flush=True)


PARTS: dict[str, Callable[[Bench], list[Figure]]] = {
    "floor": floor,
    "workers": workers,
    "memory": memory,
    "resume": resume,
    "archive": archive,
}

if __name__ == "__main__":
    raise SystemExit(main())
