"""What a full grading costs inside a warm process, against reading the submission's files.

usage: python benchmarks/warm_grading.py [--submissions 1000]

Grades copies of a solved pipeline trace one after the other: each is opened, read, validated and
checked as by `verify.py`, without a report. What a git history costs is measured by `evidence.py`.
Two floors are measured in turn with it, each over the same three files of the same submissions:
Python's own `open(...).read()`, and the bare system calls `os.open`, `os.read` and `os.close`.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import sys
import tempfile
import time
from typing import TYPE_CHECKING

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[0] = ROOT

from pipeline.protocol.layout import ARTIFACTS, artifact_folder
from pipeline.terminal.programs import no_version
from verify.course import catalog
from verify.course.catalog import issue_text
from verify.grading.artifacts import Context
from verify.grading.runner import grade
from verify.submissions.submission import open_folder

if TYPE_CHECKING:
    from collections.abc import Callable

    from verify.grading.model import Exercise

ROUNDS = 9
EXERCISES = (("foundation", "04", "04-trace"), ("practitioner", "04", "04-trace"))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Warm grading against reading the files.")
    parser.add_argument("--submissions", type=int, default=1000)
    count = parser.parse_args().submissions
    print(f"{'trace':<18}{'grading us':>11}{'door us':>9}{'open us':>9}{'os.open us':>12}", end="")
    print(f"{'grading/open':>14}{'grading/os.open':>17}{'door/os.open':>14}")
    for level, number, folder in EXERCISES:
        exercise = catalog.find(level, number).without_history
        solved = os.path.join(ROOT, "fixtures", "submissions", level, folder, "solved")
        with tempfile.TemporaryDirectory() as cohort:
            copies = [os.path.join(cohort, f"learner-{index:06}") for index in range(count)]
            for copy in copies:
                shutil.copytree(solved, copy, ignore=shutil.ignore_patterns("*.bundle"))
            report(exercise, copies)


def report(exercise: Exercise, submissions: list[str]) -> None:
    """Print one exercise's figures: medians in microseconds, and medians of paired ratios."""
    folder = artifact_folder(exercise.target or ".", exercise.issue or "")
    paths = [f"{folder}/{name}" for name in ARTIFACTS]
    works: tuple[Callable[[], None], ...] = (
        lambda: graded(exercise, submissions),
        lambda: read_through_door(submissions, paths),
        lambda: read_by_open(submissions, paths),
        lambda: read_by_calls(submissions, paths),
    )
    rounds = [[seconds(work) / len(submissions) * 1e6 for work in works] for _ in range(ROUNDS)]
    grading, door, opened, called = (statistics.median(each) for each in zip(*rounds, strict=True))
    ratios = (
        statistics.median(each[0] / each[2] for each in rounds),
        statistics.median(each[0] / each[3] for each in rounds),
        statistics.median(each[1] / each[3] for each in rounds),
    )
    print(f"{exercise.name:<18}{grading:>11.1f}{door:>9.1f}{opened:>9.1f}{called:>12.1f}", end="")
    print(f"{ratios[0]:>14.2f}{ratios[1]:>17.2f}{ratios[2]:>14.2f}")


def seconds(work: Callable[[], None]) -> float:
    """Return how long some work took."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def graded(exercise: Exercise, submissions: list[str]) -> None:
    """Grade each submission; all must pass, or the figure would be of something else."""
    issue, version_of = issue_text(exercise.issue), no_version
    for root in submissions:
        with open_folder(root) as submission:
            if not grade(Context(exercise, submission, issue, version_of)).passed:
                raise SystemExit(f"{root} does not pass {exercise.name}")


def read_through_door(submissions: list[str], paths: list[str]) -> None:
    """Read each file as grading does: by descriptors, without following links, bounded."""
    for root in submissions:
        with open_folder(root) as submission:
            for path in paths:
                submission.read(path)


def read_by_open(submissions: list[str], paths: list[str]) -> None:
    """Read each file by Python's own open."""
    for root in submissions:
        for path in paths:
            with open(f"{root}/{path}", "rb") as file:
                file.read()


def read_by_calls(submissions: list[str], paths: list[str]) -> None:
    """Read each file by the bare system calls."""
    for root in submissions:
        for path in paths:
            descriptor = os.open(f"{root}/{path}", os.O_RDONLY)
            os.read(descriptor, 1 << 16)
            os.close(descriptor)


if __name__ == "__main__":
    main()
