"""Whole commands measured in turn, and figures beside their bounds."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

MISSED = 3  # the exit code of a benchmark whose bound is missed: it did not break
GRADER = (sys.executable, "-m", "verify")
# Started without site packages, it takes 10 MB: what a child has is never reported as less than
# what the process had that started it.
_LAUNCHER = """
import json, os, sys
nowhere = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_WRONLY, 0) for number in (1, 2)]
child = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=nowhere)
_, status, used = os.wait4(child, 0)
code = os.waitstatus_to_exitcode(status)
print(json.dumps([used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, code]))
"""


class Spent(NamedTuple):
    """What a command took."""

    wall: float  #: seconds
    cpu: float  #: seconds of all its processes
    mebibytes: float  #: the most memory that one of its processes had
    code: int  #: its exit code


class Figure(NamedTuple):
    """A ratio or a figure that was measured, and its bound."""

    what: str
    measured: float
    bound: float
    size: int  #: submissions that it was measured with
    full: int  #: submissions that the bound is stated for
    most: bool = True  #: it must not be above the bound, else not below


def spent(*command: str) -> Spent:
    """Run a command of the project; raises `SystemExit` where it is used wrong or breaks."""
    words = [sys.executable, "-I", "-S", "-c", _LAUNCHER, *command]
    start = time.perf_counter()
    done = subprocess.run(words, cwd=ROOT, check=True, capture_output=True, text=True)
    wall = time.perf_counter() - start
    found = Spent(wall, *json.loads(done.stdout))
    if found.code not in (0, 1):  # 1: somebody failed
        raise SystemExit(f"{command} ended with {found.code}")
    return found


def in_turn(rounds: int, *commands: Callable[[], list[str]]) -> list[list[Spent]]:
    """Return what each command took in each round; before the first one they warm up."""
    laps = [[spent(*command()) for command in commands] for _ in range(rounds + 1)]
    return [list(runs) for runs in zip(*laps[1:], strict=True)]


def ratio_of(above: list[float], below: list[float]) -> float:
    """Return the median of the ratios of runs that were made in turn."""
    return median(first / second for first, second in zip(above, below, strict=True))


def print_figures(figures: list[Figure]) -> int:
    """Print figures beside their bounds; `MISSED` where one is at the size it is stated for.

    A smaller cohort says little: starting and ending weigh as much as grading.
    """
    print(f"\n{'what':<68}{'measured':>9}{'bound':>16}")
    missed = 0
    for figure in figures:
        measured, bound = figure.measured, figure.bound
        is_held = measured <= bound if figure.most else measured >= bound
        judged = "held" if is_held else "missed"
        if figure.size < figure.full:
            judged = f"({figure.size:,}; stated for {figure.full:,})"
        else:
            missed += not is_held
        limit = f"at {'most' if figure.most else 'least'} {bound:.2f}"
        print(f"{figure.what:<68}{measured:>9.2f}{limit:>16}  {judged}")
    return MISSED if missed else 0
