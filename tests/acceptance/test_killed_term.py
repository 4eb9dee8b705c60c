"""A term that is killed at any moment is graded to its end by the same command."""

from __future__ import annotations

import csv
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing, suppress
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from tests.acceptance.conftest import VERIFY

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.acceptance.conftest import Environment, PathOf

LEARNERS = ("abe", "bob", "eve", "zoe")
TERM = 'roster = "../roster.csv"\ntimezone = "UTC"\nlate = { percent_a_day = 10 }\n'
WEEK = """\
[assignments.week-{n}]
exercises = ["foundation/0{n}"]
collection = "../week-{n}.csv"
due = 2020-10-0{n}T12:00:00
attempts = "{attempts}"
"""
COMMAND = (sys.executable, *VERIFY, "batch", "--term", "term.toml", "--jobs", "2", "--out", "out")
# all that a gradebook has, without the numbers of rows and the runs that were killed
COUNTS = "FROM submission s JOIN result r ON s.id = r.submission AND r.superseded IS NULL"
CONTENT = (
    "SELECT assignment, learner, attempt, inner, submitted, conflict FROM submission",
    f"SELECT assignment, learner, attempt, exercise, outcome, score, outcomes {COUNTS}",
    f"SELECT inner, exercise, message {COUNTS} JOIN finding ON result = r.id",
    "SELECT key, name FROM learner",
    "SELECT assignment, learner, exercise, text FROM grade",
)


@pytest.fixture
def term(tmp_path: Path, fixture: PathOf) -> Path:
    """Return a folder with three weeks of submissions, of which the last has two attempts."""
    plan = fixture("foundation/01-plan/solved")
    (tmp_path / "roster.csv").write_text("id,name\n" + "".join(f"{k},{k}\n" for k in LEARNERS))
    for week in (1, 2, 3):
        rows = ["learner,path,submitted_at,attempt\n"]
        for number, key in enumerate(LEARNERS):
            for attempt in range(1 + (week == 3)):
                path = f"week-{week}/{key}-{attempt}"
                shutil.copytree(plan, tmp_path / path)
                rows.append(f"{key},{path},2020-10-0{week + number % 2}T11:00,{attempt}\n")
        (tmp_path / f"week-{week}.csv").write_text("".join(rows))
    return tmp_path


def _content(folder: Path) -> list[Any]:
    """Return what is known after a run: all that the gradebook and the exports say."""
    with closing(sqlite3.connect(folder / "gradebook.db")) as gradebook:
        found: list[Any] = [sorted(gradebook.execute(query)) for query in CONTENT]
        found.append(gradebook.execute("PRAGMA integrity_check").fetchone())
    with open(folder / "out" / "grades.csv", newline="", encoding="utf-8") as file:
        return [*found, list(csv.reader(file))]


def _begun(folder: Path, environment: dict[str, str]) -> subprocess.Popen[str]:
    folder.mkdir(exist_ok=True)
    text = TERM + "".join(
        WEEK.format(n=n, attempts="best" if n == 3 else "latest") for n in (1, 2, 3)
    )
    (folder / "term.toml").write_text(text)
    return subprocess.Popen(
        COMMAND,
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


@pytest.mark.slow
@pytest.mark.figure
@pytest.mark.skipif(sys.platform == "win32", reason="needs kill -9 of a group of processes")
def test_t1_a_term_that_is_killed_loses_and_doubles_nothing(
    term: Path, environment: Environment, how_many: Callable[[int, int], int]
) -> None:
    random, surroundings = Random(7), environment()  # noqa: S311  # no secret
    began = time.monotonic()
    never_killed = _begun(term / "whole", surroundings)
    said, _ = never_killed.communicate(timeout=60)
    lasts = time.monotonic() - began
    expected = _content(term / "whole")
    count, killed = how_many(3, 40), 0
    for number in range(count):
        folder = term / f"killed-{number}"
        for _ in range(random.choice((1, 1, 2))):
            process = _begun(folder, surroundings)
            time.sleep(random.uniform(0.2, 1) * lasts)
            killed += process.poll() is None
            with suppress(ProcessLookupError):  # it has ended
                os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
        again = _begun(folder, surroundings)
        text, _ = again.communicate(timeout=60)
        assert again.returncode == never_killed.returncode, text
        assert _content(folder) == expected, text
        shutil.rmtree(folder)
    print(f"{count} terms, {killed} times killed before the end: the same grades")

    assert "week-3" in said
    assert killed > 0
