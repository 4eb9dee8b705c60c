"""This checkout against another one, in turn: cold starts, a cohort on one and two workers, memory.

usage: python benchmarks/against.py ../before [--submissions 20000] [--rounds 5]

The other checkout needs an environment of its own (`python3 start.py cohort` in it). Prints the
medians of the paired ratios, this one / the other; exits with 3 where one is above its bound.
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
from benchmarks.batch_runs import Figure, peak_of_process, print_figures, ratio_of, words

if TYPE_CHECKING:
    from collections.abc import Callable

TRACE = "practitioner/04"
BOUND = 1.05
COLD_STARTS = 10  # for each round
LEARNER = (
    "docs/practitioner/tutorials/verify.py",
    *("--exercise", "02"),
    *("--project", "fixtures/submissions/practitioner/02-delegate/solved"),
)


class Measure(NamedTuple):
    """What to run in a checkout: a function of its folder that returns seconds or MiB."""

    what: str
    run: Callable[[str], float]


def main() -> int:
    """Measure both checkouts, print, and return the exit code."""
    parser = argparse.ArgumentParser(description="This checkout against another one.")
    parser.add_argument("other", help="the folder of the other checkout")
    parser.add_argument("--submissions", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    other, size = os.path.abspath(options.other), options.submissions
    if not os.path.exists(os.path.join(other, ".venv", "bin", "verify")):
        parser.error(f"{options.other} has no .venv: run python3 start.py cohort in that checkout")
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # a learner's second run uses compiled files
    with tempfile.TemporaryDirectory() as folder, Gradebooks(folder) as gradebooks:
        cohort = Cohorts(folder).folders(TRACE, size)

        def batch(root: str, jobs: str) -> list[str]:
            command = words(cohort, TRACE, gradebooks.fresh(), "--jobs", jobs)
            return [os.path.join(root, ".venv", "bin", "verify"), *command]

        measures = (
            Measure("cold start of a learner's run", _cold_starts),
            Measure("time, one worker", lambda root: _seconds(batch(root, "1"), root)),
            Measure("time, two workers", lambda root: _seconds(batch(root, "2"), root)),
            Measure("peak memory (PSS)", lambda root: peak_of_process(batch(root, "2")).mebibytes),
        )
        return print_figures([_figure(m, other, size, options.rounds) for m in measures])


def _figure(measure: Measure, other: str, size: int, rounds: int) -> Figure:
    own, before = [], []
    for _ in range(rounds):
        own.append(measure.run(ROOT))
        before.append(measure.run(other))
    print(f"{measure.what}: {min(own):.2f} here, {min(before):.2f} there, at best", flush=True)
    return Figure(f"{measure.what}, here / there", ratio_of(own, before), BOUND, size, size)


def _cold_starts(root: str) -> float:
    command = [os.path.join(root, ".venv", "bin", "python"), *LEARNER]
    return min(_seconds(command, root) for _ in range(COLD_STARTS))


def _seconds(command: list[str], root: str) -> float:
    start = time.perf_counter()
    subprocess.run(command, cwd=root, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start


if __name__ == "__main__":
    raise SystemExit(main())
