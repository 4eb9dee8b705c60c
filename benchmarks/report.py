"""What the cohort report costs: written against grading the same learners, and opened.

usage: python benchmarks/report.py [--learners 10000]

Grades that many learners in one process, one core: the course's own fixtures in turn, four of five
solved. Then writes the report of exactly these results, and opens its overview in the system's
browser until the table stands. Exits with 3 where a limit is missed. Grading leaves out what
`verify batch` adds to it, the gradebook: the limit is the stricter for it.
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
from typing import TYPE_CHECKING

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[0] = ROOT

from benchmarks.limits import MISSED
from tests.report.cohorts import FakeCohort, exercise
from verify.batch.kernel import grade_batch, options_of
from verify.batch.rules import digest_of
from verify.batch.work import Batch, Item, Job
from verify.gradebook.values import CheckMark, FoundPlace, Learner, Mark, Standing
from verify.report.site import write_site

if TYPE_CHECKING:
    from verify.gradebook.records import Record
    from verify.gradebook.values import ExerciseInfo

NAME = "practitioner/04"
FIXTURES = os.path.join(ROOT, "fixtures", "submissions", "practitioner", "04-trace")
ROUNDS = 3
WRITTEN, OPENED = 1.5, 1.0  # times the grading; seconds
OUTCOMES = {"p": "pass", "f": "fail", "s": "skip", "e": "error"}


def main() -> int:
    """Measure, print, and return the exit code."""
    parser = argparse.ArgumentParser(description="The cohort report against grading.")
    parser.add_argument("--learners", type=int, default=10_000)
    count = parser.parse_args().learners
    batch, job = work(count)
    ratios, line = [], ""
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report")
        for _ in range(ROUNDS):
            start = time.perf_counter()
            graded = grade_batch(job, batch)
            middle = time.perf_counter()
            cohort = cohort_of([each.records[0] for each in graded])
            before = time.perf_counter()
            write_site(cohort, report)
            grading, writing = middle - start, time.perf_counter() - before
            ratios.append(writing / grading)
            line = f"{count:>9}{grading:>11.2f}{writing:>11.2f}"
        opening = opened(report)
    ratio = statistics.median(ratios)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{'learners':>9}{'graded s':>11}{'written s':>11}{'ratio':>8}{'opened s':>10}{'MiB':>7}")
    print(f"{line}{ratio:>8.2f}{opening:>10.2f}{memory:>7.0f}")
    return MISSED if ratio > WRITTEN or opening > OPENED else 0


def work(count: int) -> tuple[Batch, Job]:
    """Return the submissions: of five, one is broken, each time in another way."""
    broken = cycle(
        sorted(n for n in os.listdir(FIXTURES) if n.startswith("broken") and "." not in n)
    )
    names = [next(broken) if number % 5 == 0 else "solved" for number in range(count)]
    items = tuple(Item(number, name) for number, name in enumerate(names))
    options = options_of(Job((NAME,), ()))
    return Batch("folder", FIXTURES, items), Job((NAME,), (digest_of(NAME, options),))


def cohort_of(records: list[Record | None]) -> FakeCohort:
    """Return the results as a gradebook would tell of them."""
    info = exercise(NAME)
    made = [
        Standing(Learner(f"s{n:06}", f"Learner {n}", rostered=True), (mark_of(info, record, n),))
        for n, record in enumerate(records)
        if record is not None
    ]
    return FakeCohort((info,), made)


def mark_of(info: ExerciseInfo, record: Record, number: int) -> Mark:
    """Return a record as a mark."""
    checks = []
    for position, (check, letter) in enumerate(zip(info.checks, record.outcomes, strict=False)):
        rows = [row for row in record.findings if row.position == position]
        found = tuple(FoundPlace(*row[2:11]) for row in rows if row.message)
        waits = rows[0].waits_for if rows else ""
        score = check.points if letter == "p" else 0
        checks.append(CheckMark(check, OUTCOMES[letter], score, waits, found))
    artifacts = (("plan.json", f"{number:x}"), ("worker-result.json", f"{number:x}"))
    place = f"submissions/s{number:06}"
    return Mark(info, "", record.outcome, record.score, tuple(checks), None, artifacts, place)


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
