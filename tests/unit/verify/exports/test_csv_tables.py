"""The long and the wide table are read back whole; blanks, ids and columns are as documented."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.stubs import tables
from tests.unit.verify.exports.conftest import OVERRIDE, cohort_of, standing_of, whole
from verify.exports.csv_tables import LONG, WIDE

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from verify.exports.base import Format, Settings
    from verify.gradebook.reading import Cohort
    from verify.gradebook.records import Standing

    RowsOf = Callable[..., list[dict[str, str]]]


@pytest.fixture
def rows_of(tmp_path: Path, settings: Settings) -> RowsOf:
    """Return what writes a cohort and reads the table back."""

    def rows(of: Format, cohort: Cohort) -> list[dict[str, str]]:
        path = tmp_path / "table.csv"
        of.write(cohort, str(path), settings)
        return tables.rows_of(path)

    return rows


@pytest.fixture
def dan() -> Standing:
    """Return an attempt with every outcome of a check, an override, and a level of provenance."""
    standing = standing_of("dan", "pfps", attempt="2", override=OVERRIDE)
    trace, classify = standing.marks
    return standing._replace(marks=(trace._replace(provenance="L1"), classify))


@pytest.mark.parametrize(("of", "name"), [(LONG, "long.csv"), (WIDE, "wide.csv")])
def test_the_whole_table(
    of: Format, name: str, dan: Standing, tmp_path: Path, settings: Settings
) -> None:
    path = tmp_path / name
    of.write(cohort_of(dan), str(path), settings)

    assert path.read_text(encoding="utf-8") == whole(name)


def test_what_is_not_known_is_blank_and_says_why(rows_of: RowsOf, cohort: Cohort) -> None:
    wide, long = rows_of(WIDE, cohort), rows_of(LONG, cohort)
    blank = {(r["learner"], r["outcome"], r["score"], r["check_score"]) for r in long}

    assert {(r["total"], r["expert/01 outcome"], r["E01.1"]) for r in wide if not r["total"]} == {
        ("", outcome, outcome) for outcome in ("error", "missing", "unresolved")
    }
    assert [r["total"] for r in wide if r["learner"] == "hal"] == ["0", "10"]
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


def test_a_result_of_checks_as_they_were_is_under_its_own_columns(
    rows_of: RowsOf, changed: Cohort
) -> None:
    (row,) = rows_of(WIDE, changed)

    assert [row[f"E04.{number}"] for number in (1, 9, 3, 4)] == ["pass", "", "pass", "skip"]
    assert (row["expert/01 outcome"], row["E01.1"]) == ("pass", "pass")


def test_columns_of_the_roster_are_there_for_all_or_without_one_for_none(rows_of: RowsOf) -> None:
    first, second = standing_of("a"), standing_of("b")
    first = first._replace(learner=first.learner._replace(ids={}))
    second = second._replace(learner=second.learner._replace(ids={"group": "7"}))
    without = cohort_of(standing_of("a"), has_roster=False)
    (wide,), long = rows_of(WIDE, without), rows_of(LONG, without)

    assert [row["id group"] for row in rows_of(WIDE, cohort_of(first, second))] == [
        "",
        "7",
    ]
    assert [name for name in wide if name.startswith("id ")] == []
    assert {row["roster"] for row in (wide, *long)} == {""}
