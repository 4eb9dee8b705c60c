"""A turn changes what its role may change and nothing else; what is the user's stays so."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from pipeline.drivers.base import DriverFault
from tests.stubs.agents import FILES, Scripted, approves, plan, put, read, result, works, write

if TYPE_CHECKING:
    from pipeline.drivers.base import Turn
    from tests.unit.pipeline.running.conftest import Bench


def test_a_worker_that_writes_outside_the_target_stops_the_run_and_loses_nothing(
    bench: Bench,
) -> None:
    def strays(turn: Turn) -> None:
        works(turn)
        put(turn, "README.md", "# Mine now\n")

    driver = Scripted(implement=strays)

    codes = [bench.run(driver)]
    first = bench.stop[:2]
    codes.append(bench.run(driver))

    where = "README.md: is outside the target project app"
    assert codes == [1, 1]
    assert first == ["x-worker changed what it may not change; nothing was undone", where]
    assert bench.stop[:2] == [
        "this has changed since x-worker was asked; nothing was undone",
        where,
    ]
    assert driver.stages == [("plan", "x-subplanner"), ("implement", "x-worker")]
    assert (bench.root / "README.md").read_text() == "# Mine now\n"

    bench.git("checkout", "--", "README.md")
    assert bench.run(Scripted()) == 0


def test_a_worker_that_writes_another_stages_artifact_stops_the_run(bench: Bench) -> None:
    def forges(turn: Turn) -> None:
        works(turn)
        put(turn, "app/.pipeline/ISSUE-7/git-result.json", "{}")

    code = bench.run(Scripted(implement=forges))

    assert code == 1
    assert bench.stop[1] == (
        "app/.pipeline/ISSUE-7/git-result.json: is not the artifact of x-worker"
    )


def test_a_worker_that_commits_stops_the_run(bench: Bench) -> None:
    def commits(turn: Turn) -> None:
        works(turn)
        bench.git("add", "app/src")
        bench.git("commit", "-q", "-m", "feat: mine")

    code = bench.run(Scripted(implement=commits))

    assert code == 1
    assert bench.stop[1].startswith("HEAD is now ")


def test_a_worker_that_plants_a_hook_stops_the_run_before_git_runs_it(bench: Bench) -> None:
    def plants(turn: Turn) -> None:
        works(turn)
        put(turn, ".git/hooks/pre-commit", "#!/bin/sh\ntouch hooked\n")
        (bench.root / ".git/hooks/pre-commit").chmod(0o755)

    code = bench.run(Scripted(implement=plants))

    assert code == 1
    assert bench.stop[1] == ".git/hooks/pre-commit: git's own settings are nobody's to change"
    assert not (bench.root / "hooked").exists()


def test_a_worker_that_mends_what_it_is_compared_with_stops_the_run(bench: Bench) -> None:
    def covers_up(turn: Turn) -> None:
        works(turn)
        put(turn, "app/.pipeline/ISSUE-7/run.json", "{}")

    code = bench.run(Scripted(implement=covers_up))

    assert code == 1
    assert bench.stop == ["x-worker changed app/.pipeline/ISSUE-7/run.json, which is nobody's"]
    assert read(bench.folder / "run.json")["stage"] == "implement"


def test_a_planner_or_reviewer_that_edits_code_stops_the_run(bench: Bench) -> None:
    def meddles(turn: Turn) -> str:
        put(turn, "app/src/main.js", "// better\n")
        return "approved"

    code = bench.run(Scripted(review=meddles))

    assert code == 1
    assert bench.stop[1] == "app/src/main.js: x-reviewer changes no file of the project"


def test_a_trivial_worker_does_not_mix_its_work_with_files_of_the_users(bench: Bench) -> None:
    bench = bench._replace(about=replace(bench.about, tier="trivial"))
    (bench.root / "app" / "notes.md").write_text("mine\n")

    def appends(turn: Turn) -> None:
        put(turn, "app/notes.md", "mine\nand its\n")
        write(turn, result("notes.md", role="x-worker-fast"))

    code = bench.run(Scripted(implement=appends))

    assert code == 1
    assert bench.stop[1] == "app/notes.md: had changes of yours before"
    assert bench.git("branch", "--list", "feature/*") == ""


def test_a_call_that_could_not_be_made_leaves_nothing_to_be_compared(bench: Bench) -> None:
    def refuses(_turn: Turn) -> None:
        raise DriverFault("no definition of x-subplanner: export them", usage=True)

    code = bench.run(Scripted(plan=refuses))
    (bench.root / "README.md").write_text("# Exported\n")

    assert (code, bench.stop) == (2, ["no definition of x-subplanner: export them"])
    assert bench.run(Scripted()) == 0


def test_what_a_client_did_before_it_died_is_looked_at(bench: Bench) -> None:
    def dies(turn: Turn) -> None:
        works(turn)
        put(turn, "README.md", "# Mine now\n")
        raise DriverFault("the client ended")

    codes = [bench.run(Scripted(implement=dies)), bench.run(Scripted())]

    assert codes == [1, 1]
    assert bench.stop[1] == "README.md: is outside the target project app"


def test_after_a_client_that_died_in_good_order_a_person_may_change_what_they_like(
    bench: Bench,
) -> None:
    def dies(turn: Turn) -> None:
        put(turn, "app/src/health.js", "// half\n")
        raise DriverFault("the client ended")

    code = bench.run(Scripted(implement=dies))
    stop = bench.stop
    (bench.root / "README.md").write_text("# Meanwhile\n")
    bench.git("commit", "-q", "-m", "docs: meanwhile", "README.md")

    assert (code, stop) == (1, ["the client ended"])
    assert bench.run(Scripted()) == 0


def test_what_a_person_does_between_two_runs_is_no_agents_doing(bench: Bench) -> None:
    bench.run(Scripted(), until="implement")
    bench.git("remote", "add", "origin", "https://git.example.org/a/b.git")
    (bench.root / "README.md").write_text("# Meanwhile\n")
    bench.git("commit", "-q", "-m", "docs: meanwhile", "README.md")

    assert (bench.run(Scripted()), bench.stop) == (0, [])


def test_work_of_an_ide_that_lacks_its_marker_is_mended(bench: Bench) -> None:
    def marks(turn: Turn) -> None:
        write(turn, result())

    for name in FILES:
        (bench.root / "app" / name).parent.mkdir(parents=True, exist_ok=True)
        (bench.root / "app" / name).write_text("// by the IDE\n")
    bench.folder.mkdir(parents=True)
    (bench.folder / "plan.json").write_text(json.dumps(plan()))
    unmarked = {k: v for k, v in result().items() if k != "produced_by"}
    (bench.folder / "worker-result.json").write_text(json.dumps(unmarked))

    assert (bench.run(Scripted(implement=marks)), bench.stop) == (0, [])


def test_work_of_an_ide_that_a_reviewer_sends_back_is_mended(bench: Bench) -> None:
    def improves(turn: Turn) -> None:
        put(turn, "app/src/health.js", "// better health\n")
        write(turn, result())

    bench.run(Scripted(), until="implement")
    (bench.folder / "run.json").unlink()
    driver = Scripted(
        implement=improves, review=[lambda _turn: "changes needed\nno body", approves]
    )

    assert (bench.run(driver), bench.stop) == (0, [])


def test_a_planner_that_is_blocked_is_heard_and_not_asked_again(bench: Bench) -> None:
    driver = Scripted(plan=lambda _turn: "blocked\nThe issue contradicts itself: AC1, AC2")

    code = bench.run(driver)

    assert (code, len(driver.turns)) == (1, 1)
    assert bench.stop == [
        "x-subplanner is blocked and left no plan.json",
        "blocked",
        "The issue contradicts itself: AC1, AC2",
        "Clear what is in the way, then run the same command again.",
    ]


def test_a_reviewer_cut_in_the_middle_of_an_edit_is_seen_by_the_next_run(bench: Bench) -> None:
    def dies(turn: Turn) -> str:
        put(turn, "app/src/health.js", "// its own idea\n")
        raise KeyboardInterrupt

    try:
        bench.run(Scripted(review=dies))
    except KeyboardInterrupt:
        code = bench.run(Scripted())

    assert code == 1
    assert bench.stop[:2] == [
        "this has changed since x-reviewer was asked; nothing was undone",
        "app/src/health.js: x-reviewer changes no file of the project",
    ]


def test_work_that_is_committed_is_not_done_again_when_its_artifacts_are_gone(bench: Bench) -> None:
    bench.run(Scripted())
    sha = bench.git("rev-parse", "HEAD")
    for path in bench.folder.iterdir():
        path.unlink()
    driver = Scripted()

    code = bench.run(driver)

    assert (code, driver.turns) == (2, [])
    assert (
        bench.stop[0] == f"the commit {sha[:10]} says 'Refs: ISSUE-7', and its artifacts are gone"
    )


def test_what_was_published_without_an_address_is_not_taken_for_another_forges(
    bench: Bench,
) -> None:
    bench.run(Scripted())
    value = read(bench.folder / "git-result.json")
    del value["pr_url"]
    (bench.folder / "git-result.json").write_text(json.dumps(value))

    code = bench.run(Scripted())

    assert code == 2
    assert bench.stop[0] == (
        "ISSUE-7 is published already, without a web address: feature/issue-7-add-a-health-endpoint"
    )
