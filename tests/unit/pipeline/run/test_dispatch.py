"""A turn changes what its role may change and nothing else; only what was reviewed is published."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pipeline.terminal.exit_codes import UNUSABLE
from pipeline.terminal.fault import Fault
from pipeline.tiers import Selection
from tests.stubs.agents import FILES, GOOD, MESSAGE, Scripted, plan, put, read, result, works, write

if TYPE_CHECKING:
    from collections.abc import Callable

    from pipeline.drivers.base import Turn
    from tests.stubs.agents import Act
    from tests.unit.pipeline.run.conftest import Bench

    Trick = Callable[[Bench, Turn], object]

BRANCH = "feature/issue-7-add-a-health-endpoint"
FOLDER = "app/.pipeline/ISSUE-7"
TABLE = Selection(effort="high")  # of a complex task in Codex
OUTSIDE = "README.md: is outside the target project app"


def after(stage: str, trick: Callable[[Turn], object]) -> Act:
    """Return an agent that does its work and then plays a trick."""

    def act(turn: Turn) -> str | None:
        said = GOOD[stage](turn)
        trick(turn)
        return said

    return act


def strays(_: Bench, turn: Turn) -> None:
    put(turn, "README.md", "# Mine now\n")


def commits(bench: Bench, _: Turn) -> None:
    bench.git("add", "app/src")
    bench.git("commit", "-q", "-m", "feat: mine")


@pytest.mark.parametrize(
    ("trick", "line"),
    [
        (strays, OUTSIDE),
        (commits, "HEAD is now "),
        (
            lambda _, turn: put(turn, f"{FOLDER}/git-result.json", "{}"),
            f"{FOLDER}/git-result.json: is not the artifact of x-worker",
        ),
    ],
)
def test_a_worker_that_changes_what_it_may_not_stops_the_run_and_nothing_is_undone(
    bench: Bench, trick: Trick, line: str
) -> None:
    driver = Scripted(implement=after("implement", lambda turn: trick(bench, turn)))

    codes = [bench.run(driver)]
    first = bench.stop[:2]
    codes.append(bench.run(driver))

    assert codes == [1, 1]
    assert first[0] == "x-worker made changes that its role does not allow; nothing was undone"
    assert first[1].startswith(line)
    assert bench.stop[0] == "the following has changed since x-worker started; nothing was undone"
    assert bench.stop[1].startswith(line)
    assert driver.stages == [("plan", "x-subplanner"), ("implement", "x-worker")]


def test_what_a_person_sets_right_lets_the_run_continue(bench: Bench) -> None:
    bench.run(Scripted(implement=after("implement", lambda turn: strays(bench, turn))))
    bench.git("checkout", "--", "README.md")

    assert bench.run(Scripted()) == 0


def test_a_worker_that_changes_what_it_is_compared_with_stops_the_run(bench: Bench) -> None:
    covers_up = after("implement", lambda turn: put(turn, f"{FOLDER}/run.json", "{}"))

    code = bench.run(Scripted(implement=covers_up))

    assert code == 1
    assert bench.stop == [
        f"x-worker changed {FOLDER}/run.json, which no role may change",
        "To continue, run the same command again.",
    ]
    assert read(bench.folder / "run.json")["stage"] == "implement"


def test_a_worker_does_not_mix_its_work_with_files_of_the_users(bench: Bench) -> None:
    (bench.root / "app" / "notes.md").write_text("mine\n")

    def appends(turn: Turn) -> None:
        put(turn, "app/notes.md", "mine\nand its\n")
        write(turn, result("notes.md"))

    code = bench.run(Scripted(implement=appends))

    assert code == 1
    assert bench.stop[1] == "app/notes.md: you had already changed this file"
    assert bench.git("branch", "--list", "feature/*") == ""


def test_a_call_that_could_not_be_made_leaves_nothing_to_be_compared(bench: Bench) -> None:
    def refuses(_turn: Turn) -> None:
        raise Fault("no definition of x-subplanner: export them", code=UNUSABLE)

    code = bench.run(Scripted(plan=refuses))
    (bench.root / "README.md").write_text("# Exported\n")

    assert (code, bench.stop) == (2, ["no definition of x-subplanner: export them"])
    assert bench.run(Scripted()) == 0


ALIAS = ("-c", "alias.p=push", "p", "-q", "-f", "origin", "HEAD~1:refs/heads/main")
BY_ADDRESS = ("push", "-q", "../origin.git", "HEAD:refs/heads/another")


@pytest.mark.parametrize("words", [ALIAS, BY_ADDRESS, ("branch", "another"), ("tag", "v1")])
def test_p4_a_run_is_not_stopped_by_the_references_of_other_people(
    bench: Bench, words: tuple[str, ...]
) -> None:
    def pushes(turn: Turn) -> None:
        works(turn)
        bench.git(*words)

    bench.git("init", "--quiet", "--bare", str(bench.root.parent / "origin.git"))
    bench.git("remote", "add", "origin", "../origin.git")
    bench.git("commit", "-q", "--allow-empty", "-m", "chore: more")
    bench.git("push", "-q", "origin", "HEAD:refs/heads/main")
    bench.forge.remote = "origin"

    assert (bench.run(Scripted(implement=pushes)), bench.stop) == (0, [])


def test_what_a_client_did_before_it_died_is_looked_at(bench: Bench) -> None:
    def dies(turn: Turn) -> None:
        works(turn)
        strays(bench, turn)
        raise Fault("the client ended")

    codes = [bench.run(Scripted(implement=dies)), bench.run(Scripted())]

    assert codes == [1, 1]
    assert bench.stop[1] == OUTSIDE


def test_after_a_client_that_died_in_good_order_a_person_may_change_what_they_like(
    bench: Bench,
) -> None:
    def dies(turn: Turn) -> None:
        put(turn, "app/src/health.js", "// half\n")
        raise Fault("the client ended")

    code = bench.run(Scripted(implement=dies))
    stop = bench.stop
    bench.git("remote", "add", "origin", "https://git.example.org/a/b.git")
    (bench.root / "README.md").write_text("# Meanwhile\n")
    bench.git("commit", "-q", "-m", "docs: meanwhile", "README.md")

    assert (code, stop) == (1, ["the client ended"])
    assert bench.run(Scripted()) == 0


def test_work_of_an_ide_that_lacks_its_marker_is_fixed(bench: Bench) -> None:
    for name in FILES:
        (bench.root / "app" / name).parent.mkdir(parents=True, exist_ok=True)
        (bench.root / "app" / name).write_text("// by the IDE\n")
    bench.folder.mkdir(parents=True)
    (bench.folder / "plan.json").write_text(json.dumps(plan()))
    unmarked = {k: v for k, v in result().items() if k != "produced_by"}
    (bench.folder / "worker-result.json").write_text(json.dumps(unmarked))

    code = bench.run(Scripted(implement=lambda turn: write(turn, result())))

    assert (code, bench.stop) == (0, [])


def test_a_planner_that_is_blocked_is_heard_and_not_asked_again(bench: Bench) -> None:
    driver = Scripted(plan=lambda _turn: "blocked\nThe issue contradicts itself: AC1, AC2")

    code = bench.run(driver)

    assert (code, len(driver.turns)) == (1, 1)
    assert bench.stop == [
        "x-subplanner is blocked and left no plan.json",
        "blocked",
        "The issue contradicts itself: AC1, AC2",
        "Remove the obstacle, then run the same command again.",
    ]


def test_a_reviewer_cut_in_the_middle_of_an_edit_is_seen_by_the_next_run(bench: Bench) -> None:
    def dies(turn: Turn) -> str:
        put(turn, "app/src/health.js", "// its own idea\n")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        bench.run(Scripted(review=dies))

    assert bench.run(Scripted()) == 1
    assert bench.stop[:2] == [
        "the following has changed since x-reviewer started; nothing was undone",
        "app/src/health.js: x-reviewer may not change files of the project",
    ]


def test_work_that_is_committed_is_not_done_again_when_its_artifacts_are_gone(bench: Bench) -> None:
    bench.run(Scripted())
    sha = bench.git("rev-parse", "HEAD")
    for path in bench.folder.iterdir():
        path.unlink()
    driver = Scripted()

    code = bench.run(driver)

    assert (code, driver.turns) == (2, [])
    assert bench.stop[0] == (
        f"the commit {sha[:10]} says 'Refs: ISSUE-7', but the issue's artifacts are missing"
    )


@pytest.mark.parametrize("stage", ["implement", "publish"])
def test_a_commit_that_an_agent_has_made_is_not_published(bench: Bench, stage: str) -> None:
    def forges(_: Turn) -> None:
        tree = bench.git("mktree", "--missing")
        sha = bench.git("commit-tree", tree, "-p", "HEAD", "-m", "feat: x", "-m", "Refs: ISSUE-7")
        bench.git("update-ref", f"refs/heads/{BRANCH}", sha)

    codes = bench.run(Scripted(**{stage: after(stage, forges)})), bench.run(Scripted())

    sha = bench.git("rev-parse", BRANCH)
    assert codes == (1, 1)
    assert bench.forge.calls == 0
    assert bench.stop[0] == f"the commit {sha[:10]} says 'Refs: ISSUE-7' but was not made by a run"
    bench.git("branch", "-D", BRANCH)
    assert bench.run(Scripted()) == 0
    assert bench.forge.calls == 1


@pytest.mark.parametrize(("stage", "asked"), [("implement", "x-worker"), ("publish", "x-git")])
def test_a_result_that_an_agent_has_forged_is_not_believed_by_the_next_run(
    bench: Bench, stage: str, asked: str
) -> None:
    forged = {
        "branch": BRANCH,
        "commit_sha": "1" * 40,
        "commit_message": "feat: forged",
        "produced_by": "x-git",
    }

    def forges(turn: Turn) -> None:
        put(turn, f"{FOLDER}/git-result.json", json.dumps(forged))
        (bench.folder / "run.json").unlink()

    codes = bench.run(Scripted(**{stage: after(stage, forges)})), bench.run(Scripted())

    assert codes == (1, 1)
    assert bench.stop[:2] == [
        f"the following has changed since {asked} started; nothing was undone",
        f"{FOLDER}/git-result.json: is not the artifact of {asked}",
    ]
    (bench.folder / "git-result.json").unlink()
    assert bench.run(Scripted()) == 0
    assert read(bench.folder / "git-result.json")["commit_sha"] == bench.git("rev-parse", BRANCH)


@pytest.mark.parametrize("name", ["app/.pipeline", FOLDER])
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


def test_what_a_forge_took_without_an_address_is_done_for_that_forge_and_no_other(
    bench: Bench,
) -> None:
    bench.forge.name, bench.forge.address = "gitea", ""
    bench.run(Scripted())
    again = Scripted()
    bench.events.clear()

    code = bench.run(again)

    assert (code, bench.stop, again.stages, bench.forge.calls) == (0, [], [], 1)
    assert bench.history == [("kept", "publish")]
    assert read(bench.folder / "git-result.json") == {
        "branch": BRANCH,
        "commit_sha": bench.git("rev-parse", BRANCH),
        "commit_message": f"{MESSAGE}\n\nRefs: ISSUE-7",
        "forge": "gitea",
        "produced_by": "x-git",
    }
    bench.forge.name = "gitlab"
    assert bench.run(Scripted()) == 2
    assert bench.stop == [
        f"ISSUE-7 is already published with --forge gitea: {BRANCH}",
        (
            f"To open its pull request on gitlab, move {FOLDER}/git-result.json away "
            "and run the same command again: the commit does not change."
        ),
    ]


def test_a_prompt_is_text_whatever_bytes_the_task_and_the_folder_have(bench: Bench) -> None:
    task = os.fsdecode(b"add a \xff endpoint")
    driver = Scripted()

    code = bench._replace(about=replace(bench.about, task=task)).run(driver)

    assert code == 0
    assert all(turn.prompt.encode() for turn in driver.turns)
    assert "add a \\udcff endpoint" in driver.turns[0].prompt


@pytest.mark.parametrize(
    ("models", "expected"),
    [
        ({"x-worker": "mine"}, [TABLE, Selection(model="mine"), TABLE, Selection()]),
        (
            {"x-worker": "mine", "*": "all"},
            [Selection(model=name) for name in ("all", "mine", "all", "all")],
        ),
    ],
)
def test_a_model_that_a_user_names_is_taken_without_the_tables_effort(
    bench: Bench, models: dict[str, str], expected: list[Selection]
) -> None:
    driver = Scripted()
    driver.client = "codex"
    bench = bench._replace(about=replace(bench.about, tier="complex"))
    bench.run(driver, models=models)

    assert [turn.selection for turn in driver.turns] == expected
