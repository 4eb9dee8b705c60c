"""Runs of `verify batch` to be measured: in this warm process, or whole, as a user starts them."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import time
from contextlib import redirect_stderr, redirect_stdout
from statistics import median
from typing import NamedTuple

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
if ROOT not in sys.path:
    sys.path.insert(0, ROOT)

from benchmarks.limits import MISSED
from verify.cli import main as verify

PYTHON = (sys.executable, "-c")
COMMAND = (
    f"import sys; sys.path.insert(0, {ROOT!r}); from verify.console import main;"
    " raise SystemExit(main())"
)
INTERVAL = 0.05  # seconds between two looks at the memory


class Peak(NamedTuple):
    """The most memory of a run, all its processes added up, in MiB; how often it was looked at."""

    mebibytes: float
    looks: int


class Figure(NamedTuple):
    """A ratio that was measured with `size` submissions, and its bound, stated for `full` of them.

    `most` tells that the ratio must not be above the bound, else it must not be below.
    """

    what: str
    ratio: float
    bound: float
    size: int
    full: int
    most: bool = True

    @property
    def is_held(self) -> bool:
        """Tell whether the ratio keeps to the bound."""
        return self.ratio <= self.bound if self.most else self.ratio >= self.bound


def words(source: str, exercise: str, gradebook: str, *options: str) -> list[str]:
    """Return the command line of a run, without the program."""
    return ["batch", source, "--exercise", exercise, "--gradebook", gradebook, "--quiet", *options]


def warm(command: list[str], message: str = "", *, ends: int = 0) -> float:
    """Run a command and return its seconds; it prints `message`, and ends with the code `ends`.

    Raises:
        SystemExit: it did not go so.
    """
    out, err = io.StringIO(), io.StringIO()
    start = time.perf_counter()
    with redirect_stdout(out), redirect_stderr(err):
        code = verify(command)
    spent = time.perf_counter() - start
    if code != ends or message not in out.getvalue():
        raise SystemExit(f"{command} ended with {code}: {out.getvalue()}{err.getvalue()}")
    return spent


def whole(command: list[str]) -> float:
    """Run a command as a process of its own and return its seconds; everybody passes."""
    start = time.perf_counter()
    subprocess.run([*PYTHON, COMMAND, *command], stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start


def side_by_side(commands: list[list[str]]) -> float:
    """Run commands at the same time and return the seconds until the last one ended."""
    start = time.perf_counter()
    running = [
        subprocess.Popen([*PYTHON, COMMAND, *command], stdout=subprocess.DEVNULL)
        for command in commands
    ]
    codes = [process.wait() for process in running]
    if any(codes):
        raise SystemExit(f"{commands} ended with {codes}")
    return time.perf_counter() - start


def peak_of(command: list[str]) -> Peak:
    """Run a command as a process of its own and return the most memory that it had, by its PSS.

    The proportional set size counts a page that several processes share once, in shares: added up
    over forked workers it is what the run really takes. Their RSS would count it again for each.
    """
    return peak_of_process([*PYTHON, COMMAND, *command])


def peak_of_process(command: list[str]) -> Peak:
    """Return the same of any command line."""
    most, looks = 0, 0
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        while process.poll() is None:
            most = max(most, sum(map(_pss, _family(process.pid))))
            looks += 1
            time.sleep(INTERVAL)
    if process.returncode:
        raise SystemExit(f"{command} ended with {process.returncode}")
    return Peak(most / 1024, looks)


def ratio_of(above: list[float], below: list[float]) -> float:
    """Return the median of the ratios of runs that were made in turn."""
    return median(one / other for one, other in zip(above, below, strict=True))


def print_figures(figures: list[Figure]) -> int:
    """Print ratios beside their bounds; `MISSED` where one is at the size it is stated for.

    A smaller cohort says little: starting and ending weigh as much as grading.
    """
    print(f"\n{'ratio':<68}{'measured':>9}{'bound':>16}")
    missed = 0
    for figure in figures:
        bound = f"at {'most' if figure.most else 'least'} {figure.bound:.2f}"
        judged = "held" if figure.is_held else "missed"
        if figure.size < figure.full:
            judged = f"({figure.size:,}; stated for {figure.full:,})"
        else:
            missed += not figure.is_held
        print(f"{figure.what:<68}{figure.ratio:>9.2f}{bound:>16}  {judged}")
    return MISSED if missed else 0


def _family(pid: int) -> list[int]:
    """Return a process and all that descend from it."""
    children: dict[int, list[int]] = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        parent = _field(f"/proc/{name}/status", "PPid:")
        children.setdefault(parent, []).append(int(name))
    found = [pid]
    for one in found:
        found += children.get(one, [])
    return found


def _pss(pid: int) -> int:
    """Return a process's proportional set size in KiB, 0 where it has ended meanwhile."""
    return _field(f"/proc/{pid}/smaps_rollup", "Pss:")


def _field(path: str, name: str) -> int:
    try:
        with open(path, encoding="utf-8") as file:
            return next((int(line.split()[1]) for line in file if line.startswith(name)), 0)
    except OSError:
        return 0
