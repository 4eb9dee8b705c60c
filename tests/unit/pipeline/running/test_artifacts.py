"""An artifact is valid in itself, of its role, and agrees with the plan and with the tree."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from pipeline.running import artifacts, witness
from pipeline.running.artifacts import Tree
from pipeline.running.guard import Snapshot
from pipeline.running.lock import AlreadyRunning, only_run
from pipeline.running.witness import Witness
from tests.stubs.agents import FILES, plan, result

if TYPE_CHECKING:
    from pathlib import Path

    from tests.unit.pipeline.running.conftest import Bench


WHERE = "app/.pipeline/ISSUE-7/worker-result.json"


def put(folder: Path, name: str, value: Any) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(value if isinstance(value, str) else json.dumps(value))


def test_a_link_is_no_artifact(bench: Bench, tmp_path: Path) -> None:
    put(tmp_path, "elsewhere.json", plan())
    bench.folder.mkdir(parents=True)
    (bench.folder / "plan.json").symlink_to(tmp_path / "elsewhere.json")

    found = artifacts.find(bench.about, "plan.json")

    assert (found.exists, found.is_valid) == (True, False)


@pytest.mark.parametrize(
    ("tree", "value", "planned", "problems"),
    [
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
    bench: Bench, tree: Tree | None, value: Any, planned: Any, problems: list[str]
) -> None:
    assert artifacts.result_problems(value, planned, bench.about, tree) == problems


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


def test_a_second_run_of_an_issue_is_refused_while_the_first_goes_on(tmp_path: Path) -> None:
    folder, git = str(tmp_path / ".pipeline" / "ISSUE-7"), str(tmp_path)

    with (
        only_run(folder, git, "ISSUE-7"),
        pytest.raises(AlreadyRunning) as caught,
        only_run(folder, git, "ISSUE-7"),
    ):
        raise AssertionError("both run")

    assert str(caught.value) == "another run of ISSUE-7 is going on: wait for it, or end it"


def test_a_run_of_another_issue_is_refused_in_the_same_work_tree_and_leaves_no_folder(
    tmp_path: Path,
) -> None:
    with (
        only_run(str(tmp_path / "ISSUE-7"), str(tmp_path), "ISSUE-7"),
        pytest.raises(AlreadyRunning) as caught,
        only_run(str(tmp_path / "ISSUE-8"), str(tmp_path), "ISSUE-8"),
    ):
        raise AssertionError("both run")

    assert str(caught.value).startswith("a run of another issue is going on here")
    assert not (tmp_path / "ISSUE-8").exists()


def test_after_a_run_the_next_may_begin_and_no_empty_folder_is_left(tmp_path: Path) -> None:
    folder = tmp_path / ".pipeline" / "ISSUE-7"
    for _ in range(2):
        with only_run(str(folder), str(tmp_path), "ISSUE-7"):
            assert folder.is_dir()

    assert not (tmp_path / ".pipeline").exists()


BEFORE = Snapshot("main", "1" * 40, {"app/\udce9.js": "0 abc"})
WITNESS = Witness("implement", settled=False, fresh=True, before=BEFORE)


def test_the_last_witness_counts_until_it_is_forgotten(tmp_path: Path) -> None:
    folder = str(tmp_path)
    witness.keep(folder, WITNESS)
    first = witness.kept(folder)
    witness.keep(folder, WITNESS._replace(settled=True))
    last = witness.kept(folder)
    witness.forget(folder)
    witness.forget(folder)

    assert (first, last) == (WITNESS, WITNESS._replace(settled=True))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"stage": "implement"}', "[" * 100_000, "\xff"])
def test_a_file_that_is_no_witness_is_none(tmp_path: Path, text: str) -> None:
    (tmp_path / witness.WITNESS).write_text(text, encoding="latin-1")

    assert witness.kept(str(tmp_path)) is None
