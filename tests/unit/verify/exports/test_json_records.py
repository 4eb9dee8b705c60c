"""A standing is told whole as JSON, and as what its schema says."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest
from jsonschema import Draft202012Validator

from pipeline.bootstrap import ROOT
from verify.exports import json_records
from verify.exports.json_records import exercise_records, override_record, standing_record

if TYPE_CHECKING:
    from collections.abc import Callable

    from verify.gradebook.reading import Cohort
    from verify.gradebook.values import Override, Standing


def schema_of(name: str) -> Any:
    path = os.path.join(ROOT, "docs", "reference", "schemas", name)
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def test_a_standing_is_told_whole(standing_of: Callable[..., Standing], override: Override) -> None:
    standing = standing_of("ada", "ppfp", "", override=override)
    artifacts = (("a.json", "0f"), ("b.json", ""))
    trace = standing.marks[0]._replace(artifacts=artifacts, attempt="2")
    record = standing_record(standing._replace(marks=(trace, standing.marks[1])), has_roster=True)
    first, second = record["marks"]

    assert {key: value for key, value in record.items() if key != "marks"} == {
        "schema": "urn:issue-pipeline:standing:1",
        "learner": "ada",
        "name": "",
        "email": "ada@example.org",
        "ids": {"ID": "", "SIS Login ID": "ada", "Section": "A"},
        "listed": True,
        "attempt": "2",
        "total": None,
        "points": 14,
    }
    assert {key: value for key, value in first.items() if key != "checks"} == {
        "exercise": "expert/04",
        "outcome": "pass",
        "score": 7.5,
        "graded": 10,
        "points": 10,
        "override": {
            "score": 7.5,
            "by": "Dr. Grace",
            "made": "2026-11-01T10:00:00Z",
            "reason": "late, but argued, well",
        },
        "artifacts": [{"path": "a.json", "digest": "0f"}, {"path": "b.json", "digest": None}],
        **{key: value for key, value in first.items() if key == "provenance"},
    }
    assert (second["outcome"], second["score"], second["graded"], second["checks"]) == (
        *("missing", None, None),
        [],
    )


def test_a_check_is_told_with_what_it_found_or_waits_for(
    standing_of: Callable[..., Standing],
) -> None:
    record = standing_record(standing_of("ada", "pffs", "e"), has_roster=True)
    passed, failed, _, skipped = record["marks"][0]["checks"]
    (crashed,) = record["marks"][1]["checks"]

    assert passed == {
        "code": "E04.1",
        "outcome": "pass",
        "advisory": False,
        "score": 2,
        "points": 2,
        "waits_for": None,
        "findings": [],
    }
    assert [finding["message"] for finding in failed["findings"]] == ["this file stands in no step"]
    assert (skipped["outcome"], skipped["waits_for"], skipped["score"]) == ("skip", "E04.2", 0)
    assert (crashed["outcome"], crashed["score"]) == ("error", None)


@pytest.mark.parametrize(("has_roster", "listed"), [(True, False), (False, None)])
def test_who_is_on_no_roster_is_listed_nowhere(
    standing_of: Callable[..., Standing],
    has_roster: bool,  # noqa: FBT001  # a column of the table
    listed: bool | None,  # noqa: FBT001  # the same
) -> None:
    record = standing_record(standing_of("zed", rostered=False), has_roster=has_roster)

    assert record["listed"] is listed


def test_a_standing_without_marks_has_no_attempt(standing_of: Callable[..., Standing]) -> None:
    record = standing_record(standing_of("ada")._replace(marks=()), has_roster=True)

    assert (record["attempt"], record["marks"], record["total"]) == ("", [], record["total"])


def test_every_record_follows_the_published_schema(cohort: Cohort, hostile: Cohort) -> None:
    validator = Draft202012Validator(schema_of("standing.schema.json"))
    records = [
        json.loads(json.dumps(standing_record(standing, has_roster=True)))
        for each in (cohort, hostile)
        for standing in each.standings()
    ]

    assert [error.message for record in records for error in validator.iter_errors(record)] == []


def test_exercises_and_overrides_are_values(cohort: Cohort, override: Override) -> None:
    first = exercise_records(cohort)[0]

    assert (first["exercise"], first["title"], first["points"]) == ("expert/04", "Evidence", 10)
    assert first["checks"][2] == {
        "code": "E04.3",
        "title": "the branch names its issue",
        "points": 0,
        "advisory": True,
        "lesson": "docs/expert/tutorials/page.md#e04-3",
    }
    assert override_record(override._replace(score=7.0))["score"] == 7
    assert json_records.override_record(override)["by"] == "Dr. Grace"
