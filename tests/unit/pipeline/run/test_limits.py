"""What turns cost is kept over kills; the user's limits and a model's end no run uncleanly."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import pytest

from pipeline.drivers.base import Reply
from pipeline.drivers.reports import RateLimited, Usage
from pipeline.run import limits, turns
from pipeline.terminal.fault import Fault
from tests.stubs.agents import Scripted, plans, put, works

if TYPE_CHECKING:
    from collections.abc import Callable

    from pipeline.drivers.base import Turn
    from tests.unit.pipeline.run.conftest import Bench

SPENT = Usage(10, 5, 40, 0.25, "USD")
ROLES = ["x-subplanner", "x-worker", "x-reviewer", "x-git"]


class Counting(Scripted):
    """A driver whose turns report what they used, and stop in the ways that are given."""

    terms, counts_tokens = "they work in no jail", True

    def __init__(self, *stops: BaseException | None, **stages: Any) -> None:
        super().__init__(**stages)
        self._stops = list(stops)

    def take(self, turn: Turn, tell: Callable[[str], None]) -> Reply:
        if self._stops and (stop := self._stops.pop(0)):
            raise stop
        return Reply(text=super().take(turn, tell).text, usage=SPENT)


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Return the seconds for which a run has waited, which then take no time."""
    slept: list[float] = []
    monkeypatch.setattr(limits, "sleep", slept.append)
    monkeypatch.setattr(limits, "localtime", lambda _: time.gmtime(0))
    return slept


def cost(bench: Bench) -> dict[str, Any]:
    return turns.cost_of(turns.turns_of(str(bench.folder)))


def by_stage(bench: Bench) -> list[tuple[str, str, int]]:
    return [(row["stage"], row["role"], row["turns"]) for row in cost(bench)["stages"]]


def test_i31_a_runs_result_says_what_each_stage_has_cost(bench: Bench) -> None:
    assert bench.run(Counting()) == 0

    said = (bench.events[-1].data or {})["cost"]
    assert said == cost(bench)
    assert {name: value for name, value in said.items() if name not in ("seconds", "stages")} == {
        "turns": 4,
        "tokens": {"input": 40, "output": 20, "total": 160},
        "price": {"USD": 1.0},
        "not_reported": {"tokens": 0, "price": 0},
    }
    assert by_stage(bench) == [
        ("plan", "x-subplanner", 1),
        ("test", "runner", 0),  # before the work, and after it
        ("implement", "x-worker", 1),
        ("review", "x-reviewer", 1),
        ("publish", "x-git", 1),
    ]


def test_i31_what_is_not_reported_is_no_zero(bench: Bench) -> None:
    assert bench.run(Scripted()) == 0

    assert (cost(bench)["tokens"], cost(bench)["price"]) == (None, None)
    assert cost(bench)["not_reported"] == {"tokens": 4, "price": 4}
    assert turns.cost_line({**cost(bench), "seconds": 1}) == (
        "4 turns, 1.0 s, tokens and price not reported"
    )


def test_i31_a_turn_that_a_kill_has_cut_counts_once_and_says_nothing_of_its_tokens(
    bench: Bench,
) -> None:
    class Killed(BaseException):
        pass

    def plans_and_is_killed(turn: Turn) -> None:
        plans(turn)
        raise Killed

    with pytest.raises(Killed):
        bench.run(Counting(plan=plans_and_is_killed))
    with (bench.folder / "turns.jsonl").open("a") as file:
        file.write('{"at": "pl')  # what it was about to write
    code = bench.run(Counting())

    assert (code, bench.events[-1].what) == (0, "ended")
    assert ("kept", "plan") in bench.history
    assert cost(bench)["turns"] == 4
    assert cost(bench)["tokens"] == {"input": 30, "output": 15, "total": 120}
    assert cost(bench)["not_reported"] == {"tokens": 1, "price": 1}


def test_i31_what_an_agent_writes_into_the_records_is_undone(bench: Bench) -> None:
    def forges(turn: Turn) -> None:
        plans(turn)
        put(turn, f"{turn.artifact.rpartition('/')[0]}/turns.jsonl", "{}\n")

    assert bench.run(Counting(plan=forges)) == 1

    assert bench.stop == [
        "x-subplanner changed app/.pipeline/ISSUE-7/turns.jsonl, which no role may change",
        "To continue, run the same command again.",
    ]
    assert cost(bench)["tokens"] == {"input": 10, "output": 5, "total": 40}
    assert bench.run(Counting()) == 0


@pytest.mark.parametrize(
    ("options", "roles", "said"),
    [
        ({"max_turns": 2}, 2, "--max-turns 2 is reached: the issue has used 2 turns of agents"),
        ({"max_tokens": 50}, 2, "--max-tokens 50 is reached: the issue has used 80 tokens"),
        ({"max_tokens": 120}, 3, "--max-tokens 120 is reached: the issue has used 120 tokens"),
    ],
)
def test_i31_a_limit_stops_before_the_next_turn_and_a_higher_one_continues(
    bench: Bench, options: dict[str, Any], roles: int, said: str
) -> None:
    first, second = Counting(), Counting()
    assert bench.run(first, **options) == 1
    (name, limit), (line,) = *options.items(), bench.stop
    again = bench.run(Counting(), **options)

    assert [turn.role for turn in first.turns] == ROLES[:roles]
    option = f"--{name.replace('_', '-')}"
    assert line == (
        f"{said}; to continue, run the same command with a higher limit, such as {option} "
        f"{2 * limit}"
    )
    assert again == 1  # earlier runs count
    assert bench.run(second, **{name: 10 * limit}) == 0
    assert [turn.role for turn in second.turns] == ROLES[roles:]


def test_i31_a_finished_run_is_no_run_that_reached_its_limit(bench: Bench) -> None:
    assert bench.run(Counting(), max_turns=4, max_tokens=160) == 0
    assert bench.run(Counting(), max_turns=1) == 0


def test_i31_minutes_end_a_turn_that_is_running(bench: Bench) -> None:
    class Slow(Counting):
        def take(self, turn: Turn, _: Callable[[str], None]) -> Reply:
            time.sleep(turn.seconds)
            raise Fault("it did not finish in time; raise the limit with --seconds")

    ago = time.monotonic() - 599
    assert bench.run(Slow(), max_minutes=10, begun_at=ago) == 1
    assert " ".join(bench.stop) == (
        "--max-minutes 10 is reached: the issue has used all of it; to continue, run the "
        "same command with a higher limit, such as --max-minutes 20"
    )
    assert bench.run(Counting(), max_minutes=10, begun_at=ago - 2) == 1
    assert bench.run(Counting(), max_minutes=20) == 0


def test_i31_a_model_that_takes_no_requests_is_asked_again_and_no_try_is_lost(
    bench: Bench, waits: list[float]
) -> None:
    full = RateLimited("claude: 429", 7.0), RateLimited("claude: 429"), RateLimited("claude: 429")
    assert bench.run(Counting(*full, implement=[lambda _: None, works])) == 0

    assert waits == [8, 30, 60]
    said = [event.text for event in bench.events if event.what == "waits"]
    assert said == [
        f"tries again in {number} s, at 00:00:00 ({tries} of 6): claude: 429; to stop, press"
        " Ctrl-C; the same command continues"
        for tries, number in enumerate((8, 30, 60), 1)
    ]
    assert cost(bench)["turns"] == 5  # the worker had both of its tries


def test_i31_the_waits_are_bounded(bench: Bench, waits: list[float]) -> None:
    assert bench.run(Counting(*[RateLimited("full", 1.0) for _ in range(7)])) == 1

    later = "The model takes no requests for now. To continue, run the same command again later."
    assert (waits, bench.stop) == ([2] * 6, ["full", later])
    waits.clear()
    assert bench.run(Counting(RateLimited("full", 86_400.0))) == 1
    assert (waits, bench.stop) == ([], ["full", later])


def test_what_only_looks_like_a_limit_of_a_model_costs_an_hour_at_most(
    bench: Bench, waits: list[float]
) -> None:
    assert bench.run(Counting(*[RateLimited("full", 1_500.0) for _ in range(7)])) == 1

    assert waits == [1501, 1501]
    assert bench.stop[0] == "full"


def test_i31_a_wait_that_the_minutes_do_not_allow_is_not_begun(
    bench: Bench, waits: list[float]
) -> None:
    assert bench.run(Counting(RateLimited("full", 50.0)), max_minutes=0.5) == 1

    said = (
        "--max-minutes 0.5 is reached: the issue has used too much of it to wait 51 s for a model; "
        "to continue, run the same command with a higher limit, such as --max-minutes 1"
    )
    assert (waits, bench.stop) == ([], [said])


def test_i31_ctrl_c_ends_a_wait_and_the_turn_is_continued(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(_: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(limits, "sleep", interrupt)
    with pytest.raises(KeyboardInterrupt):
        bench.run(Counting(RateLimited("full")))

    assert bench.run(Counting()) == 0


def test_i31_a_transcript_has_what_was_asked_and_answered(bench: Bench) -> None:
    assert bench.run(Counting(), transcript=True) == 0

    kept = [json.loads(line) for line in (bench.folder / "transcript.jsonl").open()]
    assert [(entry["role"], entry["answer"].split("\n")[0]) for entry in kept] == [
        ("x-subplanner", "done"),
        ("x-worker", "done"),
        ("x-reviewer", "approved"),
        ("x-git", "```text"),
    ]
    assert all("Issue: ISSUE-7" in entry["prompt"] for entry in kept)


def test_i31_nothing_of_the_talk_is_kept_unless_asked_for(bench: Bench) -> None:
    assert bench.run(Counting()) == 0
    assert not (bench.folder / "transcript.jsonl").exists()
