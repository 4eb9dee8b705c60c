"""A result says that the work is completed, as planned, in files that are there, and published."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from verify.artifacts import ArtifactRef
from verify.checks import results
from verify.checks.results import names_the_issue
from verify.model import PASSED, Finding, failed

if TYPE_CHECKING:
    from collections.abc import Callable

    from verify.artifacts import Context
    from verify.model import Exercise

    AttemptOn = Callable[..., Context]


FILE = ".pipeline/ISSUE-7/worker-result.json"
PLAN_FILE = ".pipeline/ISSUE-7/plan.json"
RESULT, PLAN = ArtifactRef("worker-result.json"), ArtifactRef("plan.json")


@pytest.mark.spec("2.3.4")
@pytest.mark.parametrize(
    ("files", "message", "action"),
    [
        ({}, "this file is not in the target project", "Create sandbox/src/a.js, merge the branch"),
        ({"src/a.js": "code"}, "this file is not in the target project", "Create sandbox/"),
        ({"sandbox/src/a.js": " \n"}, "this file is empty", "Write the content that the plan"),
        ({"sandbox/src/a.js": "code"}, "", ""),
    ],
    ids=["not there", "in the root", "empty", "there"],
)
def test_l9_changed_files_are_in_the_target_project_and_not_empty(
    context_on: AttemptOn,
    toy_exercise: Callable[..., Exercise],
    worker_result: dict[str, Any],
    files: dict[str, str],
    message: str,
    action: str,
) -> None:
    worker_result["files_changed"] = ["src/__init__.py", "src/a.js"]
    there = {f"sandbox/{FILE}": worker_result, "sandbox/src/__init__.py": ""}
    context = context_on(there | files, exercise=toy_exercise(target="sandbox"))
    findings = results.has_its_files(RESULT)(context).findings

    assert [(each.message, each.path) for each in findings] == (
        [(message, "$.files_changed[1]")] if message else []
    )
    assert all(each.action.startswith(action) for each in findings)


def test_files_in_another_form_of_unicode_are_the_planned_ones(
    context_on: AttemptOn, plan: dict[str, Any], worker_result: dict[str, Any]
) -> None:
    plan["affected_files"] = ["caf\u00e9.js"]
    plan["steps"] = [{"order": 1, "file": "caf\u00e9.js", "description": "Do it"}]
    plan["acceptance_mapping"] = {"AC1_x": "caf\u00e9.js"}
    worker_result["files_changed"] = ["cafe\u0301.js"]
    files = {FILE: worker_result, PLAN_FILE: plan, "cafe\u0301.js": "code"}

    assert results.agrees_with_plan(RESULT, PLAN)(context_on(files)) is PASSED
    worker_result["files_changed"] = ["caf\u00e9.js"]
    assert results.has_its_files(RESULT)(context_on(files)) is PASSED


GIT_FILE = ".pipeline/ISSUE-7/git-result.json"
GIT = ArtifactRef("git-result.json")
MESSAGE = "the branch does not name its issue"


@pytest.mark.spec("2.4.3")
@pytest.mark.parametrize(
    ("branch", "right"),
    [
        ("feature/issue-77-health", "feature/issue-7-health"),
        ("feature/issue-17", "feature/issue-7"),
        ("feature/add_health", "feature/issue-7-add_health"),
    ],
)
def test_a_branch_names_the_issue_by_the_whole_number(
    context_on: AttemptOn, git_result: dict[str, Any], branch: str, right: str
) -> None:
    action = f'Rename the branch to "{right}", and write that name to "branch".'
    check = names_the_issue(GIT)

    assert check(context_on({GIT_FILE: git_result | {"branch": "feature/i7"}})) is PASSED
    assert check(context_on({GIT_FILE: git_result | {"branch": branch}})) == failed(
        Finding(
            MESSAGE, "a slug that contains 7", f'"{branch}"', GIT_FILE, "$.branch", 2, 13, action
        )
    )
