"""The cluster against the processes of one machine: whole runs of the same cohort, in turn.

usage: python benchmarks/cluster.py [--submissions 2000] [--rounds 3]

Both have two workers: the cluster those of Dask on this machine, with one thread each, which are up
and have been used before. The bound is stated for `--submissions 20000`; exits with 3 where it is
missed at that size.
"""

from __future__ import annotations

import argparse
import logging
import os
import sys
import tempfile
from typing import Any

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[0] = ROOT

from benchmarks.cohorts import EXERCISE, FLAWLESS, Cohorts
from benchmarks.measure import GRADER, Figure, in_turn, print_figures, ratio_of

FULL, BOUND = 20_000, 0.6


def main() -> int:
    """Measure, print, and return the exit code."""
    parser = argparse.ArgumentParser(description="The cluster against the processes here.")
    parser.add_argument("--submissions", type=int, default=2_000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    logging.getLogger("distributed").setLevel(logging.CRITICAL + 1)
    with tempfile.TemporaryDirectory() as folder, local_cluster() as cluster:
        cohorts = Cohorts(folder)
        source = cohorts.folders(FLAWLESS, options.submissions)
        words = [*GRADER, "batch", source, "--exercise", EXERCISE, "--quiet"]
        here, there = in_turn(
            options.rounds,
            lambda: [*words, "--gradebook", cohorts.fresh(), "--jobs", "2"],
            lambda: [
                *words,
                *("--gradebook", cohorts.fresh()),
                *("--scheduler", str(cluster.scheduler_address)),
            ],
        )
    ratio = ratio_of([run.wall for run in here], [run.wall for run in there])
    what = "speed of the cluster / of --jobs 2, two workers each"
    return print_figures([Figure(what, ratio, BOUND, options.submissions, FULL, most=False)])


def local_cluster() -> Any:
    """Return a cluster of two workers, which its nannies start anew when they die."""
    import dask
    import distributed

    dask.config.set({"distributed.worker.daemon": False})  # they start processes
    cluster: Any = distributed.LocalCluster  # the library has no types
    return cluster(n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=60)


if __name__ == "__main__":
    raise SystemExit(main())
