"""Each issue of the course is there with criteria, and the solved plans map exactly those."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from pipeline.bootstrap import ROOT
from verify import catalog
from verify.course import ISSUES, issue_text

EXERCISES = [exercise for level in catalog.LEVELS for exercise in catalog.level(level)]
TIERED = ("ISSUE-301", "ISSUE-302", "ISSUE-303")
PRACTICE = ("ISSUE-306",)  # for learners who go further: no exercise asks for it
IN_USE = sorted({*TIERED, *PRACTICE, *(e.issue for e in EXERCISES if e.issue)})
SUBMISSIONS = Path(ROOT, "fixtures", "submissions")
PLANS = sorted(SUBMISSIONS.glob("*/*/solved*/**/.pipeline/*/plan.json"))
WITHOUT_MAPPING = "foundation/04-trace"  # its run-through omits what only exercises ask for


def test_the_issues_in_use_are_the_issues_that_are_there() -> None:
    assert sorted(os.listdir(ISSUES)) == [f"{issue}.md" for issue in IN_USE]


@pytest.mark.parametrize("name", IN_USE)
def test_an_issue_has_its_own_id_a_title_and_numbered_criteria(name: str) -> None:
    issue = issue_text(name)
    assert issue is not None

    numbers = [label.partition("_")[0] for label in issue.criteria]

    assert issue.id == name
    assert issue.title != ""
    assert numbers == [f"AC{number}" for number in range(1, len(numbers) + 1)]


def test_every_exercise_on_an_issue_has_a_solved_plan() -> None:
    planned = {path.parent.name for path in PLANS}

    assert planned == set(IN_USE) - {"ISSUE-301"}  # a trivial task needs no plan


@pytest.mark.parametrize("path", PLANS, ids=lambda path: str(path.relative_to(SUBMISSIONS)))
def test_a_solved_plan_maps_exactly_the_criteria_of_its_issue(path: Path) -> None:
    issue = issue_text(path.parent.name)
    assert issue is not None

    mapping = json.loads(path.read_text()).get("acceptance_mapping", {})
    expected = [] if WITHOUT_MAPPING in str(path) else list(issue.criteria)

    assert list(mapping) == expected
