"""What the specification says of agents, tiers and machines, shown through the commands."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pipeline.bootstrap import ROOT

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Mapping

    Run = Callable[..., subprocess.CompletedProcess[str]]
    PathOf = Callable[[str], str]
    Solved = Callable[[str], Path]
    Grade = Callable[..., dict[str, str]]
    Change = Mapping[str, Any] | Callable[[Any], Any]
    FailedAfter = Callable[[str, str, Change], list[str]]

PLAN = "sandbox/.pipeline/ISSUE-101/plan.json"
VALID_PLAN = '{"affected_files": ["a"], "steps": [{"order": 1, "file": "a", "description": "x"}]}'


@pytest.mark.spec("1.13")
def test_a_delegated_run_is_graded_like_one_that_was_prompted_step_by_step(
    solved: Solved, grade: Grade
) -> None:
    project = solved("practitioner/04")  # its markers say that it was delegated
    delegated = grade("practitioner/04", project)
    prompted = grade("foundation/04", project, "--issue", "ISSUE-202")

    assert {*delegated.values()} == {*prompted.values()} == {"pass"}


@pytest.mark.spec("1.1", "1.10", "1.12", "4.4", "6.2")
def test_what_the_agents_are_told_to_write_is_a_run_that_the_trace_accepts(
    grade: Grade, tmp_path: Path
) -> None:
    folder = tmp_path / ".pipeline" / "ISSUE-7"
    folder.mkdir(parents=True)
    for agent, name in (
        ("x-subplanner", "plan.json"),
        ("x-worker", "worker-result.json"),
        ("x-git", "git-result.json"),
    ):
        told = Path(ROOT, ".cursor", "agents", f"{agent}.md").read_text(encoding="utf-8")
        (example,) = re.findall(r"^```json\n(.*?)^```$", told, re.MULTILINE | re.DOTALL)
        (folder / name).write_text(example, encoding="utf-8")

    assert set(grade("practitioner/04", tmp_path, "--issue", "ISSUE-7", "--strict").values()) == {
        "pass"
    }
    assert sorted(os.listdir(tmp_path)) == [".pipeline"]


@pytest.mark.spec("1.6")
@pytest.mark.parametrize(
    ("agent", "codes"), [("x-planner", []), ("x-subplanner", []), ("x-worker", ["F01.7"])]
)
def test_the_planner_or_its_subplanner_makes_a_plan_and_nobody_else(
    failed_after: FailedAfter, agent: str, codes: list[str]
) -> None:
    assert failed_after("foundation/01", PLAN, {"produced_by": agent}) == codes


@pytest.mark.spec("1.15")
@pytest.mark.parametrize(
    ("issue", "agent", "codes"),
    [
        ("ISSUE-301", "x-worker", ["E02.2"]),
        ("ISSUE-302", "x-worker-fast", ["E02.8"]),
        ("ISSUE-303", "x-worker-fast", ["E02.14"]),
    ],
    ids=["trivial", "standard", "complex"],
)
def test_the_worker_of_another_tier_fails(
    failed_after: FailedAfter, issue: str, agent: str, codes: list[str]
) -> None:
    result = f"sandbox/.pipeline/{issue}/worker-result.json"

    assert failed_after("expert/02", result, {"produced_by": agent}) == codes


@pytest.mark.spec("1.17", "1.22")
def test_an_agent_without_a_model_fails_the_set_up(solved: Solved, grade: Grade) -> None:
    project = solved("practitioner/01")
    worker = project / "sandbox" / ".cursor" / "agents" / "x-worker.md"
    text = worker.read_text(encoding="utf-8")
    before = grade("practitioner/01", project)["P01.3"]
    worker.write_text(re.sub("^model: .*\n", "", text, flags=re.MULTILINE), encoding="utf-8")

    assert (before, grade("practitioner/01", project)["P01.3"]) == ("pass", "fail")


@pytest.mark.spec("1.21")
def test_the_set_up_says_whether_the_sandbox_has_its_dependencies(
    solved: Solved, grade: Grade
) -> None:
    project = solved("practitioner/01")
    modules = project / "sandbox" / "node_modules"
    shutil.rmtree(modules, ignore_errors=True)
    before = grade("practitioner/01", project, "--strict")["P01.12"]
    (modules / "fastify").mkdir(parents=True)
    after = grade("practitioner/01", project, "--strict")["P01.12"]

    assert (before, after) == ("fail", "pass")


@pytest.mark.spec("8.1")
def test_a_command_may_be_asked_for_any_number_of_artifacts(run: Run, tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    plan.write_text(VALID_PLAN, encoding="utf-8")
    done = run("pipeline/schema.py", "--validate", *[str(plan)] * 1_000)

    assert (done.returncode, done.stdout, done.stderr) == (0, "OK\n", "")
