"""Classroom's result is read back by the rules of Classroom's own reporter."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

from verify.exports.classroom import output, result
from verify.exports.scores import MISSING, latest, total

if TYPE_CHECKING:
    from collections.abc import Callable

    from verify.gradebook.reading import Cohort
    from verify.gradebook.values import Override, Standing


def points_in_classroom(document: dict[str, Any]) -> float | None:
    """Return the points that the reporter notes for the gradebook, None where it notes none.

    Its rules: a runner with no max_score is left out; the points are the sum of its tests' scores;
    without any points to reach nothing is noted.
    """
    assert document["version"] == 3
    assert document["status"] in ("pass", "fail", "error")
    assert {test["status"] for test in document["tests"]} <= {"pass", "fail", "error"}
    if not document["max_score"]:
        return None
    points: float = round(sum(test["score"] for test in document["tests"]), 6)
    return points


def test_the_whole_result(standing_of: Callable[..., Standing]) -> None:
    empty = {"message": "", "test_code": "", "filename": "", "line_no": 0, "execution_time": 0}
    placed = empty | {
        "message": "this file stands in no step",
        "filename": "sandbox/.pipeline/ISSUE-7/plan.json",
        "line_no": 4,
    }

    assert result(standing_of("bob", "pffs", "p")) == {
        "version": 3,
        "status": "fail",
        "max_score": 14,
        "tests": [
            empty | {"name": "E04.1 plan.json is there", "status": "pass", "score": 2},
            placed | {"name": "E04.2 every file is planned", "status": "fail", "score": 0},
            placed | {"name": "E04.3 the branch names its issue", "status": "fail", "score": 0},
            empty
            | {
                "name": "E04.4 the trace is whole",
                "status": "fail",
                "score": 0,
                "message": "waits for E04.2",
            },
            empty | {"name": "E01.1 three records", "status": "pass", "score": 4},
        ],
    }


def test_the_reporter_notes_the_total_or_nothing(cohort: Cohort) -> None:
    for standing in latest(cohort.standings()):
        assert points_in_classroom(result(standing)) == total(standing)


def test_an_override_is_a_test_of_its_own(
    standing_of: Callable[..., Standing], override: Override
) -> None:
    document = result(standing_of("dan", "pfps", "p", override=override))
    by_hand = document["tests"][4]

    assert points_in_classroom(document) == 11.5
    assert (by_hand["name"], by_hand["score"]) == ("expert/04 set by hand", 5.5)
    assert by_hand["message"].endswith("late, but argued, well")


def test_an_override_of_what_was_not_graded_counts_alone(
    standing_of: Callable[..., Standing], override: Override
) -> None:
    assert points_in_classroom(result(standing_of("x", "peep", "p", override=override))) == 11.5


def test_what_was_not_graded_is_an_error_without_points(
    standing_of: Callable[..., Standing],
) -> None:
    ungraded, missing = result(standing_of("x", "pppp", "e")), result(standing_of("x", "", ""))

    assert (ungraded["status"], ungraded["max_score"]) == ("error", 0)
    assert {test["score"] for test in ungraded["tests"]} == {0}
    assert (missing["status"], missing["max_score"]) == ("fail", 0)
    assert missing["tests"][-1]["message"] == MISSING


def test_the_output_is_one_line_of_base64(hostile: Cohort) -> None:
    for standing in hostile.standings():
        name, _, value = output(standing).rstrip("\n").partition("=")

        assert name == "result"
        assert json.loads(base64.b64decode(value, validate=True)) == result(standing)
