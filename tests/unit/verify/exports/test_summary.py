"""A cohort's page is whole where there is room, and says what it left out where there is none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verify.exports.summary import Summary

if TYPE_CHECKING:
    from collections.abc import Callable

    from verify.gradebook.reading import Cohort
    from verify.gradebook.values import Standing

ROOM = 100_000


def page_of(cohort: Cohort, room: int = ROOM) -> str:
    summary = Summary(cohort.exercises, room)
    for standing in cohort.standings():
        summary.add(standing)
    return summary.text()


def test_the_page_counts_outcomes_and_has_a_row_for_each_learner(
    cohort_of: Callable[..., Cohort], standing_of: Callable[..., Standing]
) -> None:
    standings = standing_of("ada"), standing_of("bob", "ppfp", "e"), standing_of("cyd", "", "")
    page = page_of(cohort_of(*standings))

    assert page.split("\n")[:12] == [
        "## 3 learners graded",
        "",
        "| exercise | passed | failed | missing | not graded |",
        "| --- | ---: | ---: | ---: | ---: |",
        "| expert/04 | 2 | 0 | 1 | 0 |",
        "| expert/01 | 1 | 0 | 1 | 1 |",
        "",
        "| learner | expert/04 | expert/01 | score |",
        "| --- | --- | --- | ---: |",
        "| ada | pass 10 | pass 4 | 14/14 |",
        "| bob | pass 10 | error | -/14 |",
        "| cyd | missing | missing | -/14 |",
    ]


def test_reasons_stand_behind_the_rows(
    cohort_of: Callable[..., Cohort], standing_of: Callable[..., Standing]
) -> None:
    page = page_of(cohort_of(standing_of("ada"), standing_of("bob", "pfps")))
    reasons = page[page.index("### ") :]

    assert "### ada" not in page
    assert reasons.startswith("### ` bob `\n\n- **E04.2** ")
    assert "this file stands in no step" in reasons


def test_of_a_full_page_what_is_left_out_is_counted(
    cohort_of: Callable[..., Cohort], standing_of: Callable[..., Standing]
) -> None:
    many = cohort_of(*(standing_of(f"k{number:04}", "pffs", "f") for number in range(500)))
    page = page_of(many, 12_000)
    rows = page.count("\n| k")
    reasons = page.count("\n### ")

    assert len(page.encode()) <= 12_000
    assert 0 < rows < 500
    assert 0 < reasons < 500
    assert page.endswith(
        f"(cut: the page is full; left out are {500 - rows} learners' rows and {500 - reasons}"
        " learners' reasons)\n"
    )
    assert "| expert/04 | 0 | 500 | 0 | 0 |" in page


def test_nobody_is_counted_too(nobody: Cohort) -> None:
    assert page_of(nobody).startswith("## 0 learners graded\n")


def test_hostile_texts_break_no_row(hostile: Cohort) -> None:
    page = page_of(hostile)
    table = page[page.index("| learner |") : page.index("### ")].strip().split("\n")

    assert len(table) == 2 + len(list(hostile.standings()))
    assert "\x1b" not in page
    assert "&lt;img" in page
