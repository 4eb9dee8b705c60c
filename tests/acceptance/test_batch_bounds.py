"""A submission on which a check never ends, or takes all memory, costs nobody else anything."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest

from pipeline.bootstrap import ROOT
from tests.acceptance.conftest import VERIFY

if TYPE_CHECKING:
    from pathlib import Path

    from tests.acceptance.conftest import Completed, Run

# what an instructor's check may do by mistake, of what a submission says
DEEDS = """
    if "Endless" in team:
        while True:
            pass
    if "Backtracking" in team:
        import re
        re.fullmatch("(a|aa)+b", "a" * 80)
    if "Greedy" in team:
        held = [bytearray(1 << 24) for _ in range(1_000)]
    if "Exiting" in team:
        raise SystemExit(0)
    if "Odd" in team:
        return 7
"""
LATER = "The next run tries again."
TOO_SLOW = (
    "basics/02: grading this submission took more than 0.5 s of CPU time. Submit a .zip without"
    f" large files, or raise --time-limit if the checks need longer. {LATER}"
)
TOO_BIG = (
    "basics/02: grading this submission needed more than 100 MB of memory. Submit a .zip without"
    f" large files, or raise --memory-limit if the checks need more. {LATER}"
)
FIX = "Fix the check at this line of the course. The other checks were graded."
EXITING = (
    "basics/02: exercises/basics/ex02_retro.py:32: the check B02.4 itself failed: SystemExit: 0."
    f" {FIX}"
)
ODD = (
    "basics/02: exercises/basics/ex02_retro.py:18: the check B02.4 itself failed: TypeError: B02.4"
    f" returned 7 (expected a Verdict that passes, fails or is not checked). {FIX}"
)


@pytest.fixture
def made(run: Run, tmp_path: Path) -> Path:
    """Return a course of one's own with a check that does not always end."""
    folder = tmp_path / "mine"
    assert run(*VERIFY, "new-course", str(folder)).returncode == 0
    file = folder / "exercises" / "basics" / "ex02_retro.py"
    text = file.read_text(encoding="utf-8")
    line = '    team = artifact.value["team"]\n'
    assert line in text
    file.write_text(text.replace(line, line + DEEDS), encoding="utf-8")
    return folder


def cohort_of(made: Path, place: Path, hostile: dict[str, str]) -> Path:
    """Return a folder of thirty submissions; the `hostile` ones have somebody else in the team."""
    for number in range(30):
        name = f"learner-{number:02}"
        fixture = "broken-owner" if number % 4 == 1 else "solved"
        shutil.copytree(made / "fixtures" / "basics" / "02-retro" / fixture, place / name)
        file = place / name / ".pipeline" / "ISSUE-1" / "retro.json"
        document = json.loads(file.read_text(encoding="utf-8"))
        document["team"].append(hostile.get(name, "Nobody"))
        file.write_text(json.dumps(document), encoding="utf-8")
    return place


@pytest.fixture
def batch(run: Run, made: Path, tmp_path: Path) -> Run:
    """Return a function that grades a folder by the course, within tight bounds."""

    def graded(folder: Path, *words: str) -> Completed:
        return run(
            *(*VERIFY, "batch", str(folder), "--exercise", "basics/02", "--course", str(made)),
            *("--time-limit", "0.5", "--memory-limit", "100", "--quiet", *words),
            cwd=str(tmp_path),
            env={"PYTHONPATH": ROOT},
        )

    return graded


@pytest.mark.slow
def test_the_culprits_are_named_and_their_neighbours_grades_are_those_of_any_other_day(
    batch: Run, made: Path, tmp_path: Path
) -> None:
    hostile = {"learner-07": "Endless", "learner-08": "Backtracking", "learner-22": "Greedy"}
    hostile |= {"learner-23": "Exiting", "learner-24": "Odd"}
    calm = batch(
        *(cohort_of(made, tmp_path / "calm", {}), "--jobs", "2"),
        *("--gradebook", "calm.db", "--csv", "calm.csv"),
    )
    done = batch(
        *(cohort_of(made, tmp_path / "hostile", hostile), "--jobs", "2", "--csv", "hostile.csv")
    )
    neighbours, usual = (
        [
            line
            for line in (tmp_path / name).read_text(encoding="utf-8").splitlines()
            if not line.startswith(tuple(hostile))
        ]
        for name in ("hostile.csv", "calm.csv")
    )

    assert (calm.returncode, done.returncode) == (1, 3)
    assert neighbours == usual
    assert len(neighbours) == 1 + 25 * 4  # a header, and a line for each check
    assert done.stderr.splitlines()[:5] == [
        f"verify: learner-07, {TOO_SLOW}",
        f"verify: learner-08, {TOO_SLOW}",
        f"verify: learner-22, {TOO_BIG}",
        f"verify: learner-23, {EXITING}",
        f"verify: learner-24, {ODD}",
    ]
    assert done.stderr.splitlines()[5:] == [
        "verify: 5 results are errors; an error never counts as a zero"
    ]
    assert "\nbasics/02        30      17       8           0      5  4.36/5\n" in done.stdout


@pytest.mark.slow
def test_who_was_named_is_tried_again_by_the_next_run_and_only_they_are(
    batch: Run, made: Path, tmp_path: Path
) -> None:
    folder = cohort_of(made, tmp_path / "cohort", {"learner-07": "Endless"})
    first = batch(folder, "--jobs", "1")
    again = batch(folder, "--jobs", "1")
    shutil.rmtree(folder / "learner-07")
    shutil.copytree(folder / "learner-08", folder / "learner-07")
    mended = batch(folder, "--jobs", "1")

    assert (first.returncode, again.returncode, mended.returncode) == (3, 3, 1)
    assert first.stderr.splitlines()[-1] == (
        "verify: 1 result is an error; an error never counts as a zero"
    )
    assert "1 submission graded, 29 unchanged since an earlier run" in again.stdout
    assert "1 submission graded, 29 unchanged since an earlier run" in mended.stdout
