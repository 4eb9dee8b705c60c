"""`pipeline demo`: each recording passes its exercises in a copy, and no work is touched by it."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from pipeline.bootstrap import ROOT
from pipeline.drivers.replay import RECORDINGS, recordings
from tests.stubs.repositories import UserRepository, git

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from tests.acceptance.conftest import Run

QUICK = ("ISSUE-306",), ("ISSUE-202",)  # the others are left to .ci/run
TIERS = ("ISSUE-301", "ISSUE-302", "ISSUE-303")
PLAYED = [
    issues if issues in QUICK else pytest.param(issues, marks=pytest.mark.slow)
    for issues in [*((each,) for each in recordings() if each not in TIERS), TIERS]
]


def graded(run: Run, commands: Sequence[str], cwd: str = ROOT) -> list[int]:
    """Return the exit codes of the commands that a demonstration ends with, as they are pasted."""
    return [run(*shlex.split(line)[1:], cwd=cwd).returncode for line in commands]


@pytest.mark.parametrize("issues", PLAYED)
def test_a_recording_passes_the_exercises_about_it_by_the_commands_that_it_ends_with(
    issues: tuple[str, ...], tmp_path: Path, run: Run
) -> None:
    copy = tmp_path / "a copy"
    done = run("-m", "pipeline", "demo", *issues, "--to", str(copy))

    lines = done.stdout.splitlines()
    exercises = {each for issue in issues for each in recordings()[issue]["exercises"]}
    commands = [line for line in lines if line.startswith("  python3 ")]
    assert (done.returncode, done.stderr) == (0, "")
    assert lines[0].startswith(f"This is a recording of {' and '.join(issues)}: no agent runs")
    assert lines.count("The pull request is ready for review.") == len(issues)
    assert shlex.quote(str(copy)) in lines[-1]
    assert len(commands) == len(exercises)
    assert graded(run, commands) == [0] * len(exercises)


@pytest.mark.slow
def test_a_troubled_run_has_a_failing_test_a_finding_and_an_escalation_and_still_passes(
    tmp_path: Path, run: Run
) -> None:
    copy = tmp_path / "copy"
    done = run("-m", "pipeline", "demo", *TIERS, "--troubled", "--to", str(copy))

    lines = [line.split()[:3] for line in done.stdout.splitlines() if line[:2] in ("! ", "+ ")]
    result = json.loads((copy / "sandbox/.pipeline/ISSUE-302/test-result.json").read_text())
    assert (done.returncode, done.stderr) == (0, "")
    assert [line for line in lines if line[0] == "!"] == [
        ["!", "test", "runner"],
        ["!", "review", "x-reviewer"],
        ["!", "implement", "x-worker"],
    ]
    assert (result["command"], result["counts"]["passed"], result["before"]["counts"]) == (
        "npm test",
        76,
        {"passed": 44, "failed": 0, "skipped": 0},
    )
    commands = [line for line in done.stdout.splitlines() if line.startswith("  python3 ")]
    assert graded(run, commands) == [0]


@pytest.mark.slow
def test_l1_a_recording_plays_where_foundation_is_merged_and_in_a_shallow_clone(
    tmp_path: Path, run: Run
) -> None:
    user = UserRepository(tmp_path / "course")
    ignored = shutil.ignore_patterns("__pycache__", "node_modules", ".pipeline")
    for name in ("pipeline", "verify", "docs", "sandbox", "fixtures/solutions"):
        shutil.copytree(os.path.join(ROOT, name), user.folder / name, ignore=ignored)
    for name in (".gitignore", "fixtures/sandbox.bundle"):
        shutil.copy(os.path.join(ROOT, name), user.folder / name)
    user.commit()
    for issue in ("ISSUE-101", "ISSUE-102"):
        user.git("switch", "-q", "-c", issue, "main")
        project = recordings()[issue]["project"]
        patch = os.path.join(RECORDINGS, issue, "changes.patch")
        user.git("apply", *([] if project == "." else [f"--directory={project}"]), patch)
        user.commit()
        user.git("switch", "-q", "main")
        user.git("merge", "-q", "--no-ff", "--no-edit", issue)
    user.write("sandbox/src/notes/store.js", "// not committed\n")
    shallow = tmp_path / "shallow"
    git(tmp_path, "clone", "-q", "--depth=1", user.folder.as_uri(), str(shallow))

    for course in (user.folder, shallow):
        before = git(course, "status", "--porcelain", "--branch"), git(course, "show-ref")
        done = run(
            *("-m", "pipeline", "demo", "ISSUE-202"), cwd=str(course), env={"TMPDIR": str(tmp_path)}
        )

        assert (done.returncode, done.stderr) == (0, "")
        assert graded(run, done.stdout.splitlines()[-1:], str(course)) == [0]
        assert (git(course, "status", "--porcelain", "--branch"), git(course, "show-ref")) == before
    assert len(list(tmp_path.glob("demo-ISSUE-202-*"))) == 2


def test_no_setting_of_the_users_stops_a_demonstration(tmp_path: Path, run: Run) -> None:
    (tmp_path / "ignored").write_text("*\n")
    (tmp_path / "hooks").mkdir()
    (tmp_path / "hooks" / "commit-msg").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "hooks" / "commit-msg").chmod(0o755)
    settings = tmp_path / "gitconfig"
    settings.write_text(
        f"[core]\nhooksPath = {tmp_path}/hooks\nexcludesFile = {tmp_path}/ignored\n"
        "autocrlf = true\n[commit]\ngpgSign = true\n[user]\nuseConfigOnly = true\n"
        "[clone]\ndefaultRemoteName = x\n"
    )
    done = run(
        *("-m", "pipeline", "demo", "ISSUE-301", "--to", str(tmp_path / "copy")),
        env={"GIT_CONFIG_GLOBAL": str(settings), "GIT_DIR": "/nowhere"},
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert (
        "To grade expert/02, play all its recordings: python3 -m pipeline demo ISSUE-301 ISSUE-302"
        in done.stdout
    )


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("ISSUE-202", "--troubled"), "--troubled: there is no such recording (try ISSUE-302)"),
        (("ISSUE-202", "--to", "."), "--to .: already exists (choose a new folder)"),
        (
            ("ISSUE-202", "--to", f"{ROOT}/sandbox/copy"),
            f"{ROOT}/sandbox/copy is inside the course (choose a folder outside it with --to)",
        ),
        (
            ("ISSUE-7",),
            f"there is no recording of ISSUE-7 (expected one of {', '.join(recordings())})",
        ),
    ],
)
def test_nothing_is_overwritten_and_what_cannot_be_played_is_one_line(
    words: tuple[str, ...], line: str, tmp_path: Path, run: Run
) -> None:
    done = run("-m", "pipeline", "demo", *words, cwd=str(tmp_path), env={"PYTHONPATH": ROOT})

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"pipeline demo: {line}\n"
    assert list(tmp_path.iterdir()) == []


def test_without_an_issue_the_recordings_are_listed_with_their_exercises(run: Run) -> None:
    done = run("-m", "pipeline", "demo")

    rows = [line for line in done.stdout.splitlines() if line.startswith("ISSUE-")]
    assert done.returncode == 0
    assert [row.partition(" ")[0] for row in rows] == list(recordings())
    assert rows[3] == "ISSUE-202  page through the list of notes (practitioner/04)"


OVERHEAD = 0.8  # seconds


@pytest.mark.figure
def test_i31_a_replayed_run_costs_the_runner_less_than_its_figure(
    tmp_path: Path, how_many: Callable[[int, int], int]
) -> None:
    words = [sys.executable, "-m", "pipeline", "demo", "ISSUE-202", "--to"]
    spent = []
    for number in range(how_many(2, 20)):
        before = os.times()
        subprocess.run([*words, str(tmp_path / f"{number}")], check=True, capture_output=True)
        after = os.times()
        user, system = (after[at] - before[at] for at in (2, 3))  # of children
        spent.append(user + system)

    print(f"{len(spent)} replayed runs, git and the start of Python included: {min(spent):.2f} s")
    assert min(spent) < OVERHEAD
