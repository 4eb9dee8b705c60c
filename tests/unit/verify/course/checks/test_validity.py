"""An artifact is there, is strict JSON, follows its schema: three verdicts with three hints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pipeline.files import NOT_REGULAR, Unreadable
from verify.course.checks import validity
from verify.course.checks.validity import found_instead
from verify.grading.artifacts import ArtifactRef
from verify.grading.model import PASSED, Finding, Verdict, failed

if TYPE_CHECKING:
    from collections.abc import Callable

    from verify.grading.artifacts import CheckFunction, Context

    AttemptOn = Callable[..., Context]


FILE = ".pipeline/ISSUE-7/plan.json"
PLAN = ArtifactRef("plan.json")
REGULAR = "Put a regular file there, not a link, a pipe or a folder."
NOT_JSON = '{\n  "steps": [True]\n}'
NO_WORD = "this word is not valid in JSON"
WRITE = "Write an object with the order, file and description of the step."
IS_NO_JSON = failed(Finding(NO_WORD, "a value", "True", FILE, "", 2, 13, WRITE))


def missing(found: str = "", file: str = FILE, action: str = "") -> Verdict:
    action = action or f"Write the file to {file}."
    message = f"{file.rpartition('/')[2]} is missing"
    return failed(Finding(message, "the file", found or "no such file", file, action=action))


@pytest.mark.parametrize(
    ("place", "found"),
    [
        ("classifications.json", "classifications.json"),
        (".pipeline/classifications.json", ""),
        ("docs/classifications.json", "docs/classifications.json"),
    ],
)
def test_an_artifact_with_a_path_of_its_own_is_looked_for_in_the_folders_above(
    context_on: AttemptOn, place: str, found: str
) -> None:
    file = "docs/out/classifications.json"
    verdict = validity.is_there(ArtifactRef("classifications.json", path=file))(
        context_on({place: []})
    )
    step = f"Move {found} to {file}." if found else ""

    assert verdict == missing(found, file, step)


@pytest.mark.parametrize("check", [validity.is_there_as_json(PLAN), validity.is_sound(PLAN)])
def test_an_unreadable_artifact_carries_its_own_action_and_json_its_place(
    context_on: AttemptOn, check: CheckFunction
) -> None:
    unreadable = {FILE: Unreadable(NOT_REGULAR, "is a folder, not a regular file")}

    assert check(context_on({FILE: NOT_JSON})) == IS_NO_JSON
    assert check(context_on({}, unreadable=unreadable)) == failed(
        Finding(
            *("plan.json is a folder, not a regular file", "a readable file"),
            file=FILE,
            action=REGULAR,
        )
    )


def test_rules_and_a_field_with_checks_of_their_own_are_left_to_them(
    context_on: AttemptOn, plan: dict[str, Any]
) -> None:
    plan["affected_files"].append("src/extra.js")
    plan["produced_by"] = 7
    context = context_on({FILE: plan})
    rules = frozenset({"files-steps"})
    text = "a string in double quotes"
    action = "Write the name of the agent that wrote the file."
    marker = Finding("wrong type", text, "7", FILE, "$.produced_by", 22, 18, action)

    assert validity.follows_schema(PLAN, apart_from=rules)(context) == failed(marker)
    assert (
        validity.follows_schema(PLAN, apart_from=rules, apart_field="produced_by")(context)
        is PASSED
    )


@pytest.mark.parametrize(
    "place",
    [
        ".pipeline/ISSUE-7/Plan.json",
        ".pipeline/ISSUE-7/plan.json.txt",
        ".pipeline/ISSUE-7/plan.jsn",
        ".pipeline/ISSUE-7/plan.JSON",
        ".pipeline/ISSUE-7/PLAN.json",
        ".pipeline/ISSUE-7/plan-final.json",
        ".pipeline/ISSUE-7/plan_v2.json",
        ".pipeline/ISSUE-7/plan (1).json",
        ".pipeline/ISSUE-7/ISSUE-7-plan.json",
        ".pipeline/ISSUE_7/plan.json",
        ".pipeline/issue-7/plan.json",
        "sandbox/.pipeline/ISSUE-7/plan.json",
        ".pipeline/plan.json",
        "plan.json",
    ],
)
def test_m10_a_misspelt_or_misplaced_artifact_is_found(context_on: AttemptOn, place: str) -> None:
    assert found_instead(context_on({place: {}}), PLAN) == place


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
    context_on: AttemptOn, files: list[str]
) -> None:
    assert found_instead(context_on({file: {} for file in files}), PLAN) == ""


def test_an_artifact_in_the_folder_of_another_issue_is_found_by_the_criteria_of_its_plan(
    context_on: AttemptOn,
) -> None:
    plan = {"acceptance_mapping": {"AC1_status": "a", "AC2_shape": "a"}}
    other = {".pipeline/ISSUE-8/plan.json": plan, ".pipeline/ISSUE-9/plan.json": "no JSON"}
    own, foreign = (context_on(other, criteria=["AC1_status", name]) for name in ("AC2_shape", "x"))

    assert found_instead(own, PLAN) == ".pipeline/ISSUE-8/plan.json"
    assert found_instead(foreign, PLAN) == ""


def test_the_right_name_in_another_place_is_reported_before_a_wrong_name(
    context_on: AttemptOn,
) -> None:
    places = [".pipeline/ISSUE-7/plan.json.txt", "sandbox/.pipeline/ISSUE-7/plan.json"]

    assert found_instead(context_on({place: {} for place in places}), PLAN) == places[1]
