"""The JSON report is one ASCII document that its own schema accepts, whatever it tells of."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from jsonschema import Draft202012Validator
from pydantic import TypeAdapter

from verify.reporters.json_report import ReportRecord, record, render

if TYPE_CHECKING:
    from collections.abc import Callable

    from verify.model import Exercise
    from verify.reporters.base import Run, View

FILE = "sandbox/.pipeline/ISSUE-7/plan.json"
NOTHING: dict[str, Any] = {
    "expected": "",
    "found": "",
    "file": "",
    "path": "",
    "line": None,
    "column": None,
    "next_step": "",
}
REQUIRED: dict[str, Any] = {"advisory": False, "waits_for": None, "findings": [], "more": 0}

CHECKS: list[dict[str, Any]] = [
    REQUIRED
    | {
        "code": "F01.1",
        "title": "plan.json is where the pipeline looks for it",
        "outcome": "pass",
        "points": 1,
        "score": 1,
        "hint": "Mend number 1.",
        "lesson": "docs/foundation/tutorials/01-toy.md#f01-1",
    },
    REQUIRED
    | {
        "code": "F01.2",
        "title": "affected_files and steps name the same files, each of them only once",
        "outcome": "fail",
        "points": 2,
        "score": 0,
        "hint": "Mend number 2.",
        "lesson": "docs/foundation/tutorials/01-toy.md#f01-2",
        "findings": [
            NOTHING
            | {
                "message": "this file stands in no step",
                "expected": "a step",
                "found": '"a.js"',
                "file": FILE,
                "path": "$.steps[0]",
                "line": 4,
                "column": 5,
            },
            NOTHING
            | {"message": "plan.json is a folder", "file": FILE, "next_step": "Put a file there."},
        ],
        "more": 3,
    },
    REQUIRED
    | {
        "code": "F01.3",
        "title": "every criterion is mapped",
        "outcome": "skip",
        "points": 3,
        "score": 0,
        "hint": "Mend number 3.",
        "lesson": "docs/foundation/tutorials/01-toy.md#f01-3",
        "waits_for": "F01.2",
    },
    REQUIRED
    | {
        "code": "F01.4",
        "title": "the branch names its issue",
        "outcome": "fail",
        "advisory": True,
        "points": 0,
        "score": 0,
        "hint": "Mend number 4.",
        "lesson": "docs/foundation/tutorials/01-toy.md#f01-4",
        "findings": [
            NOTHING
            | {
                "message": "the branch does not name its issue",
                "expected": "7",
                "found": '"feature/x"',
            }
        ],
    },
    REQUIRED
    | {
        "code": "F01.5",
        "title": "the plan was made by x-subplanner",
        "outcome": "error",
        "points": 5,
        "score": 0,
        "hint": "Mend number 5.",
        "lesson": "docs/foundation/tutorials/01-toy.md#f01-5",
        "findings": [NOTHING | {"message": "F01.5 crashed", "next_step": "Report it."}],
    },
]
RECORD: dict[str, Any] = {
    "schema": "urn:issue-pipeline:report:1",
    "version": 1,
    "level": "foundation",
    "submission": "work",
    "strict": False,
    "passed": False,
    "exercises": [
        {
            "exercise": "foundation/01",
            "title": "Plan a toy",
            "issue": "ISSUE-7",
            "target": "sandbox",
            "passed": False,
            "score": 1,
            "points": 11,
            "checks": CHECKS,
        }
    ],
}


@pytest.fixture(scope="module")
def schema() -> Draft202012Validator:
    return Draft202012Validator(TypeAdapter(ReportRecord).json_schema())


@pytest.mark.spec("9.1")
def test_the_whole_report_of_a_run_with_every_outcome(mixed_run: Run, view: View) -> None:
    assert json.loads(render(mixed_run, view).text) == RECORD


def test_the_report_is_ascii_and_no_command_to_the_runner_that_prints_it(
    mixed_run: Run, view: View
) -> None:
    level = "##[add-path]x \\##[y] \u00e9\u202e\U0001f600"
    text = render(mixed_run._replace(level=level), view).text

    assert "##[" not in text
    assert text.isascii()
    assert json.loads(text)["level"] == level


def test_the_schema_accepts_what_is_reported(
    mixed_run: Run, strict_run: Run, passing_run: Run, schema: Draft202012Validator
) -> None:
    reports = [record(run) for run in (mixed_run, strict_run, passing_run)]

    assert [report["strict"] for report in reports] == [False, True, False]
    assert [list(schema.iter_errors(report)) for report in reports] == [[], [], []]


def test_the_schema_accepts_an_exercise_without_issue_and_target(
    mixed_run: Run, toy_exercise: Callable[..., Exercise], schema: Draft202012Validator
) -> None:
    bare = mixed_run.reports[0]._replace(exercise=toy_exercise(issue=None, target=None))
    reported = record(mixed_run._replace(reports=(bare,)))

    assert (reported["exercises"][0]["issue"], reported["exercises"][0]["target"]) == (None, None)
    assert list(schema.iter_errors(reported)) == []


@pytest.mark.parametrize(
    "change",
    [
        {"version": 2},
        {"passed": 1},
        {"exercises": None},
    ],
)
def test_the_schema_refuses_what_is_no_report(
    schema: Draft202012Validator, change: dict[str, Any]
) -> None:
    assert not schema.is_valid(RECORD | change)


LATER = {"added_later": 1}
EXERCISE: dict[str, Any] = RECORD["exercises"][0]


def with_checks(*checks: dict[str, Any]) -> dict[str, Any]:
    """Return the report with these checks instead of its own."""
    return RECORD | {"exercises": [EXERCISE | {"checks": list(checks)}]}


@pytest.mark.spec("9.2")
@pytest.mark.parametrize(
    "later",
    [
        RECORD | LATER,
        RECORD | {"exercises": [EXERCISE | LATER]},
        with_checks(CHECKS[0] | LATER),
        with_checks(CHECKS[0] | {"findings": [NOTHING | {"message": "wrong"} | LATER]}),
    ],
    ids=["report", "exercise", "check", "finding"],
)
def test_the_schema_accepts_fields_that_a_later_version_may_add(
    schema: Draft202012Validator, later: dict[str, Any]
) -> None:
    assert list(schema.iter_errors(later)) == []


@pytest.mark.parametrize(
    "lacking",
    [
        {name: value for name, value in RECORD.items() if name != "strict"},
        RECORD | {"exercises": [LATER]},
        with_checks(LATER),
        with_checks(CHECKS[0] | {"findings": [NOTHING | LATER]}),
    ],
    ids=["report", "exercise", "check", "finding"],
)
def test_the_schema_refuses_records_that_lack_a_field(
    schema: Draft202012Validator, lacking: dict[str, Any]
) -> None:
    assert not schema.is_valid(lacking)


def test_a_level_passes_when_all_its_exercises_do(mixed_run: Run, passing_run: Run) -> None:
    both = passing_run._replace(reports=(*passing_run.reports, *mixed_run.reports))

    assert (record(passing_run)["passed"], record(both)["passed"]) == (True, False)
    assert [each["passed"] for each in record(both)["exercises"]] == [True, False]
