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

    from verify.artifacts import CheckFunction, Context
    from verify.model import Exercise

    AttemptOn = Callable[..., Context]
    from verify.artifacts import Context


FILE = ".pipeline/ISSUE-7/worker-result.json"
PLAN_FILE = ".pipeline/ISSUE-7/plan.json"
RESULT, PLAN = ArtifactRef("worker-result.json"), ArtifactRef("plan.json")
COMPLETED = results.is_completed(RESULT)
BLOCKERS = results.has_array_of_blockers(RESULT)


@pytest.mark.parametrize("check", [COMPLETED, BLOCKERS])
def test_completed_work_has_no_blockers(
    context_on: AttemptOn, worker_result: dict[str, Any], check: CheckFunction
) -> None:
    without = context_on({FILE: worker_result | {"summary": ""}})
    blocked = context_on({FILE: worker_result | {"blockers": ["no database"]}})
    message, place = "a completed result still lists blockers", (FILE, "$.blockers", 7, 15)
    expected = "[] or a status other than completed"
    action = 'Write [] if nothing blocks the work; otherwise, write a status such as "blocked".'

    assert check(without) is PASSED
    assert check(blocked) == failed(
        Finding(message, expected, "an array of 1 element", *place, action)
    )


@pytest.mark.spec("2.3.5", "7.4")
@pytest.mark.parametrize("blockers", ["none", None, {}])
def test_blockers_that_are_no_array_are_shown(
    context_on: AttemptOn, worker_result: dict[str, Any], blockers: Any
) -> None:
    worker_result["blockers"] = blockers
    wrong = BLOCKERS(context_on({FILE: worker_result}))
    del worker_result["blockers"]
    missing = BLOCKERS(context_on({FILE: worker_result}))

    assert [(each.message, each.path) for each in (*wrong.findings, *missing.findings)] == [
        ("wrong type", "$.blockers"),
        ("this field is missing", "$.blockers"),
    ]


@pytest.mark.spec("2.3.4")
@pytest.mark.parametrize(
    ("files", "message", "action"),
    [
        ({}, "this file is not in the target project", "Create sandbox/src/a.js, merge the branch"),
        ({"src/a.js": "code"}, "this file is not in the target project", "Create sandbox/"),
        ({"sandbox/src/a.js": " \n"}, "this file is empty", "Write what its step in the plan"),
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
    action = f'Rename the branch to "{right}", and write that name.'
    check = names_the_issue(GIT)

    assert check(context_on({GIT_FILE: git_result | {"branch": "feature/i7"}})) is PASSED
    assert check(context_on({GIT_FILE: git_result | {"branch": branch}})) == failed(
        Finding(MESSAGE, "a slug with 7 in it", f'"{branch}"', GIT_FILE, "$.branch", 2, 13, action)
    )


@pytest.mark.spec("2.4.3")
@pytest.mark.parametrize("own", ["ISSUE-7", None], ids=["of another issue", "of no issue"])
def test_a_result_of_an_issue_of_its_own_is_asked_for_that_issue(
    context_on: AttemptOn,
    toy_exercise: Callable[..., Exercise],
    git_result: dict[str, Any],
    own: str | None,
) -> None:
    file = ".pipeline/ISSUE-302/git-result.json"
    check = names_the_issue(ArtifactRef("git-result.json", issue="ISSUE-302"))
    exercise = toy_exercise(issue=own)
    wrong = check(context_on({file: git_result}, exercise=exercise))
    git_result["branch"] = "feature/issue-302-health"
    right = check(context_on({file: git_result}, exercise=exercise))

    assert [(f.expected, f.found) for f in wrong.findings] == [
        ("a slug with 302 in it", '"feature/issue-7-health"')
    ]
    assert right is PASSED
