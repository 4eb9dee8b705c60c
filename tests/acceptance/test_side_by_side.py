"""Runs in work trees of one repository, and what the user does meanwhile, do not disturb a run."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.stubs.benches import CLIENT, PROMPT, RUN, TESTED, Bench
from tests.stubs.repositories import git

if TYPE_CHECKING:
    from pathlib import Path

    from tests.acceptance.conftest import Environment

BRANCH = "feature/issue-202-page-through-the-list"
ISSUES = ("ISSUE-202", "ISSUE-302", "ISSUE-303")


def started(bench: Bench, folder: Path, issue: str) -> subprocess.Popen[str]:
    """Start a run of an issue in a work tree."""
    words = ("run", f"work on issue {issue}: as its file says", "--driver", "command")
    return subprocess.Popen(
        [sys.executable, "-m", "pipeline", *words, *TESTED, "--command", CLIENT],
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


APART = (*RUN, "--worktree")


@pytest.fixture
def dirty(tmp_path: Path, environment: Environment) -> Bench:
    """Return a repository in which the user works on a file that the plan names, too."""
    bench = Bench(tmp_path / "repository", environment())
    (bench.root / "sandbox/src/app.js").write_text("// half a thought\n")
    (bench.root / "sandbox/src/notes/store.js").write_text("// another\n")
    return bench


def of_the_user(bench: Bench) -> tuple[str, str, str]:
    """Return what is checked out, what has changed there, and a file of the user's."""
    text = (bench.root / "sandbox/src/app.js").read_text()
    return bench.git("branch", "--show-current"), bench.git("status", "--short"), text


def test_a_run_in_its_own_work_tree_leaves_a_request_and_nothing_of_the_users_changes(
    dirty: Bench,
) -> None:
    before = of_the_user(dirty)

    done = dirty.pipeline(*APART)
    again = dirty.pipeline(*APART)

    pages = [path.name for path in (dirty.root / ".pipeline/forge/pulls").iterdir()]
    artifacts = sorted(path.name for path in (dirty.root / ".pipeline/ISSUE-202").iterdir())
    assert (done.returncode, done.stderr, again.returncode, again.stderr) == (0, "", 0, "")
    assert of_the_user(dirty) == before
    assert pages == ["1-issue-202-page-through-the-list.md"]
    assert artifacts == [
        *("git-result.json", "plan.json", "review-result.json", "test-result.json"),
        "turns.jsonl",
        "worker-result.json",
    ]
    assert len(dirty.git("worktree", "list").splitlines()) == 1
    assert not (dirty.root / ".pipeline/worktrees").exists()


def test_a_worker_that_fails_in_its_own_work_tree_can_continue_there(dirty: Bench) -> None:
    before = of_the_user(dirty)

    failed = dirty.pipeline(
        "run", PROMPT, "--worktree", "--driver", "command", "--command", "false"
    )
    dirty.git("commit", "--quiet", "--allow-empty", "-m", "chore: meanwhile")
    done = dirty.pipeline(*APART)

    kept = "The work tree is kept: .pipeline/worktrees/ISSUE-202"
    assert (failed.returncode, failed.stderr.splitlines()[-1]) == (1, kept)
    assert (done.returncode, done.stderr) == (0, "")
    assert of_the_user(dirty) == before
    assert dirty.git("rev-list", "--count", f"main..{BRANCH}") == "1"


def test_p10_artifacts_are_ignored_by_gits_own_list_unless_the_project_commits_them(
    dirty: Bench,
) -> None:
    dirty.git("stash", "--quiet")
    dirty.pipeline(*RUN)
    (dirty.root / ".pipeline/ISSUE-202/note.txt").write_text("x")

    assert dirty.git("status", "--short") == ""
    assert not (dirty.root / ".gitignore").exists()


def test_p10_a_project_that_commits_its_artifacts_still_sees_new_ones(dirty: Bench) -> None:
    dirty.git("stash", "--quiet")
    old = dirty.root / ".pipeline/ISSUE-1/plan.json"
    old.parent.mkdir(parents=True)
    old.write_text("{}")
    dirty.git("add", "--all")
    dirty.git("commit", "--quiet", "-m", "chore: artifacts")

    dirty.pipeline(*RUN)

    assert "?? .pipeline/ISSUE-202/" in dirty.git("status", "--short").splitlines()
