"""The long table is read back, by two readers, as what was written."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tests.stubs.tables import rows_of
from verify.exports.long_csv import COLUMNS, write

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from verify.exports.base import Settings
    from verify.gradebook.reading import Cohort
    from verify.gradebook.values import Override, Standing


def written(cohort: Cohort, folder: Path, settings: Settings) -> Path:
    path = folder / "long.csv"
    assert write(cohort, str(path), settings) == [str(path)]
    return path


def test_a_row_tells_the_learner_the_exercise_and_the_check(
    cohort_of: Callable[..., Cohort],
    standing_of: Callable[..., Standing],
    override: Override,
    tmp_path: Path,
    settings: Settings,
) -> None:
    row = standing_of("dan", "pfps", attempt="2", override=override)

    rows = rows_of(written(cohort_of(row), tmp_path, settings))

    assert len(rows) == 5
    assert rows[1] == {
        "learner": "dan",
        "name": "",
        "email": "dan@example.org",
        "roster": "listed",
        "attempt": "2",
        "exercise": "expert/04",
        "outcome": "fail",
        "provenance": "",
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
    assert (rows[3]["check_outcome"], rows[3]["waits_for"]) == ("skip", "E04.2")


def test_what_has_no_score_is_blank_and_says_why(
    cohort: Cohort, tmp_path: Path, settings: Settings
) -> None:
    rows = rows_of(written(cohort, tmp_path, settings))
    blank = {
        (r["learner"], r["outcome"], r["score"], r["check_score"])
        for r in rows
        if r["learner"] in ("eve", "gus")
    }

    assert blank == {("eve", "missing", "", ""), ("gus", "error", "", "")}
    assert len(rows) == 10 * 5
    assert {r["roster"] for r in rows if r["learner"] == "zed"} == {"unlisted"}


def test_without_a_roster_nobody_is_listed_or_unlisted(
    cohort_of: Callable[..., Cohort],
    standing_of: Callable[..., Standing],
    tmp_path: Path,
    settings: Settings,
) -> None:
    path = written(cohort_of(standing_of("a"), has_roster=False), tmp_path, settings)

    assert {row["roster"] for row in rows_of(path)} == {""}


def test_two_readers_see_the_same_table(
    hostile: Cohort, cohort: Cohort, tmp_path: Path, settings: Settings
) -> None:
    for each in (hostile, cohort):
        path = written(each, tmp_path, settings)
        frame = pl.read_csv(path, infer_schema=False, empty_string_is_null=False)

        assert tuple(frame.columns) == COLUMNS
        assert frame.to_dicts() == rows_of(path)


def test_nothing_hostile_reaches_a_cell(
    hostile: Cohort, tmp_path: Path, settings: Settings
) -> None:
    path = written(hostile, tmp_path, settings)
    rows = rows_of(path)
    cells = [text for row in rows for text in row.values()]

    assert len(rows) == 5 * len(list(hostile.standings()))
    assert len({row["learner"] for row in rows}) == len(list(hostile.standings()))
    assert [text for text in cells if not text.isprintable()] == []
    assert [text for text in cells if text.lstrip()[:1] in tuple("=+-@\uff1d") and text] == []
    assert path.read_bytes().count(b"\r") == path.read_bytes().count(b"\r\n") == len(rows) + 1


def test_numbers_stay_numbers(
    cohort_of: Callable[..., Cohort],
    standing_of: Callable[..., Standing],
    override: Override,
    tmp_path: Path,
    settings: Settings,
) -> None:
    row = standing_of("dan", override=override._replace(score=-2))

    assert rows_of(written(cohort_of(row), tmp_path, settings))[0]["score"] == "-2"
