"""What the cohort report costs: written against grading the same learners, and opened.

usage: python benchmarks/report.py [--learners 10000]

Grades that many learners with `verify batch`, on one core in a warm process: the course's own
fixtures, four of five solved, the others broken in turn. Then `verify export --html` writes the
report from the gradebook, and the system's browser opens its overview until the table stands.
Exits with 3 where a bound is missed; they are stated for 10,000 learners.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import statistics
import sys
import tempfile
import time
from itertools import cycle, islice

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[0] = ROOT

from benchmarks.batch_runs import warm, words
from benchmarks.limits import MISSED
from pipeline.terminal.exit_codes import FAILED

NAME = "practitioner/04"
FIXTURES = os.path.join(ROOT, "fixtures", "submissions", "practitioner", "04-trace")
ROUNDS = 3
WRITTEN, OPENED = 1.5, 1.0  # times the grading; seconds


def main() -> int:
    """Measure, print, and return the exit code."""
    parser = argparse.ArgumentParser(description="The cohort report against grading.")
    parser.add_argument("--learners", type=int, default=10_000)
    count = parser.parse_args().learners
    ratios, line = [], ""
    with tempfile.TemporaryDirectory() as folder:
        source, report = os.path.join(folder, "class"), os.path.join(folder, "report")
        hand_in(source, count)
        for lap in range(ROUNDS + 1):
            gradebook = os.path.join(folder, f"{lap}.db")
            message = f"{count:,} submissions graded"
            command = words(source, NAME, gradebook, "--jobs", "1")
            grading = warm(command, message, ends=FAILED)
            shutil.rmtree(report, ignore_errors=True)
            export = ["export", "--gradebook", gradebook, "--quiet", "--html", report]
            writing = warm(export, report)
            if lap:  # the first one warms up
                ratios.append(writing / grading)
            line = f"{count:>9}{grading:>11.2f}{writing:>11.2f}"
        opening = opened(report)
    ratio = statistics.median(ratios)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{'learners':>9}{'graded s':>11}{'written s':>11}{'ratio':>8}{'opened s':>10}{'MiB':>7}")
    print(f"{line}{ratio:>8.2f}{opening:>10.2f}{memory:>7.0f}")
    return MISSED if ratio > WRITTEN or opening > OPENED else 0


def hand_in(folder: str, count: int) -> None:
    """Make a class of learners: of five, one is broken, each time in another way."""
    names = os.listdir(FIXTURES)
    broken = cycle(sorted(n for n in names if n.startswith("broken") and "." not in n))
    for number in range(count):
        name = next(broken) if number % 5 == 0 else "solved"
        learner = os.path.join(folder, f"learner-{number:06}")
        shutil.copytree(os.path.join(FIXTURES, name), learner, copy_function=os.link)


def opened(report: str) -> float:
    """Return the seconds from asking for the overview until its table stands; 0 without browser."""
    chromium = next(islice(filter(None, map(shutil.which, ("chromium", "google-chrome"))), 1), None)
    if chromium is None:
        return 0
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-gpu"]
        )
        found = []
        for _ in range(ROUNDS):
            page = browser.new_page()
            start = time.perf_counter()
            page.goto(f"file://{report}/index.html")
            page.wait_for_selector("#map tbody tr")
            found.append(time.perf_counter() - start)
            page.close()
        browser.close()
    return statistics.median(found)


if __name__ == "__main__":
    raise SystemExit(main())
