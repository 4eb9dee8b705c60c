"""How a cohort is graded: by which workers, within which limits, with running services or not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verify.batch.run import GradingRun
from verify.child.limits import MEGABYTES, SECONDS, WALL, Limits
from verify.commands.options import number
from verify.course import catalog
from verify.grading.ways import TRUSTED
from verify.learner.check import UsageError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence

    from verify.batch.job import Job
    from verify.grading.model import Exercise

_jobs = number(int, 1, 1_024, "a number of processes (expected 1 to 1024)")
_seconds = number(float, 0.1, 99_999, "a time limit (expected 0.1 to 99999 seconds)")
_megabytes = number(int, 30, 999_999, "a memory limit (expected 30 to 999999 megabytes)")


def add_workers(parser: argparse._ActionsContainer) -> None:
    """Add the options that say which processes grade, and what one submission may take."""
    workers = parser.add_mutually_exclusive_group()
    workers.add_argument(
        "--jobs", metavar="N", type=_jobs, help="worker processes (default: one per processor)"
    )
    scheduler = "grade on the Dask cluster of this scheduler, such as tcp://10.0.0.5:8786"
    workers.add_argument("--scheduler", metavar="ADDRESS", help=scheduler)
    time_limit = f"CPU time allowed for grading one submission (default: {SECONDS:g})"
    parser.add_argument(
        "--time-limit", metavar="SECONDS", type=_seconds, default=SECONDS, help=time_limit
    )
    parser.add_argument(
        "--memory-limit",
        metavar="MB",
        type=_megabytes,
        default=MEGABYTES,
        help="memory allowed for grading one submission, beyond what the worker itself uses"
        f" (default: {MEGABYTES})",
    )
    parser.add_argument("--quiet", action="store_true", help="show no progress")


def way_of_others(
    exercises: Sequence[str], course: str, run: str, jail: str, *, run_tests: bool = False
) -> str:
    """Return the way to run what others have submitted; raises `UsageError` if there is none."""
    if run == TRUSTED:
        raise UsageError("--run-trusted is for your own work: use --run, which needs a jail")
    if jail and not run:
        raise UsageError(f"--jail={jail} needs --run")
    if run_tests and not run:
        raise UsageError("--run-tests needs --run")
    if not run:
        return ""
    from verify.running.criteria import lacking

    found = [catalog.named(name, course) for name in exercises]
    refuse_without_service(found)
    for exercise in found:
        if line := lacking(exercise, course, jail or run):
            raise UsageError(f"services cannot be run: {line}")
    return jail or run


def refuse_without_service(exercises: Sequence[Exercise]) -> None:
    """Refuse `--run` where no exercise asks for a service; raises `UsageError`."""
    if not any(exercise.asks for exercise in exercises):
        names = " and ".join(exercise.name for exercise in exercises)
        raise UsageError(f"--run: {names} asks for no service")


def run_of(job: Job, options: argparse.Namespace, interrupted: Callable[[], int]) -> GradingRun:
    """Return a run as the options of `add_workers` ask for it."""
    seconds = options.time_limit
    wall = max(WALL, seconds * WALL / SECONDS)  # generous: other programs may use the machine
    limits = Limits(seconds, options.memory_limit, wall)
    if job.run:
        from verify.running.service import BESIDE_GRADING

        limits = limits.extended(*BESIDE_GRADING)
    return GradingRun(job, limits, options.jobs, options.scheduler, options.quiet, interrupted)
