"""`verify regrade` asks again what a cohort was asked, and refuses what it was not."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Verify = Callable[..., tuple[int, str, str]]

REGRADE = ("regrade", "--jobs", "1", "--quiet")


@pytest.fixture
def graded(verify: Verify, cohort: Path) -> Path:
    verify("batch", "cohort", "--exercise", "foundation/01", "--jobs", "1", "--quiet")
    return cohort


def rows(query: str) -> list[Any]:
    with closing(sqlite3.connect("gradebook.db")) as connection:
        found = connection.execute(query).fetchall()
        connection.commit()
        return found


def test_other_files_change_a_score_and_are_written_where_that_is_asked_for(
    verify: Verify, graded: Path
) -> None:
    shutil.copytree(graded / "cohort" / "ada", graded / "cohort" / "eve", dirs_exist_ok=True)
    preview = verify(*REGRADE, "--format", "json")
    written = verify(*REGRADE, "--apply")
    told = json.loads(preview[1])

    assert (preview[0], told["run"], told["changed"], told["up"]) == (1, None, 1, 1)
    assert (told["changes"][0]["before"]["score"], told["changes"][0]["after"]["score"]) == (0, 9)
    assert (written[0], "Written as run 2" in written[1]) == (0, True)
    assert rows("SELECT kind, sources FROM run WHERE id = 2") == [("regrade", "[]")]
    assert verify(*REGRADE)[:2] == (0, "0 of 2 change\nNothing was written.\n")


@pytest.mark.usefixtures("graded")
@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--exercise", "expert/04"], "no exercise expert/04 in this gradebook"),
        (["--exercise", "expert/99"], "no exercise '99' in expert"),
        (["--course", "cohort"], "was graded with the project's own course: leave --course out"),
        (["--gradebook", "none.db"], "none.db does not exist: grade a cohort first"),
    ],
)
def test_what_the_cohort_was_not_asked_is_refused(
    verify: Verify, words: list[str], told: str
) -> None:
    code, out, err = verify(*REGRADE, *words)

    assert (code, out, err.count("\n"), told in err) == (2, "", 1, True)


@pytest.mark.usefixtures("graded")
@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("target", '"../../secret"'),
        ("issue", '"../../secret"'),
        ("strict", '"yes"'),
    ],
)
def test_a_gradebook_that_asks_what_no_command_line_may_is_refused(
    verify: Verify, option: str, value: str
) -> None:
    rows(f"UPDATE run SET options = json_set(options, '$.{option}', json('{value}'))")  # noqa: S608  # the test's own words
    code, out, err = verify(*REGRADE)

    assert (code, out) == (2, "")
    assert err.startswith("verify: gradebook.db has a value that has a")
