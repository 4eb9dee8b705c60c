"""A run takes its stages in order, stops where it must, and goes on where it was."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pipeline.drivers import processes
from pipeline.forges.local import Local
from pipeline.protocol.layout import ARTIFACTS
from tests.stubs.agents import (
    FILES,
    MESSAGE,
    Scripted,
    approves,
    plan,
    plans,
    put,
    read,
    result,
    works,
    write,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pipeline.drivers.base import Turn
    from tests.unit.pipeline.run.conftest import Bench

BRANCH = "feature/issue-7-add-a-health-endpoint"


@pytest.mark.spec("1.5", "1.6", "1.7", "1.8", "1.9", "3.1", "4.4")
def test_an_issue_goes_through_its_stages_to_a_pull_request(bench: Bench) -> None:
    driver = Scripted()
    bench.folder.mkdir(parents=True)
    (bench.folder / ".write-abc.part").write_text("{")  # what a killed write has left

    code = bench.run(driver)

    sha = bench.git("rev-parse", "HEAD")
    assert (code, bench.stop) == (0, [])
    assert driver.stages == [
        ("plan", "x-subplanner"),
        ("implement", "x-worker"),
        ("review", "x-reviewer"),
        ("publish", "x-git"),
    ]
    assert read(bench.folder / "git-result.json") == {
        "branch": "feature/issue-7-add-a-health-endpoint",
        "commit_sha": sha,
        "commit_message": f"{MESSAGE}\n\nRefs: ISSUE-7",
        "pr_url": "https://git.example.org/pull/1",
        "produced_by": "x-git",
    }
    assert bench.git("show", "--format=", "--name-only", "HEAD").split() == [
        f"app/{file}" for file in FILES
    ]
    assert sorted(path.name for path in bench.folder.iterdir()) == [
        *(
            "git-result.json",
            "plan.json",
            "review-result.json",
            "test-result.json",
            "turns.jsonl",
            "worker-result.json",
        )
    ]
    prompt = driver.turns[1].prompt
    assert "The plan: `app/.pipeline/ISSUE-7/plan.json`." in prompt
    assert "- AC2_shape: the body is" in prompt
    assert '"produced_by": "x-worker"' in prompt


@pytest.mark.parametrize("delegate", [False, True])
def test_p8_a_trivial_task_leaves_a_plan_too_which_the_planner_writes_itself(
    bench: Bench, *, delegate: bool
) -> None:
    bench = bench._replace(about=replace(bench.about, tier="trivial"))

    def works_fast(turn: Turn) -> None:
        works(turn)
        write(turn, result(role="x-worker-fast"))

    driver = Scripted(plan=lambda turn: write(turn, plan("x-planner")), implement=works_fast)

    code = bench.run(driver, delegate=delegate)

    assert (code, bench.stop) == (0, [])
    assert [(turn.stage, turn.delegate or turn.role) for turn in driver.turns] == [
        ("plan", "x-planner"),
        ("implement", "x-worker-fast"),
        ("review", "x-reviewer-fast"),
        ("publish", "x-git"),
    ]
    assert driver.turns[0].delegate == ""  # the planner dispatches nobody for it
    assert sorted(path.name for path in bench.folder.glob("*.json")) == sorted(
        [*ARTIFACTS, "review-result.json", "test-result.json"]
    )


def test_a_run_can_end_after_a_stage_and_continue_later(bench: Bench) -> None:
    first, second = Scripted(), Scripted()

    codes = [bench.run(first, until="implement"), bench.run(second)]

    assert codes == [0, 0]
    assert [stage for stage, _ in first.stages] == ["plan", "implement"]
    assert [stage for stage, _ in second.stages] == ["review", "publish"]
    assert bench.forge.calls == 1


def test_a_cut_run_continues_although_its_worker_staged_the_files(bench: Bench) -> None:
    def stages(turn: Turn) -> None:
        works(turn)
        bench.git("add", "app/src", "app/test")

    def dies(_turn: Turn) -> str:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        bench.run(Scripted(implement=stages, review=dies))

    assert bench.run(Scripted()) == 0


def test_an_invalid_plan_is_asked_for_once_more_with_its_problems(bench: Bench) -> None:
    def invalid(turn: Turn) -> None:
        write(turn, {**plan(), "steps": []})

    driver = Scripted(plan=[invalid, plans])

    code = bench.run(driver)

    assert code == 0
    assert driver.stages[:2] == [("plan", "x-subplanner")] * 2
    assert "$.steps" in driver.turns[1].prompt
    assert "- AC1_status: " in driver.turns[1].prompt  # an agent may have forgotten the first
    assert ("again", "plan") in bench.history


def test_two_invalid_plans_stop_the_run_and_are_kept(bench: Bench) -> None:
    def invalid(turn: Turn) -> None:
        write(turn, {**plan(), "produced_by": "x-worker"})

    driver = Scripted(plan=invalid)

    code = bench.run(driver)

    assert code == 1
    assert bench.stop == [
        "x-subplanner left no usable plan.json in 2 tries",
        (
            "app/.pipeline/ISSUE-7/plan.json: $.produced_by: expected x-subplanner or x-planner, "
            'found "x-worker"'
        ),
        "Fix the file or delete it, then run the same command again.",
    ]
    assert read(bench.folder / "plan.json")["produced_by"] == "x-worker"


@pytest.mark.spec("3.5")
def test_a_worker_that_is_blocked_stops_the_run_and_is_asked_again_only_on_request(
    bench: Bench,
) -> None:
    blocked = Scripted(implement=lambda turn: write(turn, result("src/x.js", status="blocked")))
    still, retried = Scripted(), Scripted()

    codes = [bench.run(blocked), bench.run(still)]

    assert codes == [1, 1]
    assert bench.stop == [
        "x-worker did not complete the work: app/.pipeline/ISSUE-7/worker-result.json",
        'the worker\'s status is "blocked"',
        '"the database is down"',
        "Resolve the blockers, then run the same command with --retry.",
    ]
    assert (blocked.stages[-1], still.stages) == (("implement", "x-worker"), [])
    assert read(bench.folder / "worker-result.json")["status"] == "blocked"
    assert bench.run(retried, retry=True) == 0
    assert retried.stages[0] == ("implement", "x-worker")
    assert "the database is down" in retried.turns[0].prompt


def test_t10_a_worker_that_calls_its_work_done_is_asked_once_more_and_told_the_word(
    bench: Bench,
) -> None:
    def calls_it_done(turn: Turn) -> None:
        works(turn)
        write(turn, {**result(status="done"), "blockers": []})

    codes = [bench.run(Scripted(implement=calls_it_done))]
    stop = bench.stop
    driver = Scripted(implement=[calls_it_done, works])
    codes.append(bench.run(driver))

    assert codes == [1, 0]
    assert stop == [
        "x-worker left no usable worker-result.json in 2 tries",
        (
            'app/.pipeline/ISSUE-7/worker-result.json: $.status: expected "completed" if the work '
            'is done, or blockers that say what stops it, found "done" and no blockers'
        ),
        "Fix the file or delete it, then run the same command again.",
    ]
    assert driver.stages[:2] == [("implement", "x-worker")] * 2
    assert '$.status: expected "completed"' in driver.turns[0].prompt


def test_t10_a_name_in_another_form_of_unicode_is_published_as_it_is_on_disk(bench: Bench) -> None:
    composed, on_disk = "src/caf\u00e9.js", "src/cafe\u0301.js"
    planned = {
        "affected_files": [composed],
        "steps": [{"order": 1, "file": composed, "description": "Answer GET /health with 200"}],
        "acceptance_mapping": {"AC1_status": composed, "AC2_shape": composed},
        "produced_by": "x-subplanner",
    }

    def works_in_another_form(turn: Turn) -> None:
        put(turn, f"app/{on_disk}")
        write(turn, result(composed))

    driver = Scripted(plan=lambda turn: write(turn, planned), implement=works_in_another_form)

    assert (bench.run(driver), bench.stop) == (0, [])
    names = bench.git("-c", "core.quotePath=off", "show", "--name-only", "--format=", "HEAD")
    assert names == f"app/{on_disk}"


def test_a_result_that_disagrees_with_the_tree_is_asked_for_again(bench: Bench) -> None:
    def claims(turn: Turn) -> None:
        put(turn, "app/src/health.js")
        put(turn, "app/src/other.js")
        write(turn, result())

    driver = Scripted(implement=claims)

    code = bench.run(driver)

    where = "app/.pipeline/ISSUE-7/worker-result.json: $.files_changed"
    assert code == 1
    assert bench.stop == [
        "x-worker left no usable worker-result.json in 2 tries",
        f'{where}: lists files that have not changed, or that git ignores: "test/health.test.js"',
        f'{where}: does not list files that changed: "src/other.js"',
        "Fix the file or delete it, then run the same command again.",
    ]
    assert "src/other.js" in driver.turns[-1].prompt


def test_a_review_that_asks_for_changes_sends_the_worker_back_once(bench: Bench) -> None:
    def improves(turn: Turn) -> None:
        put(turn, "app/src/health.js", "// better health\n")
        write(turn, result())

    driver = Scripted(
        implement=[works, improves],
        review=[lambda _turn: "changes needed\nsrc/health.js:1: no body", approves],
    )

    code = bench.run(driver)

    assert code == 0
    assert [stage for stage, _ in driver.stages] == [
        *("plan", "implement", "review", "implement", "review", "publish")
    ]
    assert "src/health.js:1: no body" in driver.turns[3].prompt
    assert bench.git("show", "HEAD:app/src/health.js") == "// better health"


NO_VERDICT = "x-reviewer was asked twice, but the answer has no verdict"
NO_ANSWER = "x-reviewer was asked twice, but the answer is empty"


@pytest.mark.parametrize(
    ("answer", "stop"),
    [
        ("changes needed", ["x-reviewer does not approve the work", "changes needed"]),
        ("It looks fine to me.", [NO_VERDICT, "It looks fine to me."]),
        (" \n", [NO_ANSWER]),
    ],
)
def test_p12_work_that_no_reviewer_approves_of_is_not_published_and_an_empty_review_is_called_that(
    bench: Bench, answer: str, stop: list[str]
) -> None:
    code = bench.run(Scripted(review=lambda _turn: answer))

    assert code == 1
    assert bench.stop[:-1] == stop
    assert not (bench.folder / "git-result.json").exists()
    assert bench.git("branch", "--list", "feature/*") == ""


def test_a_worker_does_not_get_files_that_hold_changes_of_the_users(bench: Bench) -> None:
    (bench.root / "app" / "src" / "health.js").write_text("// my own\n")
    driver = Scripted()

    code = bench.run(driver)

    assert code == 2
    assert bench.stop == [
        'the worker would change files that you have changed: "app/src/health.js"',
        "Commit or stash them (git stash push -u -- FILE …), then run the same command again.",
    ]
    assert driver.stages == [("plan", "x-subplanner")]
    assert (bench.root / "app" / "src" / "health.js").read_text() == "// my own\n"


def test_what_is_dirty_elsewhere_is_neither_committed_nor_in_the_way(bench: Bench) -> None:
    (bench.root / "README.md").write_text("# Half a thought\n")
    (bench.root / "app" / "scratch.txt").write_text("mine\n")

    code = bench.run(Scripted())

    assert code == 0
    assert bench.git("status", "--porcelain", "--", "README.md", "app/scratch.txt") == (
        "M README.md\n?? app/scratch.txt"
    )


def test_with_delegation_one_planner_is_prompted_to_dispatch_each_role(bench: Bench) -> None:
    driver = Scripted()

    code = bench.run(driver, delegate=True)

    assert code == 0
    assert [(turn.session, turn.role, turn.delegate) for turn in driver.turns] == [
        ("x-planner", "x-planner", role)
        for role in ("x-subplanner", "x-worker", "x-reviewer", "x-git")
    ]
    for words in (
        "set `subagent_type` or `agent_type` to `x-worker`",
        "`run_in_background: false`, if the tool has that parameter",
        "`mode: sync`, if `sync` is one of the tool's modes",
    ):
        assert words in driver.turns[1].prompt


MOST_PROCESSES = 50  # of git, from a new issue to its pull request (there were 116)


def test_p14_a_run_starts_few_git_processes(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls, real = tmp_path / "calls", shutil.which("git")
    wrapper = tmp_path / "bin" / "git"
    wrapper.parent.mkdir()
    wrapper.write_text(f'#!/bin/sh\necho "$@" >> {calls}\nexec {real} "$@"\n')
    wrapper.chmod(0o755)
    monkeypatch.setenv("PATH", f"{wrapper.parent}:{os.environ['PATH']}")

    code = bench.run(Scripted(), forge=Local())

    assert code == 0
    assert len(calls.read_text().splitlines()) <= MOST_PROCESSES


def test_p7_the_text_of_a_pull_request_names_nothing_that_is_not_in_its_commit(
    bench: Bench,
) -> None:
    bench.run(Scripted())

    (change,) = bench.forge.opened.values()
    assert change.body.splitlines() == [
        "The worker's summary: `Adds the health endpoint, with its tests`",
        "",
        f"Issue ISSUE-7, `Add a health endpoint`. Tier standard: {bench.about.reason}",
        "",
        "Where each criterion is met:",
        "",
        "- `AC1_status`, `` `GET /health` answers 200. ``: `test/health.test.js`",
        '- `AC2_shape`, ``the body is `{"status": "ok"}`.``: `test/health.test.js`',
        "",
        "The tests were not run: nothing of the project runs in a recorded run.",
    ]


def unreachable(bench: Bench) -> str:
    bench.git("remote", "add", "origin", str(bench.root.parent / "nowhere.git"))
    return '"origin" cannot be reached: '


def with_origin(bench: Bench, branch: str, commit: str) -> str:
    """Give the repository a remote with a commit on a branch; return the commit."""
    bare = str(bench.root.parent / "origin.git")
    bench.git("init", "--quiet", "--bare", bare)
    bench.git("remote", "add", "origin", bare)
    bench.git("push", "--quiet", "origin", f"{commit}:refs/heads/{branch}")
    return commit


def theirs(bench: Bench) -> str:
    return bench.git("commit-tree", "-m", "feat: theirs", "HEAD^{tree}")


def has_another_branch(bench: Bench) -> str:
    other = with_origin(bench, BRANCH, theirs(bench))
    return (
        f'origin already has the branch "{BRANCH}", with commits that you do not have '
        f"({other[:10]}): "
    )


def has_diverged(bench: Bench) -> str:
    with_origin(bench, "main", theirs(bench))
    return '"main" and origin/main have diverged: bring them together first'


def without_identity(bench: Bench) -> str:
    bench.git("config", "--unset", "user.email")
    bench.git("config", "user.useConfigOnly", "true")
    return "git does not know who you are: set your name"


def of_somebody_else(bench: Bench) -> str:
    other = bench.git("commit-tree", "-m", "feat: mine", "-p", "HEAD", "HEAD^{tree}")
    bench.git("branch", BRANCH, other)
    return f"the branch \"{BRANCH}\" has commits, but none says 'Refs: ISSUE-7'"


@pytest.mark.parametrize(
    "spoil", [unreachable, has_another_branch, has_diverged, without_identity, of_somebody_else]
)
def test_p10_what_would_stop_the_pull_request_is_one_line_before_any_agent_works(
    bench: Bench, spoil: Callable[[Bench], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    for name in ("GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL", "EMAIL"):
        monkeypatch.delenv(name, raising=False)
    bench.forge.remote = "" if spoil in (without_identity, of_somebody_else) else "origin"
    line, driver = spoil(bench), Scripted()

    code = bench.run(driver)

    assert (code, driver.turns, len(bench.stop)) == (2, [], 1)
    assert bench.stop[0].startswith(line)


def test_a_remote_that_is_ahead_or_behind_is_no_stop(bench: Bench) -> None:
    with_origin(bench, "main", "HEAD")
    bench.forge.remote = "origin"
    bench.git("commit", "--quiet", "--allow-empty", "-m", "chore: ahead")
    ahead = bench.run(Scripted(), until="plan")
    bench.git("push", "--quiet", "origin", "main")
    bench.git("reset", "--quiet", "--hard", "HEAD~1")

    assert (ahead, bench.run(Scripted())) == (0, 0)


def links_outside(bench: Bench) -> str:
    (bench.root / "app/src/health.js").symlink_to("/etc/hostname")
    return (
        '"app/src/health.js" is a link that points outside the repository (/etc/hostname): '
        "it is not "
    )


def is_huge(bench: Bench) -> str:
    with (bench.root / "app/src/health.js").open("wb") as file:
        file.truncate((10 << 20) + 1)
    return '"app/src/health.js" is larger than 10 MiB: it is not published; '


@pytest.mark.parametrize("spoil", [links_outside, is_huge])
def test_p11_a_link_to_outside_and_a_huge_file_are_not_published(
    bench: Bench, spoil: Callable[[Bench], str]
) -> None:
    lines: list[str] = []

    def works_badly(turn: Turn) -> None:
        works(turn)
        (bench.root / "app/src/health.js").unlink()
        lines.append(spoil(bench))

    driver = Scripted(implement=works_badly)

    code = bench.run(driver)

    assert (code, len(bench.stop)) == (1, 1)
    assert bench.stop[0].startswith(lines[0])
    assert [stage for stage, _ in driver.stages] == ["plan", "implement"]
    assert bench.git("rev-list", "--count", "--all") == "1"


def test_p4_what_an_earlier_run_left_running_is_ended_before_any_agent_works(bench: Bench) -> None:
    mark = processes.mark(str(bench.root), "ISSUE-7")
    words = [sys.executable, "-c", "import time; time.sleep(60)"]
    left = subprocess.Popen(words, env={**os.environ, **mark})
    bench.run(Scripted(), until="plan")

    assert left.wait(10) == -9
    assert [event.what for event in bench.events][:2] == ["begun", "leftover"]
