"""Draws the README's picture of the cohort report: the sample cohort, graded, in a browser.

usage: python tools/report_picture.py

It is drawn by hand when the report has changed: two browsers never draw the same bytes.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[0] = ROOT

from playwright.sync_api import sync_playwright

from tests.stubs.browsers import found_browser
from tools.sample_cohort import COHORT, SUBMISSIONS

PICTURE = "docs/images/cohort-report.png"
EXERCISES = ("practitioner/04", "expert/01")
WIDTH, HEIGHT = 1200, 1460
_VERIFY = "from verify.cli import main; raise SystemExit(main())"


def main() -> None:
    """Grade the sample cohort and draw the top of its report."""
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report")
        words = ["batch", SUBMISSIONS, "--roster", f"{COHORT}/roster.csv", "--quiet"]
        words += [word for name in EXERCISES for word in ("--exercise", name)]
        words += ["--gradebook", os.path.join(folder, "gradebook.db"), "--html", report]
        subprocess.run(  # noqa: S603  # our own command; 1 says that a learner failed
            [sys.executable, "-c", _VERIFY, *words], cwd=ROOT, check=False
        )
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=found_browser(), args=["--no-sandbox", "--disable-gpu"]
            )
            page = browser.new_page(
                viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light"
            )
            page.goto(f"file://{report}/index.html")
            page.screenshot(path=os.path.join(ROOT, PICTURE))
            browser.close()


if __name__ == "__main__":
    main()
