"""An artifact is valid in itself, of its role, and agrees with the plan and with the tree."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from pipeline.running import artifacts
from pipeline.running.artifacts import Tree
from tests.stubs.agents import FILES, plan, result

if TYPE_CHECKING:
    from pathlib import Path

    from tests.unit.pipeline.running.conftest import Bench

WHERE = "app/.pipeline/ISSUE-7/worker-result.json"


def put(folder: Path, name: str, value: Any) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(value if isinstance(value, str) else json.dumps(value))


def test_what_is_not_there_is_neither_valid_nor_wrong(bench: Bench) -> None:
    found = artifacts.find(bench.about, "plan.json")

    assert (found.exists, found.is_valid, found.problems) == (False, False, ())


def test_a_valid_artifact_has_its_value(bench: Bench) -> None:
    put(bench.folder, "plan.json", plan())

    assert artifacts.find(bench.about, "plan.json").value == plan()


def test_problems_are_lines_with_their_places_and_the_rest_is_counted(bench: Bench) -> None:
    put(bench.folder, "plan.json", {**plan(), "affected_files": [str(n) + "/" for n in range(40)]})

    problems = artifacts.find(bench.about, "plan.json").problems

    assert len(problems) == artifacts.SHOWN + 1
    assert problems[0].startswith("app/.pipeline/ISSUE-7/plan.json:1:21: $.affected_files[0]: ")
    assert problems[-1].endswith("more problems")


def test_a_link_is_no_artifact(bench: Bench, tmp_path: Path) -> None:
    put(tmp_path, "elsewhere.json", plan())
    bench.folder.mkdir(parents=True)
    (bench.folder / "plan.json").symlink_to(tmp_path / "elsewhere.json")

    found = artifacts.find(bench.about, "plan.json")

    assert (found.exists, found.is_valid) == (True, False)


def test_what_is_written_again_is_kept_beside_it(bench: Bench) -> None:
    put(bench.folder, "plan.json", "{ by hand")

    artifacts.set_aside(str(bench.folder / "plan.json"))

    assert (bench.folder / "plan.json.invalid").read_text() == "{ by hand"


@pytest.mark.parametrize(
    ("tree", "value", "planned", "problems"),
    [
        (Tree(set(FILES), set(FILES)), result(), plan(), []),
        (Tree(set(), {*FILES, "src/other.js"}), result(), plan(), []),
        (None, result(), plan(), []),
        (Tree(set(FILES), set(FILES)), result(), None, []),
        (
            None,
            result(FILES[0]),
            plan(),
            [f'{WHERE}: $.files_changed: does not list what is in the plan: "{FILES[1]}"'],
        ),
        (
            None,
            result(*FILES, "src/more.js"),
            plan(),
            [f'{WHERE}: $.files_changed: lists what is not in the plan: "src/more.js"'],
        ),
        (
            None,
            result(role="x-planner"),
            plan(),
            [f'{WHERE}: $.produced_by: expected x-worker, found "x-planner"'],
        ),
        (Tree(set(), set()), result("src/any.js", status="blocked"), plan(), []),
    ],
)
def test_a_result_is_compared_with_its_plan_and_the_tree(
    bench: Bench,
    tree: Tree | None,
    value: Any,
    planned: Any,
    problems: list[str],
) -> None:
    assert artifacts.result_problems(value, planned, bench.about, tree) == problems


def test_the_fast_worker_marks_a_trivial_result(bench: Bench) -> None:
    trivial = replace(bench.about, tier="trivial")

    assert artifacts.result_problems(result(role="x-worker-fast"), None, trivial, None) == []  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("value", "lines"),
    [
        (result(), []),
        (
            result(status="failed"),
            ['the worker\'s status is "failed"', '"the database is down"'],
        ),
    ],
)
def test_only_completed_work_without_blockers_goes_on(value: Any, lines: list[str]) -> None:
    assert artifacts.blocks(value) == lines


def test_the_copy_is_never_written_through_a_link(bench: Bench) -> None:
    precious = bench.root.parent / "precious"
    precious.write_text("mine")
    path = bench.folder / "plan.json"
    path.parent.mkdir(parents=True)
    path.write_text("{ by hand")
    (bench.folder / "plan.json.invalid").symlink_to(precious)

    artifacts.set_aside(str(path))

    assert precious.read_text() == "mine"
    assert (bench.folder / "plan.json.invalid").read_text() == "{ by hand"
