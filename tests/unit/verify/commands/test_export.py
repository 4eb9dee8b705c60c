"""`verify export` writes what a gradebook has, and says what it does not have."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from tests.stubs.tables import rows_of
from tests.unit.verify.commands.conftest import GRADE

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Verify = Callable[..., tuple[int, str, str]]


def change(statement: str) -> None:
    with closing(sqlite3.connect("gradebook.db")) as connection:
        connection.execute(statement)
        connection.commit()


def test_what_was_graded_is_written_and_the_paths_are_reported(
    verify: Verify, cohort: Path
) -> None:
    verify(*GRADE)

    assert verify("export", "--csv-wide", "g.csv", "--feedback", "pages") == (
        0,
        "g.csv\npages\n",
        "",
    )
    assert [(row["learner"], row["total"]) for row in rows_of(cohort / "g.csv")] == [
        ("ada", "9"),
        ("eve", "0"),
    ]


@pytest.mark.usefixtures("cohort")
def test_nothing_to_write_nothing_graded_and_one_file_for_several_are_refused(
    verify: Verify,
) -> None:
    nothing = verify("export")
    missing = verify("export", "--csv", "g.csv")
    verify(*GRADE)
    several = verify("export", "--gradescope", "r.json")

    assert nothing == (
        *(2, ""),
        "verify: no export was requested: add one, such as --out results\n",
    )
    assert (missing[0], missing[2].startswith("verify: gradebook.db does not exist")) == (2, True)
    assert (several[0], "of only one learner: choose a folder" in several[2]) == (2, True)
    assert not os.path.exists("r.json")


@pytest.mark.usefixtures("cohort")
def test_a_run_that_did_not_end_and_errors_are_reported_and_are_3(verify: Verify) -> None:
    verify(*GRADE)
    change("UPDATE run SET finished = NULL")
    unfinished = verify("export", "--csv-wide", "a.csv")
    change("UPDATE run SET finished = 'now'")
    letters = "replace(replace(replace(outcomes, 'p', 'e'), 'f', 'e'), 's', 'e')"
    change(f"UPDATE result SET outcome = 'error', score = NULL, outcomes = {letters} WHERE id = 1")  # noqa: S608  # the test's own words
    error = verify("export", "--csv-wide", "b.csv")

    assert unfinished == (
        *(3, "a.csv\n"),
        "verify: the last run is not finished: submissions not graded yet are exported as errors\n",
    )
    assert error == (
        *(3, "b.csv\n"),
        "verify: 1 result is an error and has no grade: run the last verify batch command again\n",
    )
