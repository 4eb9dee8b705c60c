"""Agents of the next tier take over where those of one cannot go on; at the last tier it ends."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from pipeline.run import history
from pipeline.run.status import state_of
from tests.stubs.agents import FILES, Scripted, plan, put, result, works, write

if TYPE_CHECKING:
    from pipeline.drivers.base import Turn
    from tests.unit.pipeline.run.conftest import Bench

WHY = "not trivial: it needs a design"


def gives_up(turn: Turn, status: str = "escalate") -> None:
    """Begin the work, and give up with a reason."""
    role = turn.delegate or turn.role
    put(turn, f"app/{FILES[0]}", "// half\n")
    write(turn, {**result(FILES[0], role=role, status=status), "blockers": [WHY]})


def plans(turn: Turn) -> None:
    write(turn, plan(turn.delegate or turn.role))


def works_as(turn: Turn) -> None:
    works(turn)
    write(turn, result(role=turn.delegate or turn.role))


def escalated(bench: Bench) -> list[str]:
    return [event.text for event in bench.events if event.what == "escalated"]


@pytest.fixture
def trivial(bench: Bench) -> Bench:
    return bench._replace(about=replace(bench.about, tier="trivial"))


@pytest.mark.parametrize("status", ["escalate", "failed"])
def test_p6_a_worker_that_gives_up_is_relieved_by_the_agents_of_the_next_tier(
    trivial: Bench, status: str
) -> None:
    driver = Scripted(plan=plans, implement=[lambda turn: gives_up(turn, status), works_as])

    code = trivial.run(driver)

    (change,) = trivial.forge.opened.values()
    assert (code, trivial.stop) == (0, [])
    assert driver.stages == [
        ("plan", "x-planner"),
        ("implement", "x-worker-fast"),
        ("plan", "x-subplanner"),
        ("implement", "x-worker"),
        ("review", "x-reviewer"),
        ("publish", "x-git"),
    ]
    assert all(WHY in turn.prompt for turn in driver.turns[2:4])
    assert escalated(trivial) == [
        f'from trivial to standard: the worker\'s status is "{status}": "{WHY}"'
    ]
    assert "Tier standard: escalated from trivial" in change.body
    assert f'- `the worker\'s status is "{status}": "{WHY}"`' in change.body
    state = state_of(str(trivial.root / "app"), "ISSUE-7")
    assert state.escalated == escalated(trivial)[0]


def test_p6_escalation_ends_at_the_last_tier(trivial: Bench) -> None:
    driver = Scripted(plan=plans, implement=gives_up)

    codes = [trivial.run(driver), trivial.run(driver)]

    assert codes == [1, 1]
    assert [role for stage, role in driver.stages if stage == "implement"] == [
        "x-worker-fast",
        "x-worker",
        "x-worker",
    ]
    assert trivial.stop[:3] == [
        "x-worker did not complete the work: app/.pipeline/ISSUE-7/worker-result.json",
        'the worker\'s status is "escalate"',
        f'"{WHY}"',
    ]
    assert trivial.forge.calls == 0


def test_p6_a_blocked_worker_waits_for_a_person(trivial: Bench) -> None:
    driver = Scripted(plan=plans, implement=lambda turn: gives_up(turn, "blocked"))

    code = trivial.run(driver)

    assert (code, len(driver.turns), escalated(trivial)) == (1, 2, [])


def test_p6_used_up_attempts_escalate_with_what_the_tests_said(bench: Bench) -> None:
    command = f"grep -qs broken {FILES[0]} && echo 'not ok 1 - answers 200' && exit 1 || exit 0"

    def breaks(turn: Turn) -> None:
        works(turn)
        put(turn, f"app/{FILES[0]}", "// broken\n")

    driver = Scripted(implement=[breaks, breaks, works])

    code = bench.run(driver, test_command=command, attempts=2)

    assert (code, bench.stop) == (0, [])
    assert [stage for stage, _ in driver.stages] == [
        *("plan", "implement", "implement", "implement", "review", "publish")
    ]
    assert "answers 200" in driver.turns[3].prompt
    assert escalated(bench)[0].startswith("from standard to complex: ")


@pytest.mark.parametrize("done", [0, 1])
def test_p6_an_escalation_that_was_cut_by_a_kill_is_finished_and_paid_once(
    trivial: Bench, done: int
) -> None:
    def stops(_: Turn) -> None:
        raise KeyboardInterrupt

    stage = ("plan", "implement")[done]
    acts: dict[str, Any] = {"plan": [plans, plans], "implement": [gives_up, works_as]}
    acts[stage][1] = stops
    with pytest.raises(KeyboardInterrupt):
        trivial.run(Scripted(**acts))
    again = Scripted(plan=plans, implement=works_as)

    code = trivial.run(again)

    expected = [("plan", "x-subplanner"), ("implement", "x-worker")][done:]
    assert (code, trivial.stop) == (0, [])
    assert again.stages == [*expected, ("review", "x-reviewer"), ("publish", "x-git")]
    assert len(escalated(trivial)) == 1


def test_p6_artifacts_are_removed_by_the_next_run_if_a_kill_came_first(bench: Bench) -> None:
    bench.folder.mkdir(parents=True)
    (bench.folder / "worker-result.json").write_text(json.dumps(result(status="failed")))
    values = {"worker-result.json": result(status="failed"), "../../README.md": {}}
    entry = {"at": "escalate", "from": "standard", "to": "complex", "role": "x-worker"}
    history.append(str(bench.folder), {**entry, "reason": ["x"], "values": values})

    history.redo(str(bench.folder))
    history.redo(str(bench.folder))

    assert not (bench.folder / "worker-result.json").exists()
    assert (bench.root / "README.md").exists()
    assert [found["at"] for found in history.entries(str(bench.folder))] == ["escalate", "redo"]


@pytest.mark.parametrize(
    "line", ["{", "[]", '{"at": 1}', '{"at": "escalate"}', '{"at": "escalate", "from": 1}', "\xff"]
)
def test_a_damaged_history_is_left_out(bench: Bench, line: str) -> None:
    bench.folder.mkdir(parents=True)
    (bench.folder / "history.jsonl").write_text(f"{line}\n", encoding="latin-1")

    assert history.escalations(str(bench.folder)) == []
    assert history.returned(str(bench.folder), "test") == 0
