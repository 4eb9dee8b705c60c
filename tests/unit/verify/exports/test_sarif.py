"""The SARIF log is valid by the published schema, and code scanning can place its results."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import pytest
from jsonschema import Draft4Validator

from verify.exports.sarif import write

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from verify.exports.base import Settings
    from verify.gradebook.reading import Cohort
    from verify.gradebook.values import Override, Standing

SCHEMA = os.path.join(os.path.dirname(__file__), "schemas", "sarif-2.1.0-rtm.5.json")


@pytest.fixture(scope="module")
def schema() -> Draft4Validator:
    with open(SCHEMA, encoding="utf-8") as file:
        return Draft4Validator(json.load(file))


def log(cohort: Cohort, folder: Path, settings: Settings) -> Any:
    path = folder / "cohort.sarif"
    assert write(cohort, str(path), settings) == [str(path)]
    return json.loads(path.read_bytes())


@pytest.mark.parametrize("name", ["cohort", "sole", "hostile", "nobody", "changed"])
def test_the_published_schema_accepts_it(
    name: str,
    request: pytest.FixtureRequest,
    schema: Draft4Validator,
    tmp_path: Path,
    settings: Settings,
) -> None:
    written = log(request.getfixturevalue(name), tmp_path, settings)

    assert list(schema.iter_errors(written)) == []


def test_the_published_schema_refuses_what_is_no_log(schema: Draft4Validator) -> None:
    assert not schema.is_valid({"version": "2.1.0", "runs": [{"results": []}]})


def test_a_failure_is_a_result_in_its_place(
    sole: Cohort, tmp_path: Path, settings: Settings
) -> None:
    (run,) = log(sole, tmp_path, settings)["runs"]
    rule = run["tool"]["driver"]["rules"][1]
    first, second = run["results"]

    assert rule["id"] == "E04.2"
    assert rule["shortDescription"] == {"text": "every file is planned"}
    assert first | {"partialFingerprints": {}} == {
        "ruleId": "E04.2",
        "ruleIndex": 1,
        "level": "error",
        "message": {
            "text": (
                "$.steps\\[0]: this file stands in no step\nexpected a step\n"
                'found "a.js"\nAdd a step.'
            )
        },
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": "sandbox/.pipeline/ISSUE-7/plan.json"},
                    "region": {"startLine": 4, "startColumn": 5},
                }
            }
        ],
        "partialFingerprints": {},
        "properties": {"learner": "bob", "exercise": "expert/04", "attempt": ""},
    }
    assert (second["ruleId"], second["level"]) == ("E04.3", "note")
    assert first["partialFingerprints"] != second["partialFingerprints"]


def test_a_failure_of_a_check_that_is_no_more_has_no_rule_to_lead_to(
    changed: Cohort, tmp_path: Path, settings: Settings
) -> None:
    (run,) = log(changed, tmp_path, settings)["runs"]

    assert [(each["ruleId"], "ruleIndex" in each) for each in run["results"]] == [("E04.2", False)]


def test_of_a_cohort_each_learner_has_a_folder(
    cohort: Cohort, tmp_path: Path, settings: Settings
) -> None:
    (run,) = log(cohort, tmp_path, settings)["runs"]
    place = run["results"][0]["locations"][0]["physicalLocation"]

    assert place["artifactLocation"]["uri"] == "bob/sandbox/.pipeline/ISSUE-7/plan.json"


def test_our_errors_are_notifications_and_no_results(
    cohort: Cohort, sole: Cohort, tmp_path: Path, settings: Settings
) -> None:
    (run,) = log(cohort, tmp_path, settings)["runs"]
    (invocation,) = run["invocations"]
    told = invocation["toolExecutionNotifications"]

    assert invocation["executionSuccessful"] is False
    assert {(each["properties"]["learner"], each["associatedRule"]["id"]) for each in told} == {
        ("cyd", "E01.1"),
        *(("gus", code) for code in ("E04.1", "E04.2", "E04.3", "E04.4", "E01.1")),
    }
    assert {each["properties"]["learner"] for each in run["results"]} == {
        "bob",
        "cyd",
        "dan",
        "hal",
    }
    assert log(sole, tmp_path, settings)["runs"][0]["invocations"] == [
        {"executionSuccessful": True, "toolExecutionNotifications": []}
    ]


def test_scores_and_overrides_stand_in_the_properties(
    cohort_of: Callable[..., Cohort],
    standing_of: Callable[..., Standing],
    override: Override,
    tmp_path: Path,
    settings: Settings,
) -> None:
    row = standing_of("dan", "pfps", "e", attempt="2", override=override)
    (run,) = log(cohort_of(row), tmp_path, settings)["runs"]

    assert run["properties"]["scores"] == [
        {
            "learner": "dan",
            "attempt": "2",
            "exercise": "expert/04",
            "outcome": "fail",
            "score": 7.5,
            "points": 10,
            "override": {
                "score": 7.5,
                "by": "Dr. Grace",
                "made": "2026-11-01T10:00:00Z",
                "reason": "late, but argued, well",
            },
        },
        {
            "learner": "dan",
            "attempt": "2",
            "exercise": "expert/01",
            "outcome": "error",
            "score": None,
            "points": 4,
            "override": None,
        },
    ]


def test_no_hostile_path_leaves_the_submission(
    hostile: Cohort, tmp_path: Path, settings: Settings
) -> None:
    (run,) = log(hostile, tmp_path, settings)["runs"]
    places = [each["locations"][0]["physicalLocation"] for each in run["results"]]
    uris = [place["artifactLocation"]["uri"] for place in places]

    assert len(uris) == 3 * len(list(hostile.standings()))
    for uri in uris:
        parts = urlsplit(uri)
        assert (parts.scheme, parts.netloc, parts.query, parts.fragment) == ("", "", "", "")
        assert not uri.startswith("/")
        assert not {".", ".."} & set(uri.split("/"))
        assert uri.isascii()
        assert unquote(uri, errors="surrogatepass")
