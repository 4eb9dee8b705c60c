"""An artifact agrees with the plan and the tree, and an answer has a verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pipeline.run.answers import lines_of, verdict_of
from pipeline.run.stage import Facts, ProjectFiles
from pipeline.run.stages.implement import IMPLEMENT
from tests.stubs.agents import FILES, plan, result

if TYPE_CHECKING:
    from tests.unit.pipeline.run.conftest import Bench


WHERE = "app/.pipeline/ISSUE-7/worker-result.json"


@pytest.mark.parametrize(
    ("tree", "value", "planned", "problems"),
    [
        ((set(), {*FILES, "src/other.js"}), result(), plan(), []),
        (None, result(), plan(), []),
        ((set(FILES), set(FILES)), result(), plan(), []),
        (
            None,
            result(FILES[0]),
            plan(),
            [f'{WHERE}: $.files_changed: does not list files that are in the plan: "{FILES[1]}"'],
        ),
        (
            None,
            result(*FILES, "src/more.js"),
            plan(),
            [f'{WHERE}: $.files_changed: lists files that are not in the plan: "src/more.js"'],
        ),
        (
            None,
            result(role="x-planner"),
            plan(),
            [f'{WHERE}: $.produced_by: expected x-worker, found "x-planner"'],
        ),
        ((set(), set()), result("src/any.js", status="blocked"), plan(), []),
        (
            None,
            {**result(status="done"), "blockers": []},
            plan(),
            [
                (
                    f'{WHERE}: $.status: expected "completed" if the work is done, or blockers '
                    'that say what stops it, found "done" and no blockers'
                )
            ],
        ),
    ],
)
def test_a_result_is_compared_with_its_plan_and_the_tree(
    bench: Bench,
    tree: tuple[set[str], set[str]] | None,
    value: Any,
    planned: Any,
    problems: list[str],
) -> None:
    facts = Facts(
        path=bench.about.path("worker-result.json"),
        roles=("x-worker",),
        values={"plan.json": planned},
        tree=ProjectFiles(*tree) if tree else None,
    )

    assert IMPLEMENT.problems(facts, value) == problems


@pytest.mark.parametrize(
    ("reply", "verdict"),
    [
        ("approved", "approved"),
        ("**Approved**\n\nNothing to add.", "approved"),
        ("The reviewer says:\n\n> changes needed\nsrc/a.js:1: wrong", "changes needed"),
        ("`blocked`\napproved by nobody", "blocked"),
        ("Not approved: src/a.js:1 is wrong", ""),
        ("approvedly", ""),
    ],
)
def test_a_verdict_is_read_from_an_answer(reply: str, verdict: str) -> None:
    assert verdict_of(reply) == verdict


def test_an_answer_is_shown_safely_and_cut() -> None:
    answer = "changes needed\n\nsrc/a.js:1: \x1b[31mwrong\n" + "more\n" * 100

    assert lines_of(answer)[:2] == ["changes needed", "src/a.js:1: \\u{1b}[31mwrong"]
    assert len(lines_of(answer)) < 25
