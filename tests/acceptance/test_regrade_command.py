"""`verify regrade`, `verify override` and `verify export` as an instructor uses them."""

from __future__ import annotations

import csv
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.acceptance.conftest import VERIFY

if TYPE_CHECKING:
    from tests.acceptance.conftest import Completed, PathOf, Run

WHOLE = Path(__file__).parent / "whole"
COHORT = {
    "ada": "solved",
    "bob": "broken-files-and-steps",
    "cat": "broken-files-and-steps",
    "dan": "solved",
    "eve": "solved",
}
AGREE = 'validity.keeps_rules(source, "files-steps"),'
LENIENT = 'validity.keeps_rules(source, "tests-last"),'


@pytest.fixture
def cohort(tmp_path: Path, fixture: PathOf) -> Path:
    """Return a folder of five submissions: two of them name other files than their steps."""
    for learner, name in COHORT.items():
        shutil.copytree(fixture(f"foundation/01-plan/{name}"), tmp_path / "cohort" / learner)
    return tmp_path / "cohort"


@pytest.fixture
def verify(run: Run, course: Path) -> Run:
    """Return a function that runs a command of a course of our own, in its folder."""
    return lambda *words: run(*VERIFY, *words, cwd=str(course))


@pytest.fixture
def graded(verify: Run, cohort: Path) -> Completed:
    """Return the first grading of the cohort."""
    return verify("batch", str(cohort), "--exercise", "foundation/01", "--quiet")


def _mend(course: Path, before: str = AGREE, after: str = LENIENT) -> None:
    """Change a check of the course."""
    path = course / "verify" / "course" / "exercises" / "shared.py"
    text = path.read_text("utf-8")
    assert before in text
    path.write_text(text.replace(before, after), "utf-8")


def _rows(course: Path, query: str) -> list[Any]:
    with closing(sqlite3.connect(course / "gradebook.db")) as connection:
        return connection.execute(query).fetchall()


@pytest.mark.usefixtures("graded")
def test_a_fixed_check_is_previewed_then_applied_and_what_is_set_by_hand_stays(
    verify: Run, course: Path, cohort: Path, fixture: PathOf
) -> None:
    verify(
        *("override", "bob", "--exercise", "foundation/1", "--score", "7.5"),
        *("--reason", "oral exam", "--by", "ada"),
    )
    _mend(course)
    shutil.rmtree(cohort / "ada")
    shutil.copytree(fixture("foundation/01-plan/broken-json"), cohort / "ada")
    shutil.rmtree(cohort / "eve")
    before = _rows(course, "SELECT * FROM result ORDER BY id")
    preview = verify("regrade", "--quiet")
    unchanged = _rows(course, "SELECT * FROM result ORDER BY id")
    applied = verify("regrade", "--apply", "--quiet", "--jobs", "2")
    again = verify("regrade", "--quiet")
    verify("export", "--csv-wide", "grades.csv")
    with open(course / "grades.csv", encoding="utf-8", newline="") as file:
        scores = {row["learner"]: row["total"] for row in csv.DictReader(file)}

    assert (preview.returncode, preview.stderr) == (1, "")
    assert preview.stdout == (WHOLE / "regrade.txt").read_text(encoding="utf-8")
    assert unchanged == before
    assert applied.returncode == 0
    assert applied.stdout.splitlines()[-1] == (
        "Written as run 2; the gradebook keeps the earlier results."
    )
    assert again.stdout.splitlines()[0] == "0 of 4 results change"
    assert _rows(course, "SELECT count(*), count(superseded) FROM result") == [(9, 4)]
    assert _rows(course, "SELECT kind, finished IS NULL FROM run") == [("grade", 0), ("regrade", 0)]
    assert scores == {"ada": "1", "bob": "7.5", "cat": "9", "dan": "9", "eve": "9"}


def test_a_course_of_ones_own_is_run_again_only_by_who_names_it(
    verify: Run, course: Path, cohort: Path
) -> None:
    verify("new-course", "mine")
    words = ("--course", "mine", "--quiet")
    verify("batch", str(cohort), "--exercise", "basics/01", "--gradebook", "own.db", *words)
    (course / "mine" / "exercises" / "basics" / "ex01_plan.py").write_text("open('run', 'w')")
    done = verify("regrade", "--gradebook", "own.db", "--quiet")
    named = verify("regrade", "--gradebook", "own.db", *words)

    mine = course / "mine"
    message = f"this cohort was graded with the course in {mine}:"
    message += f" if you trust its code, use --course {mine}"

    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"verify: {message}\n")
    assert "ex01_plan.py" in named.stderr  # it was run, and declares no exercise


@pytest.mark.usefixtures("graded")
def test_a_check_that_crashes_changes_nothing_and_its_traceback_is_in_a_log(
    verify: Run, course: Path
) -> None:
    before = _rows(course, "SELECT * FROM result ORDER BY id")
    _mend(course, AGREE, "lambda context: 1 / 0,")
    done = verify("regrade", "--apply", "--quiet")
    line = done.stderr.splitlines()[-1]

    assert done.returncode == 3
    assert line.startswith(
        "verify: 5 results could not be graded again and did not change; grading itself failed: "
    )
    assert "ZeroDivisionError" in Path(line.rpartition(" ")[2]).read_text("utf-8")
    assert _rows(course, "SELECT * FROM result ORDER BY id") == before
