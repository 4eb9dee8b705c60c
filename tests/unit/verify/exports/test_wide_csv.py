"""The wide table has a row for each learner, with everything that an LMS or a person asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tests.stubs import tables
from verify.exports.wide_csv import write

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from verify.exports.base import Settings
    from verify.gradebook.reading import Cohort
    from verify.gradebook.values import Override, Standing


def rows_of(cohort: Cohort, folder: Path, settings: Settings) -> list[dict[str, str]]:
    path = folder / "wide.csv"
    write(cohort, str(path), settings)
    return tables.rows_of(path)


def test_a_row_tells_all_of_a_learner(
    cohort_of: Callable[..., Cohort],
    standing_of: Callable[..., Standing],
    override: Override,
    tmp_path: Path,
    settings: Settings,
) -> None:
    row = standing_of("dan", "pfps", "p", attempt="2", override=override)

    assert rows_of(cohort_of(row), tmp_path, settings) == [
        {
            "learner": "dan",
            "name": "",
            "email": "dan@example.org",
            "roster": "listed",
            "id ID": "",
            "id SIS Login ID": "dan",
            "id Section": "A",
            "attempt": "2",
            "total": "11.5",
            "total_points": "14",
            "expert/04 outcome": "fail",
            "expert/04 provenance": "",
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


def test_what_is_not_known_is_blank(cohort: Cohort, tmp_path: Path, settings: Settings) -> None:
    rows = rows_of(cohort, tmp_path, settings)

    assert [(r["learner"], r["total"], r["expert/01 outcome"], r["E01.1"]) for r in rows] == [
        ("ada", "14", "pass", "pass"),
        ("bob", "6", "pass", "pass"),
        ("cyd", "", "error", "error"),
        ("dan", "7.5", "fail", "fail"),
        ("eve", "", "missing", "missing"),
        ("fay", "", "missing", "missing"),
        ("gus", "", "error", "error"),
        ("hal", "0", "fail", "fail"),
        ("hal", "10", "fail", "fail"),
        ("zed", "14", "pass", "pass"),
    ]
    assert rows[-1]["roster"] == "unlisted"
    assert rows[-1]["id SIS Login ID"] == ""


def test_an_id_keeps_its_zeros_and_hostile_names_their_row(
    cohort: Cohort, hostile: Cohort, tmp_path: Path, settings: Settings
) -> None:
    assert rows_of(cohort, tmp_path, settings)[0]["id ID"] == "0011"

    rows = rows_of(hostile, tmp_path, settings)
    frame = pl.read_csv(tmp_path / "wide.csv", infer_schema=False, empty_string_is_null=False)

    assert frame.to_dicts() == rows
    assert len(rows) == len(list(hostile.standings()))
    assert all(text.isprintable() for row in rows for text in row.values())
    assert not any(
        text.lstrip()[:1] in tuple("=+-@\uff1d") for row in rows for text in row.values() if text
    )


def test_a_result_of_checks_as_they_were_stands_under_its_own_columns(
    changed: Cohort, tmp_path: Path, settings: Settings
) -> None:
    (row,) = rows_of(changed, tmp_path, settings)

    assert [row[f"E04.{number}"] for number in (1, 9, 3, 4)] == ["pass", "", "pass", "skip"]
    assert (row["expert/01 outcome"], row["E01.1"]) == ("pass", "pass")


def test_a_column_that_only_some_learners_have_is_there_for_all(
    cohort_of: Callable[..., Cohort],
    standing_of: Callable[..., Standing],
    tmp_path: Path,
    settings: Settings,
) -> None:
    first, second = standing_of("a"), standing_of("b")
    first = first._replace(learner=first.learner._replace(ids={}))
    second = second._replace(learner=second.learner._replace(ids={"group": "7"}))

    rows = rows_of(cohort_of(first, second), tmp_path, settings)

    assert [row["id group"] for row in rows] == ["", "7"]


def test_without_a_roster_there_are_no_columns_of_one(
    cohort_of: Callable[..., Cohort],
    standing_of: Callable[..., Standing],
    tmp_path: Path,
    settings: Settings,
) -> None:
    (row,) = rows_of(cohort_of(standing_of("a"), has_roster=False), tmp_path, settings)

    assert [name for name in row if name.startswith("id ")] == []
    assert row["roster"] == ""
