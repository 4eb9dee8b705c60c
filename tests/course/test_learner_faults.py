"""Faults that learners met on the way through the course: each is shown, or cannot happen again."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path

import pytest

from pipeline.bootstrap import ROOT
from verify.grading.model import Outcome
from verify.learner.check import report_of
from verify.learner.request import GradingRequest

SUBMISSIONS = os.path.join(ROOT, "fixtures", "submissions")


def page(path: str) -> str:
    return Path(ROOT, path).read_text("utf-8")


def failed(number: str, path: str) -> list[str]:
    """Return the codes of the checks of a foundation exercise that a folder fails."""
    report = report_of(GradingRequest(level="foundation", number=number, project=path))
    return [each.check.code for each in report.results if each.outcome is Outcome.FAIL]


def test_l4_the_first_plan_is_one_that_its_hand_writer_may_sign(tmp_path: Path) -> None:
    (plan,) = re.findall(r"```json\n(.*?)```", page("docs/index.md"), re.DOTALL)
    folder = tmp_path / "sandbox/.pipeline/ISSUE-101"
    folder.mkdir(parents=True)
    (folder / "plan.json").write_text(plan)

    assert json.loads(plan)["produced_by"] == "x-planner"
    assert report_of(GradingRequest(level="foundation", number="1", project=str(tmp_path))).passed


@pytest.mark.parametrize("first", ["", "sandbox/"])
def test_l9_a_path_from_another_root_fails_the_plan_and_then_the_work(
    tmp_path: Path, first: str
) -> None:
    work = shutil.copytree(f"{SUBMISSIONS}/foundation/02-implement/solved", tmp_path / "work")
    for file in (work / "sandbox/.pipeline/ISSUE-101").iterdir():
        file.write_text(re.sub(r'"((?:src|test)/)', rf'"{first}\1', file.read_text()))

    assert failed("1", str(work)) == (["F01.10"] if first else [])
    assert failed("2", str(work)) == (["F02.7"] if first else [])


def test_l11_the_readme_offers_what_the_first_command_installs() -> None:
    scripts = page("pyproject.toml").partition("[project.scripts]\n")[2].partition("\n\n")[0]
    offered = set(re.findall(r"\.venv/bin/([\w-]+)", page("README.md")))

    assert offered <= set(re.findall(r"^([\w-]+) = ", scripts, re.MULTILINE))


def test_l11_a_wrong_tier_is_no_answer_until_hints_lead_to_it() -> None:
    path = f"{SUBMISSIONS}/expert/01-classify/broken-tiers"
    report = report_of(GradingRequest(level="expert", number="1", project=path))
    wrong = [each for each in report.results if each.check.code in ("E01.7", "E01.9", "E01.11")]
    shown = [f"{f.message} {f.expected}" for each in wrong for f in each.verdict.findings]
    asked = [f"{each.check.look_at} {each.check.hint}" for each in wrong]

    assert len(shown) == 3
    assert not re.search("trivial|standard|complex", " ".join([*shown, *asked]))
    assert all('"signals": [' in each.check.example for each in wrong)
