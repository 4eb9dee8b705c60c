"""What the specification says of grading that no fixture of a submission shows."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pipeline.bootstrap import ROOT
from verify.course import catalog
from verify.grading.artifacts import Context
from verify.grading.runner import grade
from verify.submissions.submission import open_folder

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.acceptance.conftest import PathOf

HOST = {"python": (3, 10), "node": (20, 0), "git": (2, 0)}.get
RECORDS = "docs/expert/tutorials/outputs/01-classifications.json"
TIERS = ("trivial", "standard", "complex")
FAST = ["x-worker-fast", "x-reviewer-fast"]


def outcomes(name: str, project: str | Path, issue: str = "") -> dict[str, str]:
    """Grade a submission as `--strict` does and return the outcomes of its checks."""
    exercise = catalog.find(*name.split("/"), issue=issue or None)
    with open_folder(str(project)) as submission:
        report = grade(Context(exercise, submission, catalog.issue_of(exercise), HOST), strict=True)
    return {result.check.code: result.outcome.value for result in report.results}


@pytest.mark.spec("1.13")
def test_a_delegated_run_is_graded_like_one_that_was_prompted_step_by_step(fixture: PathOf) -> None:
    project = fixture("practitioner/04-trace/solved")  # its markers say that it was delegated
    found = [outcomes(name, project, "ISSUE-202") for name in ("practitioner/04", "foundation/04")]

    assert [{*each.values()} - {"skip"} for each in found] == [{"pass"}, {"pass"}]


@pytest.mark.spec("1.1", "1.10", "1.12", "4.4", "6.2")
def test_what_the_agents_are_asked_to_write_is_a_run_that_the_trace_accepts(tmp_path: Path) -> None:
    folder = tmp_path / ".pipeline" / "ISSUE-7"
    folder.mkdir(parents=True)
    for agent, name in (
        ("x-subplanner", "plan.json"),
        ("x-worker", "worker-result.json"),
        ("x-git", "git-result.json"),
    ):
        message = Path(ROOT, ".cursor", "agents", f"{agent}.md").read_text(encoding="utf-8")
        (example,) = re.findall(r"^```json\n(.*?)^```$", message, re.MULTILINE | re.DOTALL)
        (folder / name).write_text(example, encoding="utf-8")

    assert set(outcomes("practitioner/04", tmp_path, "ISSUE-7").values()) == {"pass"}
    assert sorted(os.listdir(tmp_path)) == [".pipeline"]


@pytest.mark.spec("1.21")
def test_the_set_up_says_whether_the_sandbox_has_its_dependencies(
    fixture: PathOf, tmp_path: Path
) -> None:
    project = Path(shutil.copytree(fixture("practitioner/01-setup/solved"), tmp_path / "copy"))
    modules = project / "sandbox" / "node_modules"
    shutil.rmtree(modules, ignore_errors=True)
    before = outcomes("practitioner/01", project)["P01.12"]
    (modules / "fastify").mkdir(parents=True)

    assert (before, outcomes("practitioner/01", project)["P01.12"]) == ("fail", "pass")


@pytest.fixture
def failed_with(fixture: PathOf, tmp_path: Path) -> Callable[[int, dict[str, Any]], list[str]]:
    """Return a function that changes one record of a solved classification, and grades it.

    Left out is E01.13, which is advisory and compares with the routing table.
    """
    project = Path(shutil.copytree(fixture("expert/01-classify/solved"), tmp_path / "copy"))
    records = json.loads((project / RECORDS).read_text(encoding="utf-8"))

    def failures(index: int, fields: dict[str, Any]) -> list[str]:
        changed = [*records[:index], {**records[index], **fields}, *records[index + 1 :]]
        (project / RECORDS).write_text(json.dumps(changed), encoding="utf-8")
        found = outcomes("expert/01", project)
        return [code for code, outcome in found.items() if outcome == "fail" and code != "E01.13"]

    return failures


@pytest.mark.spec("2.5.14", "2.5.15", "2.5.16", "2.5.17", "2.5.18", "2.5.19", "2.5.20", "4.18")
def test_a_scenario_has_one_tier_and_any_other_fails(
    failed_with: Callable[[int, dict[str, Any]], list[str]],
) -> None:
    found = [
        {tier: failed_with(index, {"tier": tier, "agents": FAST}) for tier in TIERS}
        for index in range(5)
    ]

    assert [[tier for tier in TIERS if not each[tier]] for each in found] == [
        ["trivial"],  # a typo
        ["standard"],  # an endpoint
        ["complex"],  # a chat
        ["trivial"],  # a rename over many files
        ["complex"],  # access control
    ]
    noted = "E01.14"  # advisory: the tier contradicts the signals
    assert [{code for codes in each.values() for code in codes} - {noted} for each in found] == [
        {f"E01.{index + 7}"} for index in range(5)
    ]


@pytest.mark.spec("2.5.12", "2.5.13")
def test_a_task_that_is_not_trivial_may_name_any_agents(
    failed_with: Callable[[int, dict[str, Any]], list[str]],
) -> None:
    found = [failed_with(index, {"agents": ["x"]}) for index in range(3)]

    assert found == [["E01.12"], [], []]
