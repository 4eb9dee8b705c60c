"""This checkout against another one, in turn: cold starts, a cohort as folders and as one zip.

usage: python benchmarks/against.py ../before [--submissions 20000] [--archived 10000]
       [--many 100000] [--rounds 5]

The other checkout needs an environment of its own (`python3 start.py cohort` in it). Prints the
medians of the paired ratios, this one / the other, of wall time and of CPU time (all processes),
and how much more memory (maximum RSS) `many` submissions take here than a tenth of them; exits with
3 where one is above its bound. Cohorts are matched with a roster.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from typing import TYPE_CHECKING, NamedTuple

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[0] = ROOT

from benchmarks.batch_cohorts import Cohorts, Gradebooks
from benchmarks.batch_runs import Figure, print_figures, ratio_of, words

if TYPE_CHECKING:
    from collections.abc import Callable

TRACE = "practitioner/04"
START, COHORT, MEMORY = 1.05, 1.3, 1.15  # bounds
COLD_STARTS = 10  # for each round
STATED = (20_000, 10_000, 100_000)  # folders, in a zip, and for memory: what bounds are stated for
LEARNER = (
    "docs/practitioner/tutorials/verify.py",
    *("--exercise", "02"),
    *("--project", "fixtures/submissions/practitioner/02-delegate/solved"),
)
HISTORY = ("check", "expert/04", "--project", "fixtures/submissions/expert/04-evidence/solved")


class Spent(NamedTuple):
    """What a command took: seconds, those of its processors, and the most MiB of a process."""

    wall: float
    cpu: float
    mebibytes: float


def main() -> int:
    """Measure both checkouts, print, and return the exit code."""
    parser = argparse.ArgumentParser(description="This checkout against another one.")
    parser.add_argument("other", help="the folder of the other checkout")
    for name, count in zip(("--submissions", "--archived", "--many"), STATED, strict=True):
        parser.add_argument(name, type=int, default=count)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    other = os.path.abspath(options.other)
    if not os.path.exists(os.path.join(other, ".venv", "bin", "verify")):
        parser.error(f"{options.other} has no .venv: run python3 start.py cohort in that checkout")
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # a learner's second run uses compiled files
    with tempfile.TemporaryDirectory() as folder, Gradebooks(folder) as gradebooks:
        cohorts = Cohorts(folder)

        def batch(source: str, count: int, jobs: int) -> Callable[[str], Spent]:
            more = ("--jobs", str(jobs), "--roster", cohorts.roster(count))
            return lambda root: _spent(
                root, "verify", *words(source, TRACE, gradebooks.fresh(), *more)
            )

        few, zipped, many = options.submissions, options.archived, options.many
        measures: dict[str, tuple[Callable[[str], Spent], float, int, int]] = {
            "cold start of a learner's run": (_fastest("python", *LEARNER), START, 1, 1),
            "start of a check that reads a history": (_fastest("verify", *HISTORY), COHORT, 1, 1),
        }
        for jobs in (1, 2):
            source = cohorts.folders(TRACE, few)
            name = f"{few:,} folders, --jobs {jobs}"
            measures[name] = (batch(source, few, jobs), COHORT, few, STATED[0])
        for jobs in (1, 2):
            source = cohorts.zipped(TRACE, zipped, "moodle")
            name = f"a zip of {zipped:,}, --jobs {jobs}"
            measures[name] = (batch(source, zipped, jobs), COHORT, zipped, STATED[1])
        figures = []
        for name, (run, bound, size, full) in measures.items():
            figures += _figures(name, run, other, options.rounds, (bound, size, full))
        tenth = many // 10
        runs = [batch(cohorts.folders(TRACE, count), count, 2) for count in (many, tenth)]
        peaks = [[run(ROOT).mebibytes for run in runs] for _ in range(min(options.rounds, 2))]
        print(f"memory: {peaks[0][0]:.1f} MiB of {many:,}, {peaks[0][1]:.1f} of {tenth:,}")
        ratio = ratio_of(*map(list, zip(*peaks, strict=True)))
        name = f"memory of {many:,} / {tenth:,}, here"
        return print_figures([*figures, Figure(name, ratio, MEMORY, many, STATED[2])])


def _figures(
    name: str,
    run: Callable[[str], Spent],
    other: str,
    rounds: int,
    stated: tuple[float, int, int],
) -> list[Figure]:
    pairs = [(run(ROOT), run(other)) for _ in range(rounds)]
    own, before = ([pair[at] for pair in pairs] for at in (0, 1))
    figures = []
    for what in ("wall", "cpu"):
        here, there = ([getattr(each, what) for each in found] for found in (own, before))
        print(f"{name}, {what}: {min(here):.2f} s here, {min(there):.2f} s there, at best")
        figures.append(Figure(f"{name}, {what}, here / there", ratio_of(here, there), *stated))
    most = [max(each.mebibytes for each in found) for found in (own, before)]
    print(f"{name}, memory: {most[0]:.1f} MiB here, {most[1]:.1f} MiB there", flush=True)
    return figures


def _fastest(program: str, *arguments: str) -> Callable[[str], Spent]:
    return lambda root: min(_spent(root, program, *arguments) for _ in range(COLD_STARTS))


def _spent(root: str, program: str, *arguments: str) -> Spent:
    command = [os.path.join(root, ".venv", "bin", program), *arguments]
    start = time.perf_counter()
    process = subprocess.Popen(command, cwd=root, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{command} ended with {process.returncode}")
    return Spent(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


if __name__ == "__main__":
    raise SystemExit(main())
