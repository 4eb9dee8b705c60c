"""A learner moves on in a course of their own: what was reached is kept, what is next is told."""

from __future__ import annotations

import os
import re
import shutil
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable
    from pathlib import Path

    Completed = subprocess.CompletedProcess[str]
    Run = Callable[..., Completed]
    PathOf = Callable[[str], str]

CONSOLE = "from verify.cli import main; raise SystemExit(main())"
ISSUE = os.path.join("sandbox", ".pipeline", "ISSUE-101")
TIME = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d")
HEADING = "# What you have done of the course. verify.py keeps it, and leaves other lines alone.\n"


@pytest.fixture
def hand_in(course: Path, fixture: PathOf) -> Callable[[str], None]:
    """Return a function that puts a submission of the foundation level into the course."""

    def put(name: str) -> None:
        shutil.copytree(fixture(f"foundation/{name}"), course, dirs_exist_ok=True)

    return put


@pytest.fixture
def grade(course: Path, run: Run) -> Callable[..., Completed]:
    """Return a function that runs the foundation level's script of the course."""
    script = os.path.join("docs", "foundation", "tutorials", "verify.py")
    return lambda *words: run(script, *words, cwd=str(course))


@pytest.fixture
def verify(course: Path, run: Run) -> Callable[..., Completed]:
    """Return a function that runs the console script of the course."""
    return lambda *words: run("-c", CONSOLE, *words, cwd=str(course), env={"PATH": os.devnull})


def record(course: Path) -> str:
    """Return the record with each time as `<time>`."""
    return TIME.sub("<time>", (course / "progress.txt").read_text())


def test_progress_is_kept_from_run_to_run(
    course: Path, hand_in: Callable[[str], None], grade: Callable[..., Completed]
) -> None:
    hand_in("01-plan/broken-order")
    codes = [grade("--exercise", "01").returncode]
    first = record(course)
    hand_in("01-plan/solved")
    codes += [grade("--exercise", word).returncode for word in ("01", "1", "02")]

    assert codes == [1, 0, 0, 1]
    assert re.fullmatch(
        rf"{re.escape(HEADING)}foundation/01    begun   -  +\d of 8 points    runs 1\n", first
    )
    assert record(course) == (
        f"{HEADING}foundation/01    passed  <time>  8 of 8 points    runs 3\n"
    )


def test_the_list_shows_the_state_now_and_what_was_before(
    course: Path, hand_in: Callable[[str], None], grade: Callable[..., Completed]
) -> None:
    hand_in("01-plan/solved")
    grade("--exercise", "01")
    (course / ISSUE / "plan.json").unlink()
    done = grade()

    assert "\n01          not begun  Plan an issue " in done.stdout
    assert "\n\nSo far: 01 1 run, first passed <time>.\n\nNext, foundation/01" in TIME.sub(
        "<time>", done.stdout
    )
    assert (done.returncode, done.stderr) == (1, "")


def test_somebody_elses_work_leaves_no_trace(
    course: Path, fixture: PathOf, grade: Callable[..., Completed]
) -> None:
    grade("--exercise", "01", "--project", fixture("foundation/01-plan/solved"))
    grade("--exercise", "01", "--target", ".")

    assert not (course / "progress.txt").exists()


def test_a_record_that_is_no_file_changes_no_grade(
    course: Path, hand_in: Callable[[str], None], grade: Callable[..., Completed]
) -> None:
    hand_in("01-plan/solved")
    (course / "progress.txt").symlink_to("elsewhere.txt")
    done = grade("--exercise", "01", "--format", "json")

    assert (done.returncode, done.stderr) == (
        0,
        ("verify: progress.txt is a link, not a regular file; this run is not noted in it\n"),
    )
    assert '"passed": true' in done.stdout
    assert not (course / "elsewhere.txt").exists()


def test_next_leads_through_the_course(
    hand_in: Callable[[str], None], verify: Callable[..., Completed]
) -> None:
    first = verify("next")
    hand_in("01-plan/solved")
    second = verify("next")

    assert (first.returncode, first.stdout, first.stderr) == (
        0,
        (
            "foundation/01 - Plan an issue - not begun\n"
            "  task      sandbox/issues/ISSUE-101.md\n"
            "  tutorial  docs/foundation/tutorials/01-plan.md\n"
            "  grade     verify check foundation/01\n"
        ),
        "",
    )
    assert second.stdout.startswith("foundation/02 - Implement the plan - not begun\n")


def test_a_reset_moves_an_attempt_aside_and_keeps_what_was_reached(
    course: Path,
    hand_in: Callable[[str], None],
    grade: Callable[..., Completed],
    verify: Callable[..., Completed],
) -> None:
    hand_in("02-implement/solved")
    grade("--exercise", "01")
    plan = (course / ISSUE / "plan.json").read_text()
    done, again = verify("reset", "foundation/01"), verify("reset", "foundation/01")
    moved = re.fullmatch(
        rf"moved {re.escape(ISSUE)}/plan\.json\n"
        rf"   to (\.aside/foundation-01/\d{{8}}-\d{{6}}/{re.escape(ISSUE)}/plan\.json)\n"
        r"Code and branches stay as they are\.\n"
        r"foundation/01 begins afresh:\n  verify check foundation/01\n",
        done.stdout,
    )

    assert moved is not None
    assert (course / moved[1]).read_text() == plan
    assert os.listdir(course / ISSUE) == ["worker-result.json"]
    assert again.stdout == "foundation/01: nothing is handed in, so nothing was moved.\n"
    assert [(each.returncode, each.stderr) for each in (done, again)] == [(0, "")] * 2
    assert record(course) == (
        f"{HEADING}foundation/01    passed  <time>  8 of 8 points    runs 1  reset <time>\n"
    )


def test_a_link_is_not_followed_to_be_moved(
    course: Path, tmp_path: Path, verify: Callable[..., Completed]
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "plan.json").write_text("mine")
    (course / "sandbox" / ".pipeline").mkdir()
    (course / ISSUE).symlink_to(outside)
    done = verify("reset", "foundation/01")

    assert (done.returncode, done.stdout, done.stderr) == (
        *(2, ""),
        f"verify: {ISSUE} is a link, which is not followed: nothing was moved\n",
    )
    assert (outside / "plan.json").read_text() == "mine"
    assert not (course / ".aside").exists()
