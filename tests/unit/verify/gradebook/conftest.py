"""A gradebook in a file, exercises to grade and what comes of them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from verify.gradebook import store
from verify.gradebook.recording import RunRecorder
from verify.gradebook.records import FoundSubmission, Mark, Results
from verify.grading.model import CheckInfo, ExerciseInfo, Outcome

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from verify.gradebook.copies import Compared

CHECKS = (
    CheckInfo("E04.1", "evidence", 2, advisory=False, page="e.md#e04-1"),
    CheckInfo("E04.2", "steps", 3, advisory=False, page="e.md#e04-2"),
)
EVIDENCE = ExerciseInfo("expert/04", "Evidence", 5, CHECKS)
TIERS = ExerciseInfo(
    "expert/02", "Tiers", 1, (CheckInfo("E02.1", "tiers", 1, advisory=False, page="t.md#e02-1"),)
)
READS = '[["read", "a.json"], ["read", "b.json"]]'
DIGESTS = bytes(range(1, 17)) + bytes(16)
PASSED = Mark(EVIDENCE, Outcome.PASS, 5, Results(CHECKS, "pp"), READS, DIGESTS)


@pytest.fixture
def evidence() -> ExerciseInfo:
    """Return an exercise of two checks."""
    return EVIDENCE


@pytest.fixture
def tiers() -> ExerciseInfo:
    """Return an exercise of one check."""
    return TIERS


@pytest.fixture
def path(tmp_path: Path) -> str:
    """Return where a gradebook may be made."""
    return os.path.join(tmp_path, "cohort.db")


@pytest.fixture
def connection(path: str) -> Iterator[sqlite3.Connection]:
    """Return a new gradebook, open for writing."""
    with store.writing(path) as connection:
        yield connection


@pytest.fixture
def begun(connection: sqlite3.Connection) -> Callable[..., RunRecorder]:
    """Return a function that begins a run."""

    def begin(
        *exercises: ExerciseInfo,
        kind: str = "grade",
        digest: str = "d1",
        started: str = "2026-03-01T12:00:00Z",
        attempts: str = "latest",
        compared: Sequence[Compared] = (),
        assignment: str = "",
    ) -> RunRecorder:
        recorder = RunRecorder(connection, "ada", assignment)
        recorder.begin(
            kind,
            started=started,
            sources=[("folder", "/srv/cohort")],
            options={"attempts": attempts},
            rules=[(exercise, digest) for exercise in exercises or (EVIDENCE,)],
            compared=compared,
        )
        return recorder

    return begin


@pytest.fixture
def rows() -> Callable[..., list[FoundSubmission]]:
    """Return a function that gives a folder's submissions by their learners."""
    return lambda *names: [
        FoundSubmission(name, "", "folder", "/srv/cohort", name) for name in names
    ]


@pytest.fixture
def passed() -> Mark:
    """Return the mark of a submission that passes."""
    return PASSED


@pytest.fixture
def select(connection: sqlite3.Connection) -> Callable[[str], Sequence[tuple[object, ...]]]:
    """Return a function that asks the gradebook."""
    return lambda query: connection.execute(query).fetchall()
