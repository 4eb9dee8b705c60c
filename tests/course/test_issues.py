"""Each issue of the course is there with criteria, and the solved plans map exactly those."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pipeline.bootstrap import ROOT
from verify.course.catalog import issue_text
from verify.selftest.shipped import PRACTICE_ISSUES, the_course

IN_USE = sorted(the_course().issues_in_use())
SUBMISSIONS = Path(ROOT, "fixtures", "submissions")
PLANS = sorted(SUBMISSIONS.glob("*/*/solved*/**/.pipeline/*/plan.json"))
WITHOUT_MAPPING = "foundation/04-trace"  # its run-through omits what only exercises ask for


@pytest.mark.parametrize("name", [*IN_USE, *sorted(PRACTICE_ISSUES)])
def test_an_issue_has_its_own_id_a_title_and_numbered_criteria(name: str) -> None:
    issue = issue_text(name)
    assert issue is not None

    numbers = [label.partition("_")[0] for label in issue.criteria]

    assert issue.id == name
    assert issue.title != ""
    assert numbers == [f"AC{number}" for number in range(1, len(numbers) + 1)]


def test_every_exercise_on_an_issue_has_a_solved_plan() -> None:
    planned = {path.parent.name for path in PLANS}

    assert planned == set(IN_USE) - {"ISSUE-301"}  # expert 02 accepts a trivial run without one


def test_a_solved_plan_maps_exactly_the_criteria_of_its_issue() -> None:
    for path in PLANS:
        issue = issue_text(path.parent.name)
        assert issue is not None

        mapping = json.loads(path.read_text()).get("acceptance_mapping", {})
        expected = [] if WITHOUT_MAPPING in str(path) else list(issue.criteria)

        assert list(mapping) == expected, path
