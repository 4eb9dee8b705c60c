"""Whatever happens to a run, the gradebook has every result once, and the next run goes on."""

from __future__ import annotations

import os
import shutil
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
from verify.gradebook.opening import writing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Completed = subprocess.CompletedProcess[str]
    Run = Callable[..., Completed]

PROGRAM = "import sys; from verify.console import main; sys.argv[0] = 'verify'; sys.exit(main())"
LIMITED = (
    "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({0}, resource.RLIM_INFINITY)); "
    + PROGRAM
)
LEARNERS = 3_000
LIMIT = 60  # seconds
RESULTS = """
SELECT s.learner, s.attempt, r.exercise, r.outcome, r.score, r.outcomes, q.text, r.answers,
  (SELECT group_concat(message || file || line || waits_for) FROM finding WHERE result = r.id)
FROM submission s JOIN result r ON r.submission = s.id JOIN questions q ON q.id = r.questions
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
def unbroken(cohort: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    """Return the results of a run that nothing happened to."""
    folder = tmp_path_factory.mktemp("unbroken")
    subprocess.run(_words(cohort, 2), cwd=folder, capture_output=True, timeout=LIMIT, check=False)
    return _results(folder / "gradebook.db")


def _words(cohort: Path, jobs: int, program: str = PROGRAM) -> list[str]:
    words = ["batch", str(cohort), "--exercise", "foundation/01", "--quiet", "--jobs", str(jobs)]
    return [sys.executable, "-c", program, *words]


def _asked(path: Path, query: str) -> list[Any]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(query).fetchall()


def _results(path: Path) -> list[Any]:
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
    cohort: Path, unbroken: list[Any], tmp_path: Path, run: Run, jobs: int
) -> None:
    path = tmp_path / "gradebook.db"
    words = _words(cohort, jobs)
    deaths = [
        _killed(words, tmp_path, lambda at=at: _recorded(path) >= at)  # type: ignore[misc]  # a lambda's default
        for at in (1, 300, 1_000, 1_700)
    ]
    done = run(*words[1:], cwd=str(tmp_path))

    assert (done.returncode, done.stderr) == (1, "")
    assert _results(path) == unbroken
    assert len(unbroken) == LEARNERS
    assert deaths[0]
    assert _asked(path, "SELECT count(*) FROM result WHERE superseded IS NOT NULL") == [(0,)]


def test_a_run_that_is_killed_at_any_moment_of_its_start_leaves_a_gradebook(
    cohort: Path, unbroken: list[Any], tmp_path: Path, run: Run
) -> None:
    path = tmp_path / "gradebook.db"
    words = _words(cohort, 2)
    for step in range(8):
        until = time.monotonic() + 0.1 * (step + 1)
        _killed(words, tmp_path, lambda until=until: time.monotonic() > until)  # type: ignore[misc]  # as above
    done = run(*words[1:], cwd=str(tmp_path))

    assert (done.returncode, done.stderr) == (1, "")
    assert _results(path) == unbroken


def test_a_gradebook_that_may_not_grow_keeps_what_it_has_and_says_so(
    cohort: Path, unbroken: list[Any], tmp_path: Path, run: Run
) -> None:
    path = tmp_path / "gradebook.db"
    limited = LIMITED.format(900_000)
    full = run(*_words(cohort, 1, limited)[1:], cwd=str(tmp_path))
    kept = _results(path)
    done = run(*_words(cohort, 1)[1:], cwd=str(tmp_path))

    assert (full.returncode, full.stdout) == (2, "")
    assert full.stderr == (
        "verify: gradebook.db cannot be used, the disk is full or failing; what was graded so far"
        " is kept: look at the disk\n"
    )
    assert 0 < len(kept) < LEARNERS
    assert (done.returncode, done.stderr) == (1, "")
    assert _results(path) == unbroken


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Return a folder on a disk of 900 kB, where the system lets us make one."""
    folder = tmp_path / "small"
    folder.mkdir()
    mount = shutil.which("mount")
    made = mount and subprocess.run(
        [mount, "-t", "tmpfs", "-o", "size=900k", "tmpfs", str(folder)],
        capture_output=True,
        check=False,
    )
    if not made or made.returncode:
        pytest.skip("this user may not mount a small disk")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_full_disk_costs_nothing_that_was_graded(
    cohort: Path, unbroken: list[Any], small_disk: Path, tmp_path: Path, run: Run
) -> None:
    full = run(*_words(cohort, 2)[1:], cwd=str(small_disk))
    for name in ("gradebook.db", "gradebook.db-wal"):
        if os.path.exists(small_disk / name):
            shutil.copy(small_disk / name, tmp_path / name)
    kept = _results(tmp_path / "gradebook.db")
    done = run(*_words(cohort, 2)[1:], cwd=str(tmp_path))

    assert (full.returncode, full.stdout) == (2, "")
    assert full.stderr == (
        "verify: gradebook.db cannot grow, the disk is full; what was graded so far is kept: free"
        " some space and run this again\n"
    )
    assert 0 < len(kept) < LEARNERS
    assert (done.returncode, done.stderr) == (1, "")
    assert _results(tmp_path / "gradebook.db") == unbroken


def test_two_graders_do_not_write_one_gradebook_and_readers_go_on(
    cohort: Path, unbroken: list[Any], tmp_path: Path, run: Run
) -> None:
    path = tmp_path / "gradebook.db"
    run(*_words(cohort, 2)[1:], cwd=str(tmp_path))
    with writing(str(path)):
        second = run(*_words(cohort, 2)[1:], cwd=str(tmp_path))
        reader = run("-c", PROGRAM, "export", "--csv-wide", "g.csv", cwd=str(tmp_path))

    assert (second.returncode, second.stdout, second.stderr) == (
        2,
        "",
        (
            "verify: gradebook.db is in use: another verify command is writing to it; wait for it,"
            " or name another --gradebook\n"
        ),
    )
    assert (reader.returncode, reader.stdout, reader.stderr) == (0, "g.csv\n", "")
    assert _results(path) == unbroken
