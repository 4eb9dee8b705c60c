"""The JSON report is one ASCII document that its own schema accepts, whatever it tells of."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.stubs.schemas import published
from verify.reporters.json_report import record, render

if TYPE_CHECKING:
    from collections.abc import Callable

    from jsonschema import Draft202012Validator

    from verify.grading.model import Exercise
    from verify.reporters.base import GradedRun, View

RECORD: dict[str, Any] = json.loads((Path(__file__).parent / "golden" / "report.json").read_bytes())
(EXERCISE,) = RECORD["exercises"]
CHECK = EXERCISE["checks"][1]
LATER = {"added_later": 1}


@pytest.fixture(scope="module")
def schema() -> Draft202012Validator:
    return published("report")


def test_the_report_is_ascii_and_no_command_to_the_runner_that_prints_it(
    mixed_run: GradedRun, view: View
) -> None:
    level = "##[add-path]x \\##[y] \u00e9\u202e\U0001f600"
    text = render(mixed_run._replace(level=level), view).text

    assert "##[" not in text
    assert text.isascii()
    assert json.loads(text)["level"] == level


def test_the_schema_describes_what_is_reported(
    mixed_run: GradedRun,
    strict_run: GradedRun,
    passing_run: GradedRun,
    toy_exercise: Callable[..., Exercise],
) -> None:
    schema = published("report", closed=True)
    bare = mixed_run.reports[0]._replace(exercise=toy_exercise(issue=None, target=None))
    runs = (mixed_run, strict_run, passing_run._replace(reports=(bare,)))
    reports = [record(run) for run in runs]

    assert [report["strict"] for report in reports] == [False, True, False]
    assert [list(schema.iter_errors(each)) for each in (*reports, RECORD)] == [[], [], [], []]


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
        with_check(CHECK | LATER),
        with_check(CHECK | {"findings": [CHECK["findings"][0] | LATER]}),
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
        with_check(CHECK | {"findings": [LATER]}),
    ],
    ids=["version", "type", "report", "exercise", "check", "finding"],
)
def test_the_schema_refuses_what_is_no_report_or_lacks_a_field(
    schema: Draft202012Validator, other: dict[str, Any]
) -> None:
    assert not schema.is_valid(other)


def test_a_level_passes_when_all_its_exercises_do(
    mixed_run: GradedRun, passing_run: GradedRun
) -> None:
    both = passing_run._replace(reports=(*passing_run.reports, *mixed_run.reports))

    assert (record(passing_run)["passed"], record(both)["passed"]) == (True, False)
    assert [each["passed"] for each in record(both)["exercises"]] == [True, False]
