"""A report that is not true is refused on every run, however often the command is given."""

from __future__ import annotations

import json
import os
import re
import shutil
from typing import TYPE_CHECKING

import pytest

from pipeline.bootstrap import ROOT
from pipeline.forges.local import Local
from pipeline.run.status import state_of
from pipeline.terminal.fault import Fault
from tests.stubs.agents import FILES, Scripted, plan, put, read, result, works, write

if TYPE_CHECKING:
    from collections.abc import Callable

    from pipeline.drivers.base import Turn
    from pipeline.forges.base import Change, PullRequest
    from tests.unit.pipeline.run.conftest import Bench

WHERE = "app/.pipeline/ISSUE-7/worker-result.json: $.files_changed"


def lists_what_it_did_not_change(turn: Turn) -> None:
    put(turn, f"app/{FILES[0]}")
    write(turn, result())


def hides_what_it_did(turn: Turn) -> None:
    works(turn)
    put(turn, "app/src/backdoor.js")


def hides_it_in_a_folder_that_hides_itself(turn: Turn) -> None:
    works(turn)
    put(turn, "app/src/deep/.gitignore", "*\n")
    put(turn, "app/src/deep/backdoor.js")


def declares_an_artifact(turn: Turn) -> None:
    works(turn)
    write(turn, result(*FILES, ".pipeline/ISSUE-7/plan.json"))


def changes_a_lock_that_nobody_planned(turn: Turn) -> None:
    works(turn)
    put(turn, "app/package-lock.json", "{}\n")
    write(turn, result(*FILES, "package-lock.json"))


LIES = [
    lists_what_it_did_not_change,
    hides_what_it_did,
    hides_it_in_a_folder_that_hides_itself,
    declares_an_artifact,
    changes_a_lock_that_nobody_planned,
]


@pytest.mark.parametrize("lie", LIES)
def test_p1_a_false_report_is_never_published_though_the_command_is_given_three_times(
    bench: Bench, lie: Callable[[Turn], None]
) -> None:
    codes = [bench.run(Scripted(implement=lie)) for _ in range(3)]
    state = state_of(str(bench.root / "app"), "ISSUE-7")

    assert codes == [1, 1, 1]
    assert bench.stop[0] == "x-worker left no usable worker-result.json in 2 tries"
    assert (bench.forge.calls, bench.git("branch", "--list", "feature/*")) == (0, "")
    assert state.state == "implementing"
    assert state.stopped.startswith(("refused: ", "worker-result.json is not valid"))


def test_p1_the_half_of_the_work_that_a_second_turn_hides_is_found(bench: Bench) -> None:
    def first(turn: Turn) -> None:
        put(turn, "app/src/hidden.js")
        write(turn, result(status="blocked"))

    first_code = bench.run(Scripted(implement=first))
    codes = [bench.run(Scripted(), retry=True), bench.run(Scripted()), bench.run(Scripted())]

    assert (first_code, codes) == (1, [1, 1, 1])
    assert bench.stop[1] == f'{WHERE}: does not list files that changed: "src/hidden.js"'
    assert bench.forge.calls == 0


def test_p1_a_report_that_is_set_right_by_hand_is_accepted(bench: Bench) -> None:
    refused = bench.run(Scripted(implement=hides_what_it_did))
    (bench.root / "app/src/backdoor.js").unlink()
    again = Scripted()

    code = bench.run(again)

    assert (refused, code, [turn.stage for turn in again.turns]) == (1, 0, ["review", "publish"])


def test_what_the_user_changes_between_two_runs_is_not_held_to_be_the_workers(
    bench: Bench,
) -> None:
    bench.run(Scripted(), until="implement")
    (bench.root / "app/notes.txt").write_text("mine\n")
    again = Scripted()

    code = bench.run(again)

    assert (code, [turn.stage for turn in again.turns]) == (0, ["review", "publish"])


def test_p1_a_report_that_somebody_changed_after_the_commit_is_refused(bench: Bench) -> None:
    class Unreachable(Local):
        def open(self, change: Change) -> PullRequest:
            raise Fault(f"no answer for {change.branch}")

    bench.run(Scripted(), forge=Unreachable())
    path = bench.folder / "worker-result.json"
    path.write_text(json.dumps(result(*FILES, "src/main.js")))

    state = state_of(str(bench.root / "app"), "ISSUE-7")

    found = f'{WHERE}: lists files that are not in the plan: "src/main.js"'
    assert state.stopped == f"refused: {found}"


def test_p10_a_lock_file_belongs_to_its_planned_manifest(bench: Bench) -> None:
    files = (*FILES, "package.json")

    def plans_a_package(turn: Turn) -> None:
        made = plan()
        made["affected_files"] = list(files)
        step = {"order": 3, "file": "package.json", "description": "Add the package"}
        made["steps"] = [*made["steps"], step]
        write(turn, made)

    def locks(turn: Turn) -> None:
        works(turn)
        put(turn, "app/package.json", "{}\n")
        put(turn, "app/package-lock.json", "{}\n")
        write(turn, result(*files, "package-lock.json"))

    code = bench.run(Scripted(plan=plans_a_package, implement=locks))

    assert code == 0
    assert "app/package-lock.json" in bench.git("show", "--name-only", "--format=", "HEAD")


def test_p10_a_file_of_a_submodule_is_refused_before_the_worker_is_paid(bench: Bench) -> None:
    sha = bench.git("rev-parse", "HEAD")
    bench.git("update-index", "--add", "--cacheinfo", f"160000,{sha},app/lib")
    bench.git("commit", "--quiet", "-m", "chore: a submodule")
    (bench.root / "app/lib").mkdir()

    def plans_there(turn: Turn) -> None:
        text = json.dumps(plan()).replace("src/health.js", "lib/health.js")
        write(turn, json.loads(text))

    driver = Scripted(plan=plans_there)

    code = bench.run(driver)

    assert (code, [turn.stage for turn in driver.turns]) == (1, ["plan", "plan"])
    assert bench.stop[1] == (
        "app/.pipeline/ISSUE-7/plan.json: $.affected_files: lists files of a submodule, which is "
        'a repository of its own: "lib/health.js"'
    )


def test_p10_retry_of_a_published_issue_says_that_it_changes_nothing(bench: Bench) -> None:
    bench.run(Scripted())
    again = Scripted()

    code = bench.run(again, retry=True)

    assert (code, again.turns) == (0, [])
    assert [event.text for event in bench.events if event.what == "notice"] == [
        (
            "--retry changes nothing: the issue is published; to work on it again, move "
            "app/.pipeline/ISSUE-7 away and use another --branch"
        )
    ]


@pytest.mark.parametrize(
    "words", [("merge", "--quiet", "--no-ff"), ("merge", "--quiet", "--squash")]
)
def test_p10_status_sees_a_merge(bench: Bench, words: tuple[str, ...]) -> None:
    bench.run(Scripted())
    branch = bench.git("branch", "--show-current")
    before = state_of(str(bench.root / "app"), "ISSUE-7").next_step
    bench.git("switch", "--quiet", "main")
    bench.git(*words, branch)
    if "--squash" in words:
        bench.git("commit", "--quiet", "-m", "feat: squashed")
        bench.git("branch", "--quiet", "-D", branch)

    state = state_of(str(bench.root / "app"), "ISSUE-7")

    assert before.startswith("review and merge ")
    assert (state.state, state.next_step) == (
        "pull request ready for review",
        "none: it is merged into main",
    )


GONE = (
    'the branch "{0}" with the commit {1} is gone: if its work is merged, nothing is left to do; '
    "else make the branch again (git branch {0} {1}), or move app/.pipeline/ISSUE-7 away to work "
    "on the issue again"
)


def test_a_published_branch_that_is_gone_is_not_ready_for_review(bench: Bench) -> None:
    bench.run(Scripted(), forge=Local())
    branch, sha = bench.git("branch", "--show-current"), bench.git("rev-parse", "HEAD")[:12]
    bench.git("switch", "--quiet", "main")
    bench.git("branch", "--quiet", "-D", branch)
    again = Scripted()

    code = bench.run(again, forge=Local())
    step = state_of(str(bench.root / "app"), "ISSUE-7").next_step
    bench.git("branch", branch, sha)

    assert (code, bench.stop, again.turns) == (2, [GONE.format(branch, sha)], [])
    assert step == (
        f"no branch has the commit {sha}: none if its work is merged, else run the issue again"
    )
    assert (bench.run(again, forge=Local()), again.turns) == (0, [])


def test_a_page_that_is_gone_is_written_again_without_a_turn(bench: Bench) -> None:
    bench.run(Scripted(), forge=Local())
    (page,) = (bench.root / ".pipeline/forge/pulls").iterdir()
    text = page.read_text("utf-8")
    page.unlink()
    again = Scripted()

    assert (bench.run(again, forge=Local()), again.turns) == (0, [])
    assert page.read_text("utf-8") == text


def test_a_published_commit_that_was_reworded_is_published_anew(bench: Bench) -> None:
    bench.run(Scripted(), forge=Local())
    bench.git("commit", "--quiet", "--amend", "-m", "fix: answer\n\nRefs: ISSUE-7")
    shutil.rmtree(bench.root / ".pipeline/forge")
    again = Scripted()

    assert (bench.run(again, forge=Local()), again.turns) == (0, [])
    assert read(bench.folder / "git-result.json")["commit_sha"] == bench.git("rev-parse", "HEAD")


@pytest.mark.parametrize("way", ["--no-ff", "--squash"])
def test_merged_work_needs_neither_its_branch_nor_its_page(bench: Bench, way: str) -> None:
    bench.run(Scripted(), forge=Local())
    branch = bench.git("branch", "--show-current")
    bench.git("switch", "--quiet", "main")
    bench.git("merge", "--quiet", way, branch)
    bench.git("commit", "--quiet", "--allow-empty", "-m", "feat: merged")
    bench.git("branch", "--quiet", "-D", branch)
    shutil.rmtree(bench.root / ".pipeline/forge")
    again = Scripted()

    assert (bench.run(again, forge=Local()), again.turns) == (0, [])
    assert not (bench.root / ".pipeline/forge").exists()


def test_p10_a_prompt_names_one_validator_which_exists(bench: Bench) -> None:
    driver = Scripted()
    bench.run(driver)

    found = {
        path
        for turn in driver.turns
        for path in re.findall(r"python3 (\S*schema\.py)", turn.prompt)
    }
    assert found == {os.path.join(ROOT, "pipeline", "schema.py")}
