"""A learner moves on in a course of their own: what was reached is kept, what is next is told."""

from __future__ import annotations

import os
import re
import shutil
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.acceptance.conftest import PathOf, Run

CONSOLE = "from verify.cli import main; raise SystemExit(main())"
ISSUE = os.path.join("sandbox", ".pipeline", "ISSUE-101")
TIME = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d")
HEADING = "# Your progress in the course. verify.py updates only the lines of exercises.\n"


@pytest.fixture
def hand_in(course: Path, fixture: PathOf) -> Callable[[str], None]:
    """Return a function that puts a submission of the foundation level into the course."""

    def put(name: str) -> None:
        shutil.copytree(fixture(f"foundation/{name}"), course, dirs_exist_ok=True)

    return put


@pytest.fixture
def grade(course: Path, run: Run) -> Run:
    """Return a function that runs the foundation level's script of the course."""
    script = os.path.join("docs", "foundation", "tutorials", "verify.py")
    return lambda *words: run(script, *words, cwd=str(course))


@pytest.fixture
def verify(course: Path, run: Run) -> Run:
    """Return a function that runs the console script of the course."""
    return lambda *words: run("-c", CONSOLE, *words, cwd=str(course), env={"PATH": os.devnull})


def record(course: Path) -> str:
    """Return the record with each time as `<time>`."""
    return TIME.sub("<time>", (course / "progress.txt").read_text())


def test_progress_is_kept_from_run_to_run_and_next_leads_on(
    course: Path, hand_in: Callable[[str], None], grade: Run, verify: Run
) -> None:
    hand_in("01-plan/broken-order")
    codes = [grade("--exercise", "01").returncode]
    first = record(course)
    hand_in("01-plan/solved")
    codes += [grade("--exercise", "01").returncode]
    following = verify("next")

    assert codes == [1, 0]
    assert re.fullmatch(
        rf"{re.escape(HEADING)}foundation/01    begun   -  +\d of 9 points    runs 1\n", first
    )
    assert record(course) == (
        f"{HEADING}foundation/01    passed  <time>  9 of 9 points    runs 2\n"
    )
    assert following.stdout.startswith("foundation/02 - Implement the plan - not begun\n")
    assert (following.returncode, following.stderr) == (0, "")


def test_a_reset_moves_an_attempt_aside_and_keeps_what_was_reached(
    course: Path, hand_in: Callable[[str], None], grade: Run, verify: Run
) -> None:
    hand_in("02-implement/solved")
    grade("--exercise", "01")
    plan = (course / ISSUE / "plan.json").read_text()
    done = verify("reset", "foundation/01")
    moved = re.fullmatch(
        rf"moved {re.escape(ISSUE)}/plan\.json\n"
        rf"   to (\.aside/foundation-01/\d{{8}}-\d{{6}}/{re.escape(ISSUE)}/plan\.json)\n"
        r"Your code and branches are unchanged\.\n"
        r"foundation/01 starts again:\n"
        r"  python3 docs/foundation/tutorials/verify\.py --exercise 01\n",
        done.stdout,
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert moved is not None
    assert (course / moved[1]).read_text() == plan
    assert os.listdir(course / ISSUE) == ["worker-result.json"]
    assert record(course) == (
        f"{HEADING}foundation/01    passed  <time>  9 of 9 points    runs 1\n"
    )
