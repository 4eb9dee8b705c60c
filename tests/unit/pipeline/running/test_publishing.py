"""Only what the reviewer saw is published: no commit, result or folder that an agent has forged."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.stubs.agents import GOOD, MESSAGE, Scripted, put, read

if TYPE_CHECKING:
    from pipeline.drivers.base import Turn
    from tests.stubs.agents import Act
    from tests.unit.pipeline.running.conftest import Bench

BRANCH = "feature/issue-7-add-a-health-endpoint"
STAGES = ["implement", "review", "publish"]
FORGED = {
    "branch": BRANCH,
    "commit_sha": "1" * 40,
    "commit_message": "feat: forged",
    "produced_by": "x-git",
}


def after(stage: str, trick: Act) -> Act:
    """Return an agent that does its work and then plays a trick."""

    def act(turn: Turn) -> str | None:
        said = GOOD[stage](turn)
        trick(turn)
        return said

    return act


@pytest.mark.parametrize("stage", STAGES)
def test_a_commit_that_an_agent_has_made_is_not_published(bench: Bench, stage: str) -> None:
    def commits(turn: Turn) -> None:
        assert turn.stage == stage
        tree = bench.git("mktree", "--missing")
        sha = bench.git("commit-tree", tree, "-p", "HEAD", "-m", "feat: x", "-m", "Refs: ISSUE-7")
        bench.git("update-ref", f"refs/heads/{BRANCH}", sha)

    codes = bench.run(Scripted(**{stage: after(stage, commits)})), bench.run(Scripted())

    sha = bench.git("rev-parse", BRANCH)
    assert codes == (1, 1)
    assert bench.forge.calls == 0
    assert bench.stop[0] == f"the commit {sha[:10]} says 'Refs: ISSUE-7', and no run has made it"

    bench.git("branch", "-D", BRANCH)

    assert bench.run(Scripted()) == 0
    assert bench.forge.calls == 1


@pytest.mark.parametrize("stage", STAGES)
def test_a_result_that_an_agent_has_forged_is_not_believed_by_the_next_run(
    bench: Bench, stage: str
) -> None:
    def forges(turn: Turn) -> None:
        put(turn, "app/.pipeline/ISSUE-7/git-result.json", json.dumps(FORGED))
        (bench.folder / "run.json").unlink()

    codes = bench.run(Scripted(**{stage: after(stage, forges)})), bench.run(Scripted())

    assert codes == (1, 1)
    asked = {"implement": "x-worker", "review": "x-reviewer", "publish": "x-git"}[stage]
    assert bench.stop[:2] == [
        f"this has changed since {asked} was asked; nothing was undone",
        f"app/.pipeline/ISSUE-7/git-result.json: is not the artifact of {asked}",
    ]

    (bench.folder / "git-result.json").unlink()

    assert bench.run(Scripted()) == 0
    assert read(bench.folder / "git-result.json")["commit_sha"] == bench.git("rev-parse", BRANCH)
    assert not (bench.folder / "run.json").exists()


@pytest.mark.parametrize("name", ["app/.pipeline", "app/.pipeline/ISSUE-7"])
def test_no_run_begins_where_the_artifacts_would_be_somewhere_else(bench: Bench, name: str) -> None:
    elsewhere = bench.root.parent / "elsewhere"
    elsewhere.mkdir()
    (bench.root / name).parent.mkdir(exist_ok=True)
    (bench.root / name).symlink_to(elsewhere)

    assert bench.run(Scripted()) == 2
    assert bench.stop == [f"{bench.root / name} is a link, which is not followed"]
    assert list(elsewhere.iterdir()) == []


def test_what_changes_after_the_review_is_not_committed(bench: Bench) -> None:
    hook = bench.root / ".git/hooks/post-checkout"  # as fast as a program that goes on can be
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\necho evil > {bench.root}/app/src/health.js\n")
    hook.chmod(0o755)

    assert bench.run(Scripted()) == 1
    assert bench.stop[0] == (
        'files have changed since they were reviewed: "app/src/health.js"; nothing was committed'
    )
    assert bench.git("rev-list", "--count", "--all") == "1"
    assert bench.forge.calls == 0

    hook.unlink()

    assert bench.run(Scripted()) == 0
    assert bench.git("rev-list", "--count", "--all") == "2"


@pytest.mark.parametrize("name", ["gitlab", "gitea"])
def test_what_a_forge_took_without_an_address_is_done_for_that_forge(
    bench: Bench, name: str
) -> None:
    bench.forge.name, bench.forge.address = name, ""
    bench.run(Scripted())
    again = Scripted()
    bench.told.clear()

    code = bench.run(again)

    assert (code, bench.stop, again.stages, bench.forge.calls) == (0, [], [], 1)
    assert bench.history == [("kept", "publish")]
    assert read(bench.folder / "git-result.json") == {
        "branch": BRANCH,
        "commit_sha": bench.git("rev-parse", BRANCH),
        "commit_message": f"{MESSAGE}\n\nRefs: ISSUE-7",
        "forge": name,
        "produced_by": "x-git",
    }


def test_what_a_forge_took_without_an_address_is_not_done_for_another(bench: Bench) -> None:
    bench.forge.name, bench.forge.address = "gitlab", ""
    bench.run(Scripted())
    bench.forge.name = "gitea"

    assert bench.run(Scripted()) == 2
    assert bench.stop == [
        f"ISSUE-7 is published already on gitlab, without a web address: {BRANCH}",
        (
            "To open its pull request on gitea, move app/.pipeline/ISSUE-7/git-result.json away "
            "and run the same command again: the commit stays the one that there is."
        ),
    ]


def test_what_has_an_address_names_no_forge(bench: Bench) -> None:
    bench.run(Scripted())

    assert "forge" not in read(bench.folder / "git-result.json")
