"""A submission without a fault is known at once; every other one is left to the careful grading."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from pipeline.bootstrap import ROOT
from pipeline.files import MISSING, Unreadable
from verify import catalog
from verify.batch.flawless import flawless, record_of
from verify.catalog import issue_text
from verify.checks.validity import OfProblems

if TYPE_CHECKING:
    from verify.gradebook.records import Record

FOLDER = ".pipeline/ISSUE-202"
SOLVED = f"{ROOT}/fixtures/submissions/practitioner/04-trace/solved/{FOLDER}"
EXERCISE = catalog.find("practitioner", "04").for_cohort()


class Solved:
    """The solved submission in memory, but for what a test changes."""

    root = "memory"

    def __init__(self, **changed: bytes | None) -> None:
        self.asked: list[str] = []
        self.files: dict[str, bytes | None] = {}
        for name in os.listdir(SOLVED):
            with open(f"{SOLVED}/{name}", "rb") as file:
                self.files[f"{FOLDER}/{name}"] = file.read()
        for stem, data in changed.items():
            self.files[f"{FOLDER}/{stem.replace('_', '-')}.json"] = data

    def read(self, path: str) -> bytes:
        self.asked.append(path)
        data = self.files.get(path)
        if data is None:
            raise Unreadable(MISSING, "does not exist")
        return data

    def is_file(self, path: str) -> bool:
        self.asked.append(path)
        return self.files.get(path) is not None

    def names(self, path: str) -> list[str]:
        raise AssertionError(f"nothing lists {path!r}")

    def history(self) -> None:
        raise AssertionError("no check of this exercise asks for it in a cohort")

    def close(self) -> None:
        raise AssertionError("whoever opened the door closes it")


def recorded(door: Solved) -> Record | None:
    return record_of(flawless(EXERCISE), EXERCISE, issue_text(EXERCISE.issue), door)


def changed(stem: str, **fields: object) -> Solved:
    data = Solved().files[f"{FOLDER}/{stem.replace('_', '-')}.json"]
    assert data is not None
    return Solved(**{stem: json.dumps(json.loads(data) | fields).encode()})


def test_what_all_checks_ask_of_a_sound_artifact_is_asked_once() -> None:
    right = flawless(EXERCISE)
    runs = [check.run for check in EXERCISE.checks]

    assert [path for path, _, _ in right.reads] == [
        f"{FOLDER}/plan.json",
        f"{FOLDER}/worker-result.json",
        f"{FOLDER}/git-result.json",
    ]
    assert right.further == tuple(run for run in runs if not isinstance(run, OfProblems))
    assert right.outcomes == "p" * len(runs)


def test_a_flawless_submission_passes_with_every_file_read_once() -> None:
    door = Solved()
    record = recorded(door)

    assert record is not None
    assert (record.outcome, record.score, record.outcomes) == ("pass", 14, "p" * 16)
    assert door.asked == [f"{FOLDER}/{n}.json" for n in ("plan", "worker-result", "git-result")]


@pytest.mark.parametrize(
    "door",
    [
        Solved(plan=None),
        Solved(plan=b"null"),
        Solved(plan=b"{"),
        changed("plan", affected_files=[]),
        changed("worker_result", status="blocked"),
        changed("git_result", produced_by="x-planner"),
        changed("git_result", branch="feature/another"),
    ],
    ids=["gone", "null", "no JSON", "a rule", "a check", "a marker", "advice"],
)
def test_any_other_submission_is_left_to_the_careful_grading(door: Solved) -> None:
    assert recorded(door) is None


def test_where_memory_runs_out_it_is_not_graded_once_more_with_less() -> None:
    class Starved(Solved):
        def read(self, path: str) -> bytes:
            raise MemoryError(path)

    with pytest.raises(MemoryError):
        recorded(Starved())
