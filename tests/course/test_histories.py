"""What git says of the histories of the fixtures is what the grader says."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pipeline.bootstrap import ROOT
from tests.stubs.histories import bundled, fresh, made, packed, report_on
from tests.stubs.repositories import git
from tools.histories import COURSES, FIXTURES, Course

if TYPE_CHECKING:
    from collections.abc import Callable

    from verify.model import Report

CASES = [
    pytest.param(course, name, id=f"{course.folder}/{name}")
    for course in COURSES
    for name in ("solved", "solved-forwarded", "solved-merged", "broken-other-files")
    if name in course.histories
]


@pytest.mark.parametrize(("course", "name"), CASES)
def test_git_says_of_a_history_what_the_grader_says(
    course: Course, name: str, tmp_path: Path
) -> None:
    folder = Path(ROOT, FIXTURES, course.folder, name, ".pipeline")
    result, worker = (
        json.loads((folder / course.issue / f"{artifact}.json").read_text())
        for artifact in ("git-result", "worker-result")
    )
    git(tmp_path, "clone", "--quiet", "--bare", str(folder / "history.bundle"), "clone")
    clone, sha = tmp_path / "clone", result["commit_sha"]
    changed = git(clone, "diff", "--name-only", f"{sha}^", sha).split()

    assert git(clone, "fsck", "--strict") == ""
    assert git(clone, "log", "-1", "--format=%s", sha) == result["commit_message"]
    assert (changed == sorted(worker["files_changed"])) == name.startswith("solved")


TABLES = Path(__file__).parent / "histories"
CONTAINERS = ("clone", "fresh clone", "bundle", "packed")


def scripts(table: str) -> list[tuple[str, str]]:
    """Return the names and the scripts of a table."""
    lines = (TABLES / table).read_text("utf-8").splitlines()
    rows = [line.partition(": ") for line in lines if not line.startswith("#")]
    return [(name, script) for name, _, script in rows]


def submitted(alice: Path, folder: Path) -> dict[str, Path]:
    """Return one repository as people submit it, by the container."""
    ways = (alice, fresh(alice, folder), bundled(alice, folder), packed(alice, folder))
    return dict(zip(CONTAINERS, ways, strict=True))


def outcomes(report: Report) -> dict[str, str]:
    return {result.check.code: result.outcome.value for result in report.results}


def tried(table: str, how_many: Callable[[int, int], int]) -> list[tuple[str, str]]:
    rows = scripts(table)
    assert len(rows) >= 60
    return random.Random(26).sample(  # noqa: S311  # the same each time
        rows, how_many(6, len(rows))
    )


@pytest.mark.figure
def test_an_honest_history_keeps_all_its_points_however_it_is_submitted(
    how_many: Callable[[int, int], int], tmp_path: Path
) -> None:
    wrong = []
    rows = tried("honest.txt", how_many)
    for number, (name, script) in enumerate(rows):
        folder = tmp_path / str(number)
        ways = submitted(made(script, folder), folder)
        reports = {way: report_on(path) for way, path in ways.items()}
        wrong += [(name, way, outcomes(r)) for way, r in reports.items() if r.score < r.points]
        if outcomes(reports["clone"]) != outcomes(reports["packed"]):
            wrong.append((name, "clone and zip differ", outcomes(reports["packed"])))
    print(f"honest histories: {len(rows)}, each submitted in {len(CONTAINERS)} ways")

    assert wrong == []


@pytest.mark.figure
def test_a_forged_history_is_refused_however_it_is_submitted(
    how_many: Callable[[int, int], int], tmp_path: Path
) -> None:
    wrong = []
    rows = tried("forged.txt", how_many)
    for number, (name, script) in enumerate(rows):
        folder = tmp_path / str(number)
        ways = submitted(made(script, folder), folder)
        reports = {way: report_on(path) for way, path in ways.items()}
        wrong += [(name, way, outcomes(r)) for way, r in reports.items() if r.passed]
        if outcomes(reports["clone"]) != outcomes(reports["packed"]):
            wrong.append((name, "clone and zip differ", outcomes(reports["packed"])))
    print(f"forged histories: {len(rows)}, each submitted in {len(CONTAINERS)} ways")

    assert wrong == []
