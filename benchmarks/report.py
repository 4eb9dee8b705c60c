"""What the cohort report costs: written against grading the same learners.

usage: python benchmarks/report.py [--learners 10000]

`verify batch` grades that many learners on one core: the course's own fixtures, four of five
solved, the others broken in turn. Then `verify export --html` writes the report from the gradebook.
Exits with 3 where the bound is missed, which is stated for 10,000 learners.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from itertools import cycle

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[0] = ROOT

from benchmarks.measure import GRADER, Figure, print_figures, ratio_of, spent

NAME = "practitioner/04"
FIXTURES = os.path.join(ROOT, "fixtures", "submissions", "practitioner", "04-trace")
ROUNDS = 3
WRITTEN, FULL = 1.5, 10_000  # times the grading; learners


def main() -> int:
    """Measure, print, and return the exit code."""
    parser = argparse.ArgumentParser(description="The cohort report against grading.")
    parser.add_argument("--learners", type=int, default=FULL)
    count = parser.parse_args().learners
    graded, written = [], []
    with tempfile.TemporaryDirectory() as folder:
        source, report = os.path.join(folder, "class"), os.path.join(folder, "report")
        copy_class(source, count)
        for lap in range(ROUNDS):
            book = ("--gradebook", os.path.join(folder, f"{lap}.db"))
            words = [*GRADER, "batch", source, "--exercise", NAME, "--jobs", "1", *book, "--quiet"]
            graded.append(spent(*words).wall)
            shutil.rmtree(report, ignore_errors=True)
            written.append(spent(*GRADER, "export", "--html", report, *book).wall)
    ratio = ratio_of(written, graded)
    return print_figures([Figure("HTML report / grading", ratio, WRITTEN, count, FULL)])


def copy_class(folder: str, count: int) -> None:
    """Make a class of learners: of five, one is broken, each time in another way."""
    names = os.listdir(FIXTURES)
    broken = cycle(sorted(n for n in names if n.startswith("broken") and "." not in n))
    for number in range(count):
        name = next(broken) if number % 5 == 0 else "solved"
        learner = os.path.join(folder, f"learner-{number:06}")
        shutil.copytree(os.path.join(FIXTURES, name), learner, copy_function=os.link)


if __name__ == "__main__":
    raise SystemExit(main())
