"""The JSON exports are documents of their own schemas, whatever they tell of."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import orjson
import pytest
from jsonschema import Draft202012Validator
from pydantic import TypeAdapter

from verify.exports import json_file, json_lines
from verify.exports.json_records import CohortRecord, StandingRecord

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from verify.exports.base import Settings
    from verify.gradebook.reading import Cohort
    from verify.gradebook.values import Override, Standing

FINDING = {
    "message": "this file stands in no step",
    "expected": "a step",
    "found": '"a.js"',
    "file": "sandbox/.pipeline/ISSUE-7/plan.json",
    "path": "$.steps[0]",
    "line": 4,
    "column": 5,
    "next_step": "Add a step.",
}
STANDING: dict[str, Any] = {
    "schema": "urn:issue-pipeline:standing:1",
    "learner": "dan",
    "name": "",
    "email": "dan@example.org",
    "ids": {"ID": "", "SIS Login ID": "dan", "Section": "A"},
    "listed": True,
    "attempt": "2",
    "total": None,
    "points": 14,
    "marks": [
        {
            "exercise": "expert/04",
            "outcome": "fail",
            "provenance": None,
            "score": 7.5,
            "graded": 0,
            "points": 10,
            "override": {
                "score": 7.5,
                "by": "Dr. Grace",
                "made": "2026-11-01T10:00:00Z",
                "reason": "late, but argued, well",
            },
            "artifacts": [{"path": "plan.json", "digest": "ab12"}, {"path": "x", "digest": None}],
            "checks": [
                {
                    "code": "E04.2",
                    "outcome": "fail",
                    "advisory": False,
                    "score": 0,
                    "points": 3,
                    "waits_for": None,
                    "findings": [FINDING],
                },
                {
                    "code": "E04.4",
                    "outcome": "skip",
                    "advisory": False,
                    "score": 0,
                    "points": 5,
                    "waits_for": "E04.2",
                    "findings": [],
                },
            ],
        },
        {
            "exercise": "expert/01",
            "outcome": "error",
            "provenance": None,
            "score": None,
            "graded": None,
            "points": 4,
            "override": None,
            "artifacts": [],
            "checks": [],
        },
    ],
}


@pytest.fixture
def dan(standing_of: Callable[..., Standing], override: Override) -> Standing:
    """Return the standing that STANDING tells of."""
    row = standing_of("dan", "pfps", "e", attempt="2", override=override)
    trace, classify = row.marks
    checks = (trace.checks[1], trace.checks[3])
    files = (("plan.json", "ab12"), ("x", ""))
    trace = trace._replace(graded=0, checks=checks, artifacts=files)
    return row._replace(marks=(trace, classify._replace(checks=())))


def validator(record: Any) -> Draft202012Validator:
    return Draft202012Validator(TypeAdapter(record).json_schema(mode="serialization"))


def document(cohort: Cohort, folder: Path, settings: Settings) -> Any:
    path = folder / "cohort.json"
    assert json_file.write(cohort, str(path), settings) == [str(path)]
    data = path.read_bytes()
    assert data.isascii()
    return orjson.loads(data)


def lines(cohort: Cohort, folder: Path, settings: Settings) -> list[Any]:
    path = folder / "cohort.jsonl"
    assert json_lines.write(cohort, str(path), settings) == [str(path)]
    return [orjson.loads(line) for line in path.read_bytes().split(b"\n")[:-1]]


def test_the_whole_document(
    cohort_of: Callable[..., Cohort], dan: Standing, tmp_path: Path, settings: Settings
) -> None:
    found = document(cohort_of(dan), tmp_path, settings)

    assert found["exercises"][1] == {
        "exercise": "expert/01",
        "title": "Classify",
        "points": 4,
        "checks": [
            {
                "code": "E01.1",
                "title": "three records",
                "points": 4,
                "advisory": False,
                "lesson": "docs/expert/tutorials/page.md#e01-1",
            }
        ],
    }
    assert found | {"exercises": []} == {
        "schema": "urn:issue-pipeline:cohort:1",
        "version": 1,
        "has_roster": True,
        "exercises": [],
        "standings": [STANDING],
        "counts": {"passed": 0, "failed": 1, "missing": 0, "errors": 1, "overridden": 1},
    }


def test_lines_are_the_standings_of_the_document(
    cohort: Cohort, hostile: Cohort, tmp_path: Path, settings: Settings
) -> None:
    for each in (cohort, hostile):
        assert lines(each, tmp_path, settings) == document(each, tmp_path, settings)["standings"]


def test_the_marks_of_everybody_are_counted(
    cohort: Cohort, tmp_path: Path, settings: Settings
) -> None:
    assert document(cohort, tmp_path, settings)["counts"] == {
        "passed": 7,
        "failed": 6,
        "missing": 4,
        "errors": 3,
        "overridden": 2,
    }


def test_the_schemas_accept_what_is_written(
    cohort: Cohort,
    hostile: Cohort,
    cohort_of: Callable[..., Cohort],
    tmp_path: Path,
    settings: Settings,
) -> None:
    for each in (cohort, hostile, cohort_of(), cohort._replace(has_roster=False)):  # type: ignore[attr-defined]  # a fake is a tuple
        assert list(validator(CohortRecord).iter_errors(document(each, tmp_path, settings))) == []
        for line in lines(each, tmp_path, settings):
            assert list(validator(StandingRecord).iter_errors(line)) == []


@pytest.mark.parametrize(
    "change", [{"total": "14"}, {"listed": 1}, {"marks": None}, {"schema": "x"}]
)
def test_the_schema_refuses_what_is_no_standing(change: dict[str, Any]) -> None:
    assert validator(StandingRecord).is_valid(STANDING)
    assert not validator(StandingRecord).is_valid(STANDING | change)


def test_a_hostile_key_is_told_exactly_or_visibly(
    hostile: Cohort, tmp_path: Path, settings: Settings
) -> None:
    keys = [row.learner.key for row in hostile.standings()]
    found = [row["learner"] for row in document(hostile, tmp_path, settings)["standings"]]

    assert found == [key.replace("\udce9", "\\u{dce9}") for key in keys]


def test_without_a_roster_it_is_not_said_who_is_listed(
    cohort_of: Callable[..., Cohort],
    standing_of: Callable[..., Standing],
    tmp_path: Path,
    settings: Settings,
) -> None:
    (line,) = lines(cohort_of(standing_of("a"), has_roster=False), tmp_path, settings)

    assert line["listed"] is None
    assert json.loads((tmp_path / "cohort.jsonl").read_text()) == line
