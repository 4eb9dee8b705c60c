"""A worker's result is done, agrees with its plan, and its files are there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from verify.attempt import Source
from verify.checks import implementation
from verify.verdicts import PASSED, Finding, failed

if TYPE_CHECKING:
    from collections.abc import Callable

    from verify.attempt import Attempt, CheckFunction
    from verify.model import Exercise

    AttemptOn = Callable[..., Attempt[Exercise]]

FILE = ".pipeline/ISSUE-7/worker-result.json"
PLAN_FILE = ".pipeline/ISSUE-7/plan.json"
RESULT, PLAN = Source("worker-result.json"), Source("plan.json")
COMPLETED = implementation.is_completed(RESULT)
BLOCKERS = implementation.has_array_of_blockers(RESULT)


@pytest.mark.parametrize("check", [COMPLETED, BLOCKERS])
def test_completed_work_has_no_blockers(
    attempt_on: AttemptOn, worker_result: dict[str, Any], check: CheckFunction
) -> None:
    without = attempt_on({FILE: worker_result | {"summary": ""}})
    blocked = attempt_on({FILE: worker_result | {"blockers": ["no database"]}})
    message, place = "a completed result still lists blockers", (FILE, "$.blockers", 7, 15)
    expected = "[] or a status other than completed"

    assert check(without) is PASSED
    assert check(blocked) == failed(Finding(message, expected, "an array of 1 element", *place))


@pytest.mark.spec("2.3.2", "3.5", "3.7")
def test_work_that_is_not_completed_is_shown_its_status(
    attempt_on: AttemptOn, worker_result: dict[str, Any]
) -> None:
    worker_result |= {"status": "Completed", "blockers": ["no database"]}

    assert COMPLETED(attempt_on({FILE: worker_result})) == failed(
        Finding("the work is not completed", '"completed"', '"Completed"', FILE, "$.status", 2, 13)
    )


@pytest.mark.spec("2.3.5", "7.4")
@pytest.mark.parametrize(
    ("blockers", "found"), [("none", '"none"'), (None, "null"), ({}, "an object of 0 fields")]
)
def test_blockers_that_are_no_array_are_shown(
    attempt_on: AttemptOn, worker_result: dict[str, Any], blockers: Any, found: str
) -> None:
    worker_result["blockers"] = blockers
    wrong = BLOCKERS(attempt_on({FILE: worker_result}))
    del worker_result["blockers"]
    missing = BLOCKERS(attempt_on({FILE: worker_result}))

    assert wrong == failed(Finding("wrong type", "an array", found, FILE, "$.blockers", 7, 15))
    assert missing == failed(Finding("this field is missing", "", "", FILE, "$.blockers", 1, 1))


@pytest.mark.spec("2.3.4")
def test_changed_files_that_are_not_in_the_target_project_are_shown(
    attempt_on: AttemptOn, toy_exercise: Callable[..., Exercise], worker_result: dict[str, Any]
) -> None:
    exercise, check = toy_exercise(target="sandbox"), implementation.has_its_files(RESULT)
    files = {f"sandbox/{FILE}": worker_result, "sandbox/src/health/routes.js": "code"}
    lacking = attempt_on(files, exercise=exercise)
    all_there = attempt_on(files | {"sandbox/test/health/routes.test.js": "x"}, exercise=exercise)

    assert check(all_there) is PASSED
    assert check(lacking) == failed(
        Finding(
            "this file is not in the target project",
            "a file at sandbox/test/health/routes.test.js",
            "none (a link does not count)",
            *(f"sandbox/{FILE}", "$.files_changed[1]", 5, 5),
        )
    )


def test_a_changed_file_that_is_named_from_the_root_is_told_how_to_write_it(
    attempt_on: AttemptOn, toy_exercise: Callable[..., Exercise], worker_result: dict[str, Any]
) -> None:
    worker_result["files_changed"] = ["sandbox/src/health/routes.js", "sandbox/src/no.js"]
    files = {f"sandbox/{FILE}": worker_result, "sandbox/src/health/routes.js": "code"}
    attempt = attempt_on(files, exercise=toy_exercise(target="sandbox"))

    assert [f.action for f in implementation.has_its_files(RESULT)(attempt).findings] == [
        "Write src/health/routes.js: paths begin inside sandbox, the target project.",
        "",
    ]


@pytest.mark.parametrize("name", ["src/health/routes.js", "src/__init__.py"])
def test_l9_a_changed_file_without_content_fails_unless_its_kind_is_empty(
    attempt_on: AttemptOn, worker_result: dict[str, Any], name: str
) -> None:
    worker_result["files_changed"] = [name]
    verdict = implementation.has_its_files(RESULT)(attempt_on({FILE: worker_result, name: b" \n"}))

    assert (
        verdict == PASSED
        if name.endswith(".py")
        else verdict
        == failed(
            Finding(
                *(
                    "this file is empty",
                    "its content",
                    f'"{name}"',
                    FILE,
                    "$.files_changed[0]",
                    4,
                    5,
                ),
                action="Write what its step in the plan asks for.",
            )
        )
    )


def test_files_in_another_form_of_unicode_are_the_planned_ones(
    attempt_on: AttemptOn, plan: dict[str, Any], worker_result: dict[str, Any]
) -> None:
    plan["affected_files"] = ["caf\u00e9.js"]
    plan["steps"] = [{"order": 1, "file": "caf\u00e9.js", "description": "Do it"}]
    plan["acceptance_mapping"] = {"AC1_x": "caf\u00e9.js"}
    worker_result["files_changed"] = ["cafe\u0301.js"]
    files = {FILE: worker_result, PLAN_FILE: plan, "cafe\u0301.js": "code"}

    assert implementation.agrees_with_plan(RESULT, PLAN)(attempt_on(files)) is PASSED
    worker_result["files_changed"] = ["caf\u00e9.js"]
    assert implementation.has_its_files(RESULT)(attempt_on(files)) is PASSED
