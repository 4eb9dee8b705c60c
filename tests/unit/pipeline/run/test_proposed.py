"""An issue without criteria: the plan proposes them, the run shows them before it goes on."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pipeline.run.assignment import Prompt, labels_of
from pipeline.run.received import received
from pipeline.run.stages.plan import PROPOSED
from pipeline.run.status import state_of
from pipeline.terminal.fault import Fault
from tests.stubs.agents import Scripted, plan, plans, write
from tests.stubs.github import GitHubStub
from tests.stubs.repositories import user_repository

if TYPE_CHECKING:
    from pathlib import Path

    from pipeline.drivers.base import Turn
    from tests.unit.pipeline.run.conftest import Bench

CRITERIA = {"AC1_status": "GET /health answers 200", "AC2_shape": "the body is JSON"}


def proposes(turn: Turn) -> None:
    write(turn, plan() | {PROPOSED: CRITERIA})


def without_criteria(bench: Bench) -> Bench:
    return bench._replace(about=replace(bench.about, criteria=(), text="Add a health endpoint"))


def test_proposed_criteria_are_shown_before_the_worker_starts_and_reach_it_and_the_request(
    bench: Bench,
) -> None:
    bench, driver = without_criteria(bench), Scripted(plan=[plans, proposes])

    assert bench.run(driver) == 0
    heading, *notices = [(e.what, e.text) for e in bench.events if e.what == "notice"]
    assert heading == ("notice", "the issue lists no acceptance criteria; the plan proposes:")
    assert notices == [
        ("notice", "AC1_status: GET /health answers 200"),
        ("notice", "AC2_shape: the body is JSON"),
        ("notice", "the work is compared with these criteria (2)"),
    ]
    whats = [(e.what, e.stage) for e in bench.events]
    assert whats.index(("notice", "")) < whats.index(("dispatched", "implement"))
    assert 'its field "acceptance_criteria"' in driver.turns[0].prompt
    assert "expected the criteria that you propose" in driver.turns[1].prompt
    assert "- AC2_shape: the body is JSON" in driver.turns[2].prompt
    (change,) = bench.forge.opened.values()
    assert change.criteria == tuple(CRITERIA.items())


def test_who_does_not_want_the_proposed_criteria_stops_the_run(bench: Bench) -> None:
    bench, driver = without_criteria(bench), Scripted(plan=proposes)

    assert bench.run(driver, ask=lambda _: False) == 2
    assert bench.stop == [
        "stopped as you asked",
        (
            "Add criteria to the issue, delete app/.pipeline/ISSUE-7/plan.json, then run the same "
            "command again."
        ),
    ]
    assert [turn.stage for turn in driver.turns] == ["plan"]


@pytest.mark.parametrize(
    "wrong",
    [None, [], {}, {"AC1_status": 1}, {"AC1_status": " "}, {**CRITERIA, "AC3_more": "unmapped"}],
)
def test_a_plan_that_proposes_nothing_usable_is_asked_for_again(
    bench: Bench, wrong: object
) -> None:
    bench = without_criteria(bench)
    driver = Scripted(plan=lambda turn: write(turn, plan() | {PROPOSED: wrong}))

    assert bench.run(driver) == 1
    assert len(driver.turns) == 2
    assert "x-subplanner left no usable plan.json in 2 tries" in bench.stop[0]


def test_the_text_of_a_forge_is_kept_and_fetched_again_until_there_is_a_plan(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    user = user_repository(tmp_path / "work")
    user.git("remote", "add", "origin", "git@github.com:octo/hello.git")
    root, folder = str(user.folder), user.folder / ".pipeline" / "GH-12"

    def receive() -> Prompt:
        options = {"remote": "origin", "forge": "local"}
        return received(Prompt("", "", "#12"), root, "", **options, fetch=True)

    with GitHubStub() as stub:
        for name, text in stub.variables.items():
            monkeypatch.setenv(name, text)
        stub.issues["12"] = {"title": "One", "body": "- [ ] a <!-- hidden -->"}
        prompt = receive()
        first = (folder / "issue.md").read_text()
        stub.issues["12"] = {"title": "\x1b# Two", "body": None}
        receive()
        second = (folder / "issue.md").read_text()
        (folder / "plan.json").write_text("{}")
        stub.issues.clear()
        receive()
        monkeypatch.setenv("GH_REPO", "octo/other")
        with pytest.raises(Fault, match="GH-12: is of an issue GH-12 at another address") as other:
            receive()

    assert other.value.code == 2
    assert prompt == Prompt("GH-12", "", "#12")
    source = "Source: https://github.com/octo/hello/issues/12\n"
    assert first == f"# GH-12: One\n\n- [ ] a\n\n{source}"
    assert second == f"# GH-12: \\u{{1b}}# Two\n\n\n\n{source}"
    assert (folder / "issue.md").read_text() == second
    assert labels_of(root, ".", "GH-12") == []
    assert labels_of(root, ".", "GH-13") is None
    assert state_of(root, "GH-12").stopped == "plan.json is not valid"
