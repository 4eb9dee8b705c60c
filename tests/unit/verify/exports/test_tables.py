"""The long and the wide table are read back whole; blanks, ids and columns are as documented."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.stubs import tables
from tests.unit.verify.exports.conftest import OVERRIDE, cohort_of, standing_of
from verify.exports import long_csv, wide_csv

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from verify.exports.base import Settings
    from verify.gradebook.reading import Cohort
    from verify.gradebook.values import Standing

    RowsOf = Callable[..., list[dict[str, str]]]


@pytest.fixture
def rows_of(tmp_path: Path, settings: Settings) -> RowsOf:
    """Return what writes a cohort by a module and reads the table back."""

    def rows(module: object, cohort: Cohort) -> list[dict[str, str]]:
        path = tmp_path / "table.csv"
        assert module.write(cohort, str(path), settings) == [str(path)]  # type: ignore[attr-defined]
        return tables.rows_of(path)

    return rows


@pytest.fixture
def dan() -> Standing:
    """Return an attempt with every outcome of a check, an override, and a level of provenance."""
    standing = standing_of("dan", "pfps", attempt="2", override=OVERRIDE)
    trace, classify = standing.marks
    return standing._replace(marks=(trace._replace(provenance="L1"), classify))


LEARNER = {"learner": "dan", "name": "", "email": "dan@example.org", "roster": "listed"}


def test_a_row_of_the_long_table_tells_the_learner_the_exercise_and_the_check(
    rows_of: RowsOf, dan: Standing
) -> None:
    rows = rows_of(long_csv, cohort_of(dan))

    assert rows[1] == {
        **LEARNER,
        "attempt": "2",
        "submitted": "",
        "late": "",
        "exercise": "expert/04",
        "outcome": "fail",
        "provenance": "L1",
        "score": "7.5",
        "points": "10",
        "graded": "2",
        "override": "7.5",
        "override_by": "Dr. Grace",
        "override_made": "2026-11-01T10:00:00Z",
        "override_reason": "late, but argued, well",
        "check": "E04.2",
        "title": "every file is planned",
        "advisory": "no",
        "check_outcome": "fail",
        "check_score": "0",
        "check_points": "3",
        "waits_for": "",
        "message": "this file stands in no step",
        "file": "sandbox/.pipeline/ISSUE-7/plan.json",
        "line": "4",
        "column": "5",
    }
    assert [(r["check"], r["advisory"], r["check_outcome"], r["waits_for"]) for r in rows] == [
        ("E04.1", "no", "pass", ""),
        ("E04.2", "no", "fail", ""),
        ("E04.3", "yes", "pass", ""),
        ("E04.4", "no", "skip", "E04.2"),
        ("E01.1", "no", "pass", ""),
    ]


def test_a_row_of_the_wide_table_tells_all_of_a_learner(rows_of: RowsOf, dan: Standing) -> None:
    assert rows_of(wide_csv, cohort_of(dan)) == [
        {
            **LEARNER,
            "id ID": "",
            "id SIS Login ID": "dan",
            "id Section": "A",
            "attempt": "2",
            "submitted": "",
            "late": "",
            "total": "11.5",
            "total_points": "14",
            "expert/04 outcome": "fail",
            "expert/04 provenance": "L1",
            "expert/04 score": "7.5",
            "expert/04 points": "10",
            "expert/04 graded": "2",
            "expert/04 override": "7.5",
            "expert/04 override_by": "Dr. Grace",
            "expert/04 override_made": "2026-11-01T10:00:00Z",
            "expert/04 override_reason": "late, but argued, well",
            "E04.1": "pass",
            "E04.2": "fail",
            "E04.3": "pass",
            "E04.4": "skip",
            "expert/01 outcome": "pass",
            "expert/01 provenance": "",
            "expert/01 score": "4",
            "expert/01 points": "4",
            "expert/01 graded": "4",
            "expert/01 override": "",
            "expert/01 override_by": "",
            "expert/01 override_made": "",
            "expert/01 override_reason": "",
            "E01.1": "pass",
        }
    ]


def test_what_is_not_known_is_blank_and_says_why(rows_of: RowsOf, cohort: Cohort) -> None:
    wide, long = rows_of(wide_csv, cohort), rows_of(long_csv, cohort)
    blank = {(r["learner"], r["outcome"], r["score"], r["check_score"]) for r in long}

    assert [(r["learner"], r["total"], r["expert/01 outcome"], r["E01.1"]) for r in wide] == [
        ("ada", "14", "pass", "pass"),
        ("bob", "6", "pass", "pass"),
        ("cyd", "", "error", "error"),
        ("dan", "7.5", "fail", "fail"),
        ("eve", "", "missing", "missing"),
        ("fay", "", "missing", "missing"),
        ("gus", "", "error", "error"),
        ("hal", "0", "fail", "fail"),
        ("hal", "10", "fail", "fail"),
        ("ivy", "", "unresolved", "unresolved"),
        ("zed", "14", "pass", "pass"),
    ]
    assert {each for each in blank if each[0] in ("eve", "gus", "ivy")} == {
        ("ivy", "unresolved", "", ""),
        ("eve", "missing", "", ""),
        ("gus", "error", "", ""),
    }
    assert [(wide[9]["submitted"], wide[9]["late"])] + [
        (row["submitted"], row["late"], row["message"]) for row in long if row["learner"] == "ivy"
    ] == [("2026-03-01T09:30", "yes"), *[("2026-03-01T09:30", "yes", "two folders hold work")] * 5]
    assert (wide[0]["id ID"], wide[-1]["id SIS Login ID"], wide[-1]["roster"]) == (
        *("0011", ""),
        "unlisted",
    )
    assert {row["roster"] for row in long if row["learner"] == "zed"} == {"unlisted"}


def test_a_result_of_checks_as_they_were_stands_under_its_own_columns(
    rows_of: RowsOf, changed: Cohort
) -> None:
    (row,) = rows_of(wide_csv, changed)

    assert [row[f"E04.{number}"] for number in (1, 9, 3, 4)] == ["pass", "", "pass", "skip"]
    assert (row["expert/01 outcome"], row["E01.1"]) == ("pass", "pass")


def test_columns_of_the_roster_are_there_for_all_or_without_one_for_nobody(rows_of: RowsOf) -> None:
    first, second = standing_of("a"), standing_of("b")
    first = first._replace(learner=first.learner._replace(ids={}))
    second = second._replace(learner=second.learner._replace(ids={"group": "7"}))
    without = cohort_of(standing_of("a"), has_roster=False)
    (wide,), long = rows_of(wide_csv, without), rows_of(long_csv, without)

    assert [row["id group"] for row in rows_of(wide_csv, cohort_of(first, second))] == ["", "7"]
    assert [name for name in wide if name.startswith("id ")] == []
    assert {row["roster"] for row in (wide, *long)} == {""}
