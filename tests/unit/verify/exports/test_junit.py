"""The JUnit export is read back by a parser that is not ours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from junitparser import Error, Failure, JUnitXml, Skipped

from verify.exports.junit import write
from verify.exports.scores import MISSING, UNGRADED

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from verify.exports.base import Settings
    from verify.gradebook.reading import Cohort
    from verify.gradebook.values import Override, Standing


def suites(cohort: Cohort, folder: Path, settings: Settings) -> list[Any]:
    path = folder / "junit.xml"
    assert write(cohort, str(path), settings) == [str(path)]
    return list(JUnitXml.fromfile(str(path)))


def properties(suite: Any) -> dict[str, str]:
    return {each.name: each.value for each in suite.properties()}


def test_every_outcome_is_read_back(
    cohort_of: Callable[..., Cohort],
    standing_of: Callable[..., Standing],
    tmp_path: Path,
    settings: Settings,
) -> None:
    trace, classify = suites(cohort_of(standing_of("ada", "pffs", "e")), tmp_path, settings)
    told = (
        "sandbox/.pipeline/ISSUE-7/plan.json:4:5  $.steps[0]\nthis file stands in no step\n"
        'expected a step\nfound "a.js"\nAdd a step.'
    )

    assert [
        (case.classname, case.name, [(type(r), r.message, r.text) for r in case.result])
        for case in trace
    ] == [
        ("verify.expert.04.ada", "E04.1 plan.json is there", []),
        (
            "verify.expert.04.ada",
            "E04.2 every file is planned",
            [(Failure, "this file stands in no step", told)],
        ),
        (
            "verify.expert.04.ada",
            "E04.3 the branch names its issue",
            [(Skipped, "this file stands in no step", told)],
        ),
        (
            "verify.expert.04.ada",
            "E04.4 the trace is whole",
            [(Skipped, "waits for E04.2", None)],
        ),
    ]
    assert (trace.name, trace.tests, trace.failures, trace.errors, trace.skipped) == (
        "expert/04 ada",
        4,
        1,
        0,
        2,
    )
    assert [type(r) for case in classify for r in case.result] == [Error]
    assert properties(classify)["score"] == ""


def test_an_override_stands_in_the_properties(
    cohort_of: Callable[..., Cohort],
    standing_of: Callable[..., Standing],
    override: Override,
    tmp_path: Path,
    settings: Settings,
) -> None:
    row = standing_of("dan", "pfps", attempt="2", override=override)

    assert properties(suites(cohort_of(row), tmp_path, settings)[0]) == {
        "learner": "dan",
        "exercise": "expert/04",
        "attempt": "2",
        "outcome": "fail",
        "score": "7.5",
        "points": "10",
        "graded": "2",
        "override": "7.5",
        "override_by": "Dr. Grace",
        "override_made": "2026-11-01T10:00:00Z",
        "override_reason": "late, but argued, well",
    }


def test_what_was_not_graded_is_skipped_or_an_error_and_no_failure(
    cohort: Cohort, tmp_path: Path, settings: Settings
) -> None:
    found = {suite.name: suite for suite in suites(cohort, tmp_path, settings)}

    missing, error = found["expert/04 eve"], found["expert/04 gus"]

    assert {(type(r), r.message) for case in missing for r in case.result} == {(Skipped, MISSING)}
    assert {(type(r), r.message) for case in error for r in case.result} == {(Error, UNGRADED)}
    assert (missing.failures, missing.skipped, error.errors) == (0, 4, 4)
    assert len(found) == 20


def test_advice_fails_where_it_is_why_the_exercise_failed(
    cohort_of: Callable[..., Cohort],
    standing_of: Callable[..., Standing],
    tmp_path: Path,
    settings: Settings,
) -> None:
    row = standing_of("a", "ppfp")
    strict = row._replace(marks=(row.marks[0]._replace(outcome="fail"), row.marks[1]))

    results = [suites(cohort_of(each), tmp_path, settings)[0] for each in (row, strict)]

    assert [(suite.failures, suite.skipped) for suite in results] == [(0, 1), (1, 0)]


def test_hostile_text_leaves_it_readable(
    hostile: Cohort, tmp_path: Path, settings: Settings
) -> None:
    found = suites(hostile, tmp_path, settings)

    assert len(found) == 2 * len(list(hostile.standings()))
    assert len({suite.name for suite in found}) == len(found)
    assert (tmp_path / "junit.xml").read_text(encoding="utf-8").replace("\n", "").isprintable()
