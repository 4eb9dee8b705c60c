"""The sample term of three weeks is graded as its page and the README say."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.bootstrap import ROOT
from tests.acceptance.conftest import VERIFY

if TYPE_CHECKING:
    from tests.acceptance.conftest import Run

TABLE = """\
assignment  learners  passed  failed  unresolved  missing  excused      mean
----------  --------  ------  ------  ----------  -------  -------  --------
plan              41      27      11           0        2        1   8.81/10
classify          41      31       7           1        2        0   8.67/10
trace             41      19      19           1        2        0  16.09/20
"""


def test_the_sample_term_has_late_excused_and_missing_work_and_fits_a_terminal(
    run: Run, tmp_path: Path
) -> None:
    shutil.copytree(Path(ROOT, "fixtures", "cohort"), tmp_path / "term")
    words = ("batch", "--term", "term/term.toml", "--csv-wide", "wide.csv", "--quiet")
    done = run(*VERIFY, *words, cwd=str(tmp_path), env={"PYTHONPATH": ROOT})
    with (tmp_path / "wide.csv").open(newline="", encoding="utf-8") as file:
        rows = {row["learner"]: row for row in csv.DictReader(file)}

    assert done.returncode == 1
    assert done.stdout.startswith(TABLE)
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert {who: (rows[who]["total"], rows[who]["total_points"]) for who in CHOSEN} == CHOSEN
    late = "4 days late, by 3 d 5 h: 40 % of 10 points deducted (10 -> 6)"
    assert rows["dmitri-volkov"]["classify notes"] == late


CHOSEN = {
    "ada-okafor": ("40", "40"),
    "dana-levi": ("", "40"),  # unresolved
    "dmitri-volkov": ("26.32", "40"),
    "lena-vogel": ("29.17", "30"),  # excused from the first week
    "oskar-lund": ("0", "40"),  # missing
}
