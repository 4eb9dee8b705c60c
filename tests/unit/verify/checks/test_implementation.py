"""A worker's result is done, agrees with its plan, and its files are there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from verify.artifacts import ArtifactRef
from verify.checks import implementation
from verify.model import PASSED, Finding, failed

if TYPE_CHECKING:
    from collections.abc import Callable

    from verify.artifacts import CheckFunction, Context
    from verify.model import Exercise

    AttemptOn = Callable[..., Context]

FILE = ".pipeline/ISSUE-7/worker-result.json"
PLAN_FILE = ".pipeline/ISSUE-7/plan.json"
RESULT, PLAN = ArtifactRef("worker-result.json"), ArtifactRef("plan.json")
COMPLETED = implementation.is_completed(RESULT)
BLOCKERS = implementation.has_array_of_blockers(RESULT)


@pytest.mark.parametrize("check", [COMPLETED, BLOCKERS])
def test_completed_work_has_no_blockers(
    context_on: AttemptOn, worker_result: dict[str, Any], check: CheckFunction
) -> None:
    without = context_on({FILE: worker_result | {"summary": ""}})
    blocked = context_on({FILE: worker_result | {"blockers": ["no database"]}})
    message, place = "a completed result still lists blockers", (FILE, "$.blockers", 7, 15)
    expected = "[] or a status other than completed"
    action = 'Write [] if nothing blocks the work, else a status such as "blocked".'

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
        ({"sandbox/src/a.js": " \n"}, "this file is empty", "Write what its step in the plan"),
        ({"sandbox/src/a.js": "code"}, "", ""),
    ],
    ids=["not there", "empty", "there"],
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
    findings = implementation.has_its_files(RESULT)(context).findings

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

    assert implementation.agrees_with_plan(RESULT, PLAN)(context_on(files)) is PASSED
    worker_result["files_changed"] = ["caf\u00e9.js"]
    assert implementation.has_its_files(RESULT)(context_on(files)) is PASSED
