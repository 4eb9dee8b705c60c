"""Runs in work trees of one repository, and what the user does meanwhile, do not disturb a run."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

from tests.stubs.benches import CLIENT, Bench
from tests.stubs.repositories import git

if TYPE_CHECKING:
    from pathlib import Path

    from tests.acceptance.conftest import Environment

ISSUES = ("ISSUE-202", "ISSUE-302", "ISSUE-303")


def started(bench: Bench, folder: Path, issue: str) -> subprocess.Popen[str]:
    """Start a run of an issue in a work tree."""
    words = ("run", f"work on issue {issue}: as its file says", "--driver", "command")
    return subprocess.Popen(
        [sys.executable, "-m", "pipeline", *words, "--command", CLIENT],
        cwd=folder,
        env=bench.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_p4_three_runs_in_three_work_trees_end_in_three_pull_requests_whatever_the_user_does(
    tmp_path: Path, environment: Environment
) -> None:
    bench = Bench(tmp_path / "repository", environment())
    bench.git("init", "--quiet", "--bare", "../origin.git")
    bench.git("remote", "add", "origin", "../origin.git")
    bench.git("push", "--quiet", "origin", "main")
    folders = [tmp_path / issue for issue in ISSUES]
    for folder in folders:
        bench.git("worktree", "add", "--quiet", "--detach", str(folder))
        git(folder, "switch", "--quiet", "-c", f"base-{folder.name.lower()}")
    runs = [started(bench, folder, folder.name) for folder in folders]
    number = 0
    while any(run.poll() is None for run in runs):
        number += 1
        bench.git("commit", "--quiet", "--allow-empty", "-m", f"chore: by hand {number}")
        bench.git("tag", f"v{number}")
        bench.git("branch", f"other-{number}")
        bench.git("push", "--quiet", "origin", "main")
        bench.git("fetch", "--quiet", "origin")
        bench.git("config", "user.foo", str(number))

    said = [run.communicate() for run in runs]

    assert [(run.returncode, err) for run, (_, err) in zip(runs, said, strict=True)] == [
        (0, "")
    ] * 3
    assert [out.rstrip().splitlines()[-1] for out, _ in said] == [
        "The pull request is ready for review."
    ] * 3
    assert [len(list((f / ".pipeline/forge/pulls").glob("*.md"))) for f in folders] == [1] * 3
    assert number > 3
