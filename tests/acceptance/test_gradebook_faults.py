"""Whatever happens to a run, the gradebook has every result once, and the next run goes on."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
import zipfile
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from pipeline.bootstrap import ROOT
from tests.acceptance.conftest import PROGRAM

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.acceptance.conftest import Run

LIMITED = (
    "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({0}, resource.RLIM_INFINITY)); "
    + PROGRAM
)
LEARNERS = 1_000
LIMIT = 60  # seconds
RESULTS = """
SELECT s.learner, s.attempt, r.exercise, r.outcome, r.score, r.outcomes, q.text, r.digests,
  (SELECT group_concat(message || file || line || waits_for) FROM finding WHERE result = r.id)
FROM submission s JOIN result r ON r.submission = s.id JOIN reads q ON q.id = r.reads
WHERE r.superseded IS NULL ORDER BY s.learner, s.attempt, r.exercise
"""


@pytest.fixture(scope="module")
def cohort(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an archive of many submissions, every seventh of which has not begun."""
    above = os.path.join(ROOT, "fixtures", "submissions", "foundation", "01-plan")
    parts = {name: _files(os.path.join(above, name)) for name in ("solved", "unsolved")}
    path = tmp_path_factory.mktemp("cohort") / "cohort.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for number in range(LEARNERS):
            for name, data in parts["unsolved" if number % 7 == 0 else "solved"]:
                archive.writestr(f"learner{number:04}/{name}", data)
    return path


def _files(root: str) -> list[tuple[str, bytes]]:
    found = []
    for folder, _, names in os.walk(root):
        for name in names:
            path = os.path.join(folder, name)
            with open(path, "rb") as file:
                found.append((os.path.relpath(path, root), file.read()))
    return found or [("README.md", b"nothing yet\n")]


@pytest.fixture(scope="module")
def unbroken(cohort: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Any], bytes]:
    """Return the results and the export of a run that nothing happened to."""
    folder = tmp_path_factory.mktemp("unbroken")
    subprocess.run(_words(cohort, 2), cwd=folder, capture_output=True, timeout=LIMIT, check=False)
    return _results(folder), (folder / "grades.jsonl").read_bytes()


def _words(cohort: Path, jobs: int, program: str = PROGRAM) -> list[str]:
    words = ["batch", str(cohort), "--exercise", "foundation/01", "--quiet", "--jobs", str(jobs)]
    return [sys.executable, "-c", program, *words, "--jsonl", "grades.jsonl"]


def _asked(path: Path, query: str) -> list[Any]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(query).fetchall()


def _results(folder: Path) -> list[Any]:
    path = folder / "gradebook.db"
    assert _asked(path, "PRAGMA integrity_check") == [("ok",)]
    return _asked(path, RESULTS)


def _recorded(path: Path) -> int:
    try:
        return int(_asked(path, "SELECT count(*) FROM result")[0][0])
    except sqlite3.OperationalError:  # not made yet
        return 0


def _killed(words: list[str], folder: Path, ripe: Callable[[], bool]) -> bool:
    """Start a run and kill it once it is ripe; tell whether it lived that long."""
    with subprocess.Popen(
        words, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as running:
        while running.poll() is None:
            if ripe():
                running.send_signal(signal.SIGKILL)
                return running.wait(LIMIT) == -signal.SIGKILL
            time.sleep(0.002)
    return False


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_run_that_is_killed_again_and_again_ends_as_if_it_never_was(
    cohort: Path, unbroken: tuple[list[Any], bytes], tmp_path: Path, run: Run, jobs: int
) -> None:
    path = tmp_path / "gradebook.db"
    words = _words(cohort, jobs)
    deaths = [
        _killed(words, tmp_path, lambda at=at: _recorded(path) >= at)  # type: ignore[misc]  # a lambda's default
        for at in (0, 1, 100, 300, 600)
    ]
    done = run(*words[1:], cwd=str(tmp_path))

    assert (done.returncode, done.stderr) == (1, "")
    assert (_results(tmp_path), (tmp_path / "grades.jsonl").read_bytes()) == unbroken
    assert len(unbroken[0]) == LEARNERS
    assert deaths[:2] == [True, True]
    assert _asked(path, "SELECT count(*) FROM result WHERE superseded IS NOT NULL") == [(0,)]


def test_a_gradebook_that_may_not_grow_keeps_what_it_has_and_says_so(
    cohort: Path, unbroken: tuple[list[Any], bytes], tmp_path: Path, run: Run
) -> None:
    full = run(*_words(cohort, 1, LIMITED.format(400_000))[1:], cwd=str(tmp_path))
    kept = _results(tmp_path)
    done = run(*_words(cohort, 1)[1:], cwd=str(tmp_path))

    assert (full.returncode, full.stdout) == (2, "")
    assert full.stderr == (
        "verify: gradebook.db cannot be used because the disk is full or failing: check it and run"
        " this again\n"
    )
    assert 0 < len(kept) < LEARNERS
    assert (done.returncode, done.stderr) == (1, "")
    assert (_results(tmp_path), (tmp_path / "grades.jsonl").read_bytes()) == unbroken
