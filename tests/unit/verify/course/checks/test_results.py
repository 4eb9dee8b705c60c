"""A result says that the work is completed, as planned, in files that are there, and published."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pipeline.terminal.display import named
from verify.course.checks import results
from verify.course.checks.results import names_the_issue
from verify.grading.artifacts import ArtifactRef
from verify.grading.model import PASSED, Finding, failed

if TYPE_CHECKING:
    from collections.abc import Callable

    from verify.grading.artifacts import Context
    from verify.grading.model import Exercise

    AttemptOn = Callable[..., Context]


FILE = ".pipeline/ISSUE-7/worker-result.json"
PLAN_FILE = ".pipeline/ISSUE-7/plan.json"
RESULT, PLAN = ArtifactRef("worker-result.json"), ArtifactRef("plan.json")


@pytest.mark.parametrize("blank", ["src/a.js ", " src/a.js", "src/a.js\u00a0", "src/a.js\t"])
def test_m12_a_blank_at_the_end_of_a_path_is_seen(
    context_on: AttemptOn, worker_result: dict[str, Any], blank: str
) -> None:
    worker_result["files_changed"] = [blank]
    context = context_on({FILE: worker_result, "src/a.js": "code"})
    (finding,) = results.has_its_files(RESULT)(context).findings

    assert finding.found == '"src/a.js"'
    assert finding.expected == f"a file at {named(blank)}"
    assert finding.action == 'Write "src/a.js".'


@pytest.mark.spec("2.3.4")
@pytest.mark.parametrize(
    ("files", "message", "action"),
    [
        ({}, "this file is not in the target project", "Correct the path, merge the branch that"),
        ({"src/a.js": "code"}, "this file is not in the target project", "Correct the path, "),
        ({"sandbox/src/a.js": " \n"}, "this file is empty", "Write the content that the plan"),
        ({"sandbox/src/a.js": "\0"}, "this file is empty", "Write the content that the plan"),
        ({"sandbox/src/a.js": "\u200b\u00a0\n"}, "this file is empty", "Write the content that"),
        ({"sandbox/src/a.js": "code"}, "", ""),
    ],
    ids=["not there", "in the root", "empty", "of NUL", "of blanks", "there"],
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


def test_t9_the_advice_on_a_folder_too_many_fits_the_files(
    context_on: AttemptOn, plan: dict[str, Any], worker_result: dict[str, Any]
) -> None:
    files = worker_result["files_changed"] = [f"sandbox/{f}" for f in plan["affected_files"]]
    there = {FILE: worker_result, PLAN_FILE: plan, **dict.fromkeys(files, "code")}
    findings = results.agrees_with_plan(RESULT, PLAN)(context_on(there)).findings

    assert {finding.action for finding in findings} == {
        f'Have plan.json name "{file}": that is the name of the file.' for file in files
    }


GIT_FILE = ".pipeline/ISSUE-7/git-result.json"
GIT = ArtifactRef("git-result.json")
MESSAGE = "the branch does not name its issue"


@pytest.mark.spec("2.4.3")
@pytest.mark.parametrize(
    "branch", ["feature/issue-77-health", "feature/issue-17", "feature/add_health", "feature/i/78"]
)
def test_a_branch_names_the_issue_by_the_whole_number(
    context_on: AttemptOn, git_result: dict[str, Any], branch: str
) -> None:
    # what is written may be mistyped: no name made of it is right
    action = "If git has this branch, add issue-7 to its name. Then write the name in git."
    check = names_the_issue(GIT)

    assert check(context_on({GIT_FILE: git_result | {"branch": "feature/i7"}})) is PASSED
    assert check(context_on({GIT_FILE: git_result | {"branch": branch}})) == failed(
        Finding(
            MESSAGE, "a slug that contains 7", f'"{branch}"', GIT_FILE, "$.branch", 2, 13, action
        )
    )


@pytest.mark.parametrize(
    ("listed", "planned", "there", "actions"),
    [
        # the file shows which of the two is mistyped
        ("src/App.js", "src/app.js", ["src/app.js"], ['Write "src/app.js".'] * 2),
        ("src/\u200bapp.js", "src/app.js", ["src/app.js"], ['Write "src/app.js".'] * 2),
        ("src/app.js ", "src/app.js", ["src/app.js"], ['Write "src/app.js".'] * 2),
        ("src/app.js", "src/App.js", ["src/app.js"], ["Have plan.json name "]),
        ("src/app.js", "src/App.js", [], ["Find out which path is", "Correct the path, merge"]),
    ],
)
def test_m5_a_mistyped_path_is_compared_with_the_files_first(
    context_of_a_run: Callable[[str, str, list[str]], Context],
    listed: str,
    planned: str,
    there: list[str],
    actions: list[str],
) -> None:
    context = context_of_a_run(listed, planned, there)
    checks = results.agrees_with_plan(RESULT, PLAN), results.has_its_files(RESULT)
    found = [finding.action for check in checks for finding in check(context).findings]

    assert len(found) == len(actions)
    assert all(action.startswith(words) for action, words in zip(found, actions, strict=True))


@pytest.fixture
def context_of_a_run(
    context_on: AttemptOn,
    toy_exercise: Callable[..., Exercise],
    plan: dict[str, Any],
    worker_result: dict[str, Any],
) -> Callable[[str, str, list[str]], Context]:
    """Return a function that makes a run with one changed file, one planned, and some files."""

    def build(listed: str, planned: str, there: list[str]) -> Context:
        plan["affected_files"] = [planned]
        plan["steps"] = [{"order": 1, "file": planned, "description": "Do it"}]
        plan["acceptance_mapping"] = {"AC1_x": planned}
        worker_result["files_changed"] = [listed]
        files: dict[str, Any] = {f"sandbox/{FILE}": worker_result, f"sandbox/{PLAN_FILE}": plan}
        files |= {f"sandbox/{name}": "code" for name in there}
        return context_on(files, exercise=toy_exercise(target="sandbox"))

    return build


def test_m3_a_missing_pull_request_is_opened_and_its_url_is_not_invented(
    context_on: AttemptOn, git_result: dict[str, Any]
) -> None:
    git_result.pop("pr_url", None)
    [finding] = results.has_pull_request(GIT)(context_on({GIT_FILE: git_result})).findings

    assert finding.action == "Open a pull request, and copy its URL from the browser to pr_url."


@pytest.mark.parametrize("place", ["", "sandbox/"])
def test_m6_an_artifact_among_the_changed_files_is_removed(
    context_on: AttemptOn, worker_result: dict[str, Any], place: str
) -> None:
    worker_result["files_changed"] = ["src/a.js", f"{place}{PLAN_FILE}"]
    [problem] = context_on({FILE: worker_result}).artifact(RESULT).problems

    assert problem.path == ("files_changed", 1)
    assert problem.action == f'Remove every entry for "{place}{PLAN_FILE}".'
