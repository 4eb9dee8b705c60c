"""An artifact that is missing from its place is found nearby, or where nothing is near, nowhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from verify.attempt import Source
from verify.checks.misplaced import found_instead

if TYPE_CHECKING:
    from collections.abc import Callable

    from verify.attempt import Attempt
    from verify.model import Exercise

    AttemptOn = Callable[..., Attempt[Exercise]]

PLAN = Source("plan.json")


@pytest.mark.parametrize(
    "place",
    [
        ".pipeline/ISSUE-7/Plan.json",
        ".pipeline/ISSUE-7/plan.json.txt",
        ".pipeline/ISSUE-7/plan.jsn",
        ".pipeline/ISSUE_7/plan.json",
        ".pipeline/issue-7/plan.json",
        "sandbox/.pipeline/ISSUE-7/plan.json",
        ".pipeline/plan.json",
        "plan.json",
    ],
)
def test_a_misspelt_or_misplaced_artifact_is_found(attempt_on: AttemptOn, place: str) -> None:
    assert found_instead(attempt_on({place: {}}), PLAN) == place


@pytest.mark.parametrize(
    "files",
    [
        [],
        [".pipeline/ISSUE-7/git-result.json", ".pipeline/ISSUE-7/worker-result.json"],
        [".pipeline/SHOP-12/plan.json"],
        [".pipeline/ISSUE-77/plan.json", ".pipeline/ISSUE-8/plan.json"],
        [".pipeline/ISSUE-7/notes.md"],
        ["docs/plan.json"],
    ],
)
def test_what_is_not_like_the_artifact_is_not_taken_for_it(
    attempt_on: AttemptOn, files: list[str]
) -> None:
    assert found_instead(attempt_on({file: {} for file in files}), PLAN) == ""


def test_an_artifact_in_the_folder_of_another_issue_is_found_by_the_criteria_of_its_plan(
    attempt_on: AttemptOn,
) -> None:
    plan = {"acceptance_mapping": {"AC1_status": "a", "AC2_shape": "a"}}
    other = {".pipeline/ISSUE-8/plan.json": plan, ".pipeline/ISSUE-9/plan.json": "no JSON"}
    own, foreign = (attempt_on(other, criteria=["AC1_status", name]) for name in ("AC2_shape", "x"))

    assert found_instead(own, PLAN) == ".pipeline/ISSUE-8/plan.json"
    assert found_instead(foreign, PLAN) == ""


def test_the_right_name_in_another_place_is_told_before_a_wrong_name(attempt_on: AttemptOn) -> None:
    places = [".pipeline/ISSUE-7/plan.json.txt", "sandbox/.pipeline/ISSUE-7/plan.json"]

    assert found_instead(attempt_on({place: {} for place in places}), PLAN) == places[1]
