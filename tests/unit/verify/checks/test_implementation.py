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
STILL_BLOCKED = Finding(
    "a completed result still lists blockers",
    "[] or a status other than completed",
    "an array of 1 element",
    FILE,
    "$.blockers",
    7,
    15,
)


@pytest.mark.parametrize(
    "check", [implementation.is_completed(RESULT), implementation.has_array_of_blockers(RESULT)]
)
def test_completed_work_without_blockers_passes(
    attempt_on: AttemptOn, worker_result: dict[str, Any], check: CheckFunction
) -> None:
    assert check(attempt_on({FILE: worker_result})) is PASSED


@pytest.mark.spec("2.3.2", "3.5", "3.7")
def test_work_that_is_not_completed_is_shown_its_status(
    attempt_on: AttemptOn, worker_result: dict[str, Any]
) -> None:
    worker_result |= {"status": "Completed", "blockers": ["no database"]}

    assert implementation.is_completed(RESULT)(attempt_on({FILE: worker_result})) == failed(
        Finding("the work is not completed", '"completed"', '"Completed"', FILE, "$.status", 2, 13)
    )


@pytest.mark.parametrize(
    "check", [implementation.is_completed(RESULT), implementation.has_array_of_blockers(RESULT)]
)
def test_completed_work_with_blockers_contradicts_itself(
    attempt_on: AttemptOn, worker_result: dict[str, Any], check: CheckFunction
) -> None:
    worker_result["blockers"] = ["no database"]

    assert check(attempt_on({FILE: worker_result})) == failed(STILL_BLOCKED)


@pytest.mark.spec("2.3.5", "7.4")
@pytest.mark.parametrize(
    ("blockers", "found"), [("none", '"none"'), (None, "null"), ({}, "an object of 0 fields")]
)
def test_blockers_that_are_no_array_are_shown(
    attempt_on: AttemptOn, worker_result: dict[str, Any], blockers: Any, found: str
) -> None:
    worker_result["blockers"] = blockers
    check = implementation.has_array_of_blockers(RESULT)

    assert check(attempt_on({FILE: worker_result})) == failed(
        Finding("wrong type", "an array", found, FILE, "$.blockers", 7, 15)
    )


def test_missing_blockers_are_named(attempt_on: AttemptOn, worker_result: dict[str, Any]) -> None:
    del worker_result["blockers"]
    check = implementation.has_array_of_blockers(RESULT)

    assert check(attempt_on({FILE: worker_result})) == failed(
        Finding("this field is missing", "", "", FILE, "$.blockers", 1, 1)
    )


def test_problems_of_other_fields_are_none_of_the_blockers(
    attempt_on: AttemptOn, worker_result: dict[str, Any]
) -> None:
    worker_result["summary"] = ""
    check = implementation.has_array_of_blockers(RESULT)

    assert check(attempt_on({FILE: worker_result})) is PASSED


def test_the_planned_files_in_another_order_agree_with_the_plan(
    attempt_on: AttemptOn, worker_result: dict[str, Any], plan: dict[str, Any]
) -> None:
    worker_result["files_changed"].reverse()
    attempt = attempt_on({FILE: worker_result, PLAN_FILE: plan})

    assert implementation.agrees_with_plan(RESULT, PLAN)(attempt) is PASSED


@pytest.mark.spec("2.3.4")
def test_files_that_only_one_side_names_are_shown(
    attempt_on: AttemptOn, worker_result: dict[str, Any], plan: dict[str, Any]
) -> None:
    worker_result["files_changed"] = ["src/health/routes.js", "src/extra.js"]
    attempt = attempt_on({FILE: worker_result, PLAN_FILE: plan})

    assert implementation.agrees_with_plan(RESULT, PLAN)(attempt) == failed(
        Finding(
            "a planned file is not among the changed ones",
            '"test/health/routes.test.js"',
            '"src/health/routes.js", "src/extra.js"',
            FILE,
            "$.files_changed",
            3,
            20,
        ),
        Finding(
            "this file was changed but not planned",
            'one of "src/health/routes.js", "test/health/routes.test.js"',
            '"src/extra.js"',
            FILE,
            "$.files_changed[1]",
            5,
            5,
        ),
    )


def test_no_changed_file_at_all_is_said_so(
    attempt_on: AttemptOn, worker_result: dict[str, Any], plan: dict[str, Any]
) -> None:
    worker_result["files_changed"] = []
    verdict = implementation.agrees_with_plan(RESULT, PLAN)(
        attempt_on({FILE: worker_result, PLAN_FILE: plan})
    )

    assert [(finding.expected, finding.found) for finding in verdict.findings] == [
        ('"src/health/routes.js"', "none"),
        ('"test/health/routes.test.js"', "none"),
    ]


def test_changed_files_that_stand_in_the_target_project_pass(
    attempt_on: AttemptOn, toy_exercise: Callable[..., Exercise], worker_result: dict[str, Any]
) -> None:
    files: dict[str, Any] = {
        f"sandbox/{file}": "code" for file in worker_result["files_changed"]
    } | {f"sandbox/{FILE}": worker_result}
    attempt = attempt_on(files, exercise=toy_exercise(target="sandbox"))

    assert implementation.has_its_files(RESULT)(attempt) is PASSED


def test_a_changed_file_that_is_named_from_the_root_is_told_how_to_write_it(
    attempt_on: AttemptOn, toy_exercise: Callable[..., Exercise], worker_result: dict[str, Any]
) -> None:
    worker_result["files_changed"] = ["sandbox/src/health/routes.js", "sandbox/src/no.js"]
    files = {f"sandbox/{FILE}": worker_result, "sandbox/src/health/routes.js": "code"}
    attempt = attempt_on(files, exercise=toy_exercise(target="sandbox"))

    assert [f.next_step for f in implementation.has_its_files(RESULT)(attempt).findings] == [
        "Write src/health/routes.js: paths begin inside sandbox, the target project.",
        "",
    ]


@pytest.mark.spec("2.3.4")
def test_changed_files_that_are_not_in_the_target_project_are_shown(
    attempt_on: AttemptOn, toy_exercise: Callable[..., Exercise], worker_result: dict[str, Any]
) -> None:
    files = {f"sandbox/{FILE}": worker_result, "sandbox/src/health/routes.js": "code"}
    attempt = attempt_on(files, exercise=toy_exercise(target="sandbox"))

    assert implementation.has_its_files(RESULT)(attempt) == failed(
        Finding(
            "this file is not in the target project",
            "a file at sandbox/test/health/routes.test.js",
            "none (a link does not count)",
            f"sandbox/{FILE}",
            "$.files_changed[1]",
            5,
            5,
        )
    )


def test_files_in_another_form_of_unicode_are_the_planned_ones(
    attempt_on: AttemptOn, plan: dict[str, Any], worker_result: dict[str, Any]
) -> None:
    plan["affected_files"] = ["caf\u00e9.js"]
    plan["steps"] = [{"order": 1, "file": "caf\u00e9.js", "description": "Do it"}]
    plan["acceptance_mapping"] = {"AC1_x": "caf\u00e9.js"}
    worker_result["files_changed"] = ["cafe\u0301.js"]
    files = {FILE: worker_result, PLAN_FILE: plan, "sandbox/cafe\u0301.js": "", "cafe\u0301.js": ""}

    assert implementation.agrees_with_plan(RESULT, PLAN)(attempt_on(files)) is PASSED
    worker_result["files_changed"] = ["caf\u00e9.js"]
    assert implementation.has_its_files(RESULT)(attempt_on(files)) is PASSED
