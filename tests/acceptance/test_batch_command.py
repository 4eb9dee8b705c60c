"""`verify batch` as an instructor runs it: a folder of submissions in, grades and exports out."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest

from tests.acceptance.conftest import VERIFY

if TYPE_CHECKING:
    from pathlib import Path

    from tests.acceptance.conftest import Environment, PathOf, Run


@pytest.fixture
def cohort(tmp_path: Path, fixture: PathOf) -> Path:
    """Return a folder of three submissions: ada and bob have solved it, eve has not begun."""
    folder = tmp_path / "cohort"
    for learner, name in (("ada", "solved"), ("bob", "solved"), ("eve", "unsolved")):
        shutil.copytree(fixture(f"foundation/01-plan/{name}"), folder / learner)
    return folder


@pytest.fixture
def batch(run: Run, tmp_path: Path) -> Run:
    """Return a function that grades foundation/01 in a folder of its own."""

    def graded(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
        command = [*VERIFY, "batch", *words, "--exercise", "foundation/01"]
        return run(*command, cwd=str(tmp_path), env=environment)

    return graded


def wait_for_results(gradebook: Path, process: subprocess.Popen[Any]) -> None:
    """Wait until a gradebook that is being written has its first results."""
    query = "SELECT count(*) FROM result"
    while process.poll() is None:
        time.sleep(0.05)
        with (
            contextlib.suppress(sqlite3.OperationalError),  # it is not there, or has no tables yet
            contextlib.closing(sqlite3.connect(f"file:{gradebook}?mode=ro", uri=True)) as opened,
        ):
            if opened.execute(query).fetchone() != (0,):
                return


def test_exports_are_byte_identical_whatever_the_workers_and_the_environment(
    batch: Run, cohort: Path, tmp_path: Path
) -> None:
    for at in range(40):
        shutil.copytree(cohort / ("ada" if at % 3 else "eve"), cohort / f"learner{at}")
    settings = [
        (["--jobs", "1"], {"PYTHONHASHSEED": "1", "TZ": "UTC", "LC_ALL": "C"}),
        (["--jobs", "2"], {"PYTHONHASHSEED": "2", "TZ": "Asia/Tokyo", "LC_ALL": "tr_TR.UTF-8"}),
        (["--jobs", "3"], {"PYTHONHASHSEED": "3", "TZ": "America/Lima", "LC_ALL": "C.UTF-8"}),
    ]
    written = []
    for at, (words, environment) in enumerate(settings):
        exports = ["--csv", f"{at}.csv", "--jsonl", f"{at}.jsonl", "--gradebook", f"{at}.db"]
        batch(str(cohort), *words, *exports, **environment)
        paths = [tmp_path / f"{at}.csv", tmp_path / f"{at}.jsonl"]
        written.append([path.read_bytes() for path in paths])

    assert written[0][0].count(b"\n") > 43
    assert written[0] == written[1] == written[2]


def test_a_run_that_cannot_list_its_cohort_leaves_the_gradebook_as_it_was(
    batch: Run, run: Run, cohort: Path, tmp_path: Path
) -> None:
    (tmp_path / "students.csv").write_text("id\nada\nbob\n")
    (tmp_path / "others.csv").write_text("id\nzoe\n")
    (tmp_path / "late.csv").write_text("learner,path\nada,cohort/ada\nbob,https://x.org/bob.zip\n")
    batch(str(cohort), "--roster", "students.csv", "--quiet")
    done = batch("late.csv", "--roster", "others.csv", "--quiet")
    run(*VERIFY, "export", "--csv", "grades.csv", cwd=str(tmp_path))
    grades = (tmp_path / "grades.csv").read_text("utf-8")
    rows = [line.split(",")[0] for line in grades.splitlines()]

    assert done.returncode == 2
    assert list(dict.fromkeys(rows)) == ["learner", "ada", "bob"]
    assert ",missing," not in grades


def test_the_roster_of_a_gradebook_counts_until_it_is_dropped(
    batch: Run, cohort: Path, tmp_path: Path
) -> None:
    (tmp_path / "students.csv").write_text("id,login\n1,ada\n2,bob\n4,zoe\n")
    named = batch(str(cohort), "--roster", "students.csv", "--quiet")
    kept = batch(str(cohort), "--csv-wide", "kept.csv", "--quiet")
    dropped = batch(str(cohort), "--no-roster", "--csv-wide", "dropped.csv", "--quiet")
    both = batch(str(cohort), "--no-roster", "--roster", "students.csv")
    unknown = "verify: eve: unmatched: is not on the roster\n"

    assert (named.returncode, named.stderr) == (1, unknown)
    assert kept.stderr == (
        "verify: the roster in gradebook.db is used (3 learners): --roster replaces it,"
        f" --no-roster removes it\n{unknown}"
    )
    assert dropped.returncode == 1
    assert dropped.stderr == (  # the keys are other ones without the roster
        "verify: 2 grades of the earlier run changed: 1 foundation/01 pass 9 -> not in this run,"
        " 2 foundation/01 pass 9 -> not in this run\n"
    )
    assert (both.returncode, both.stdout) == (2, "")
    assert [
        [line.split(",")[0] for line in (tmp_path / name).read_text("utf-8").splitlines()[1:]]
        for name in ("kept.csv", "dropped.csv")
    ] == [["1", "2", "4"], ["ada", "bob", "eve"]]


SLOW = """
import sys, time
from verify.batch import job as grading_job, run
from verify.console import main

def grade_slowly(job, item, again):
    time.sleep(0.02)
    return grading_job.grade_submission(job, item, again)

run.grade_submission = grade_slowly
sys.argv[0] = "verify"
sys.exit(main())
"""


@pytest.mark.skipif(os.name != "posix", reason="the signals are POSIX's")
@pytest.mark.parametrize(
    ("number", "code", "jobs"), [(signal.SIGINT, 130, "2"), (signal.SIGTERM, 143, "1")]
)
def test_an_interrupt_keeps_what_is_done_and_says_how_to_continue(
    environment: Environment, cohort: Path, tmp_path: Path, number: int, code: int, jobs: str
) -> None:
    for at in range(400):
        shutil.copytree(cohort / "ada", cohort / f"learner{at}")
    words = ["batch", "cohort", "--exercise", "foundation/01", "--jobs", jobs]
    with subprocess.Popen(
        [sys.executable, "-c", SLOW, *words],
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        wait_for_results(tmp_path / "gradebook.db", process)
        os.killpg(process.pid, number)  # as a terminal does it: to the workers as well
        out, err = process.communicate(timeout=120)
    message = re.fullmatch(
        r"verify: ([0-9]+) of 403 submissions in .*\n"
        r"verify: interrupted: ([0-9]+) of 403 are graded; the gradebook keeps the results so far;"
        r" to continue, run the same command again\n",
        err,
    )

    assert (out, process.returncode) == ("", code)
    assert message is not None, err
    assert message[1] == message[2]
    assert 0 < int(message[1]) < 403


def test_a_system_that_knows_only_ascii_grades_and_writes_the_same(
    cohort: Path, batch: Run, tmp_path: Path
) -> None:
    (cohort / "ada").rename(cohort / "café")
    cohort.rename(tmp_path / "collé")
    (tmp_path / "dé").mkdir()
    words = ("collé", "--jobs", "2", "--gradebook", "dé/g.db", "--csv", "dé/a.csv")
    ascii_only = {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    first = batch(*words, "--feedback", "dé/pages", **ascii_only)
    written = (tmp_path / "dé" / "a.csv").read_bytes()
    again = batch(*words, LC_ALL="C.UTF-8")

    assert (first.returncode, again.returncode) == (1, 1)
    assert "\ncafé,".encode() in written
    assert (tmp_path / "dé" / "a.csv").read_bytes() == written
    assert "0 submissions graded, 3 unchanged since an earlier run" in again.stdout
    assert len(list((tmp_path / "dé" / "pages").iterdir())) == 4
