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
    **dict.fromkeys(("expected", "found", "file", "path", "next_step"), ""),
    **dict.fromkeys(("line", "column")),
}


def check(number: int, title: str, outcome: str, **further: Any) -> dict[str, Any]:
    """Return the record of a check that is worth as many points as its number."""
    return {
        "code": f"F01.{number}",
        "title": title,
        "outcome": outcome,
        "advisory": False,
        "points": number,
        "score": 0,
        "waits_for": None,
        "findings": [],
        "more": 0,
        "hint": f"Mend number {number}.",
        "lesson": f"docs/foundation/tutorials/01-toy.md#f01-{number}",
        **further,
    }


def finding(message: str, **further: Any) -> dict[str, Any]:
    return NOTHING | {"message": message, **further}


CHECKS = [
    check(1, "plan.json is where the pipeline looks for it", "pass", score=1),
    check(
        2,
        "affected_files and steps name the same files, each of them only once",
        "fail",
        findings=[
            finding(
                "this file stands in no step",
                expected="a step",
                found='"a.js"',
                file=FILE,
                path="$.steps[0]",
                line=4,
                column=5,
            ),
            finding("plan.json is a folder", file=FILE, next_step="Put a file there."),
        ],
        more=3,
    ),
    check(3, "every criterion is mapped", "skip", waits_for="F01.2"),
    check(
        4,
        "the branch names its issue",
        "fail",
        advisory=True,
        points=0,
        findings=[finding("the branch does not name its issue", expected="7", found='"feature/x"')],
    ),
    check(
        5,
        "the plan was made by x-subplanner",
        "error",
        findings=[finding("F01.5 crashed", next_step="Report it.")],
    ),
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


LATER = {"added_later": 1}
EXERCISE: dict[str, Any] = RECORD["exercises"][0]


def with_check(record: dict[str, Any]) -> dict[str, Any]:
    """Return the report with this check instead of its own."""
    return RECORD | {"exercises": [EXERCISE | {"checks": [record]}]}


@pytest.mark.spec("9.2")
def test_the_schema_accepts_fields_that_a_later_version_may_add(
    schema: Draft202012Validator,
) -> None:
    later = [
        RECORD | LATER,
        RECORD | {"exercises": [EXERCISE | LATER]},
        with_check(CHECKS[0] | LATER),
        with_check(CHECKS[0] | {"findings": [finding("wrong") | LATER]}),
    ]

    assert [list(schema.iter_errors(each)) for each in later] == [[], [], [], []]


@pytest.mark.parametrize(
    "other",
    [
        RECORD | {"version": 2},
        RECORD | {"passed": 1},
        {name: value for name, value in RECORD.items() if name != "strict"},
        RECORD | {"exercises": [LATER]},
        with_check(LATER),
        with_check(CHECKS[0] | {"findings": [NOTHING | LATER]}),
    ],
    ids=["version", "type", "report", "exercise", "check", "finding"],
)
def test_the_schema_refuses_what_is_no_report_or_lacks_a_field(
    schema: Draft202012Validator, other: dict[str, Any]
) -> None:
    assert not schema.is_valid(other)


def test_a_level_passes_when_all_its_exercises_do(mixed_run: Run, passing_run: Run) -> None:
    both = passing_run._replace(reports=(*passing_run.reports, *mixed_run.reports))

    assert (record(passing_run)["passed"], record(both)["passed"]) == (True, False)
    assert [each["passed"] for each in record(both)["exercises"]] == [True, False]
