"""What ends the command itself is tried aside by the next run, and by every run after that."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

from pipeline.bootstrap import ROOT
from tests.stubs import cohort
from verify.batch.bounds import Bounds, Stopped
from verify.batch.executors import pool
from verify.batch.executors.in_process import InProcess
from verify.batch.work import Batch, Item

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    import pytest


class Journal:
    """Notes what it is told, and remembers that somebody died of number 2."""

    def __init__(self) -> None:
        self.flights: list[list[int]] = []

    def flight(self, ids: Sequence[int]) -> None:
        self.flights.append(list(ids))

    def landed(self) -> None:
        self.flights.append([])

    def suspects(self) -> Iterable[int]:
        return {2}


def batch_of(*names: str) -> Batch:
    return Batch("stub", "/cohort", tuple(Item(at, name) for at, name in enumerate(names, 1)))


def run(gradebook: Path, *names: str) -> int:
    command = [sys.executable, "-m", "tests.stubs.cohort", str(gradebook), *names]
    return subprocess.run(command, cwd=ROOT, check=False, timeout=60).returncode


def test_a_command_dies_of_a_submission_once_and_never_again(tmp_path: Path) -> None:
    gradebook = tmp_path / "gradebook.db"
    codes = [run(gradebook, "pass", "die", "pass") for _ in range(3)]

    assert codes == [-9, 0, 0]
    assert [s.marks[0].outcome for s in cohort.standings(str(gradebook))] == [
        "pass",
        "error",
        "pass",
    ]


def test_a_suspect_of_an_earlier_run_is_graded_by_a_process_of_its_own() -> None:
    journal = Journal()
    with InProcess(cohort.grade_by_name, journal) as executor:
        feared = executor.suspects()
        future = executor.submit(
            cohort.JOB, batch_of("pass", "pass")._replace(items=(Item(2, "die"),))
        )
        while not future.done():
            executor.wait(1.0)
        error = future.exception()

    assert 2 in feared
    assert journal.flights == [[], []]
    assert isinstance(error, Stopped)
    assert "it died of signal 9, SIGKILL" in error.reason


def test_where_no_process_can_be_started_a_suspect_is_told_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refused(*_: object) -> None:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(pool, "Child", refused)
    with InProcess(cohort.grade_by_name, Journal()) as executor:
        error = executor.submit(cohort.JOB, batch_of("pass"), alone=True).exception()

    assert isinstance(error, Stopped)
    assert error.reason == (
        "it could not be tried in a process of its own: no worker process can be started (resource"
        " temporarily unavailable); try --jobs 1"
    )


def test_the_place_of_who_took_too_long_is_told() -> None:
    with InProcess(cohort.grade_by_name, Journal(), Bounds(0.05, 100)) as executor:
        error = executor.submit(cohort.JOB, batch_of("pass", "hang", "pass")).exception()

    assert isinstance(error, Stopped)
    assert (error.at, error.reason) == (1, "grading this submission took more than 0.05 s")
