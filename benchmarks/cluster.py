"""The cluster against the process pool, and what a worker costs that is killed meanwhile.

usage: python benchmarks/cluster.py [--submissions 2000] [--rounds 3]

Both grade the same cohort with two workers: the pool its own processes, the cluster executor those
of a Dask cluster on this machine, of two workers with one thread each, which is up and has been
used before. Whole runs of `verify batch`, in turn; the scheduler is in the benchmark's process.
Then a worker is killed in mid-run: the results must be those of the pool, byte by byte, and the
seconds that it cost are printed. The bound is stated for `--submissions 100000`; exits with 3 where
it is missed at that size, with 1 where a result differs.
"""

from __future__ import annotations

import argparse
import logging
import os
import signal
import sys
import tempfile
import threading
import time
from statistics import median
from typing import Any

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[0] = ROOT

from benchmarks.batch_cohorts import Cohorts, Gradebooks
from benchmarks.batch_runs import Figure, print_figures, warm, whole, words

EXERCISE = "practitioner/04"
FULL, BOUND = 100_000, 0.6
KILLED = 2 / 5  # of the time of an undisturbed run


def main() -> int:
    """Measure, print, and return the exit code."""
    parser = argparse.ArgumentParser(description="The cluster against the process pool.")
    parser.add_argument("--submissions", type=int, default=2_000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    logging.getLogger("distributed").setLevel(logging.CRITICAL + 1)
    with (
        tempfile.TemporaryDirectory() as folder,
        Gradebooks(folder) as gradebooks,
        local_cluster() as cluster,
    ):
        source = Cohorts(folder).folders(EXERCISE, options.submissions)
        address = str(cluster.scheduler_address)
        ratio = speed(source, gradebooks, address, options.rounds)
        is_same = killed(source, gradebooks, cluster)
    what = "speed of the cluster executor / process pool, two workers each"
    figure = Figure(what, ratio, BOUND, options.submissions, FULL, most=False)
    return print_figures([figure]) or int(not is_same)


def local_cluster() -> Any:
    """Return a cluster of two workers, which its nannies start anew when they die."""
    import dask
    import distributed

    dask.config.set({"distributed.worker.daemon": False})  # they start processes
    cluster: Any = distributed.LocalCluster  # the library has no types
    return cluster(n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=60)


def speed(source: str, gradebooks: Gradebooks, address: str, rounds: int) -> float:
    """Run both in turn, print the seconds, and return how fast the cluster is beside the pool."""
    ways = {"process pool": ("--jobs", "2"), "cluster": ("--scheduler", address)}
    spent: dict[str, list[float]] = {name: [] for name in ways}
    for lap in range(rounds + 1):
        for name, way in ways.items():
            seconds = whole(words(source, EXERCISE, gradebooks.fresh(), *way))
            if lap:  # the first one warms up: the workers import what they need
                spent[name].append(seconds)
    print("   ".join(f"{name} {median(seconds):.2f} s" for name, seconds in spent.items()))
    pool, cluster = spent.values()
    return median(one / other for one, other in zip(pool, cluster, strict=True))


def killed(source: str, gradebooks: Gradebooks, cluster: Any) -> bool:
    """Kill a worker in mid-run; print what it cost, and tell whether the results are the same."""
    address = str(cluster.scheduler_address)
    start = time.perf_counter()
    undisturbed = exported(source, gradebooks, "--scheduler", address)
    seconds = time.perf_counter() - start
    worker = next(iter(cluster.workers.values())).pid
    timer = threading.Timer(seconds * KILLED, os.kill, (worker, signal.SIGKILL))
    timer.start()
    start = time.perf_counter()
    results = exported(source, gradebooks, "--scheduler", address)
    disturbed = time.perf_counter() - start
    timer.join()
    lost = worker not in [each.pid for each in cluster.workers.values()]
    is_same = results == undisturbed == exported(source, gradebooks, "--jobs", "2")
    print(f"\na worker killed in mid-run: {disturbed:.2f} s in place of {seconds:.2f} s;", end="")
    print(f" results {'equal those of the pool' if is_same else 'DIFFER'}", flush=True)
    return is_same and lost


def exported(source: str, gradebooks: Gradebooks, *way: str) -> bytes:
    """Return the results of a run, as its export has them: the same bytes for the same results."""
    gradebook = gradebooks.fresh()
    results = os.path.join(os.path.dirname(gradebook), "results.jsonl")
    warm(words(source, EXERCISE, gradebook, "--jsonl", results, *way))
    with open(results, "rb") as file:
        return file.read()


if __name__ == "__main__":
    raise SystemExit(main())
