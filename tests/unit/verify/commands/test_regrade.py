"""`verify regrade` asks again what a cohort was asked, and refuses what it was not."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.verify.commands.conftest import GRADE
from verify.batch.regrade import Flip, GradeChange, Regrading
from verify.commands.regrade import as_table
from verify.gradebook.records import Override

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Verify = Callable[..., tuple[int, str, str]]

REGRADE = ("regrade", "--jobs", "1", "--quiet")


@pytest.fixture
def graded(verify: Verify, cohort: Path) -> Path:
    verify(*GRADE)
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
    preview = verify(*REGRADE)
    written = verify(*REGRADE, "--apply")

    assert preview[0] == 1
    assert "  0 -> 9  " in preview[1]
    assert "\n1 of 2 results change: 1 up\n" in preview[1]
    assert (written[0], "Written as run 2" in written[1]) == (0, True)
    assert rows("SELECT kind, sources FROM run WHERE id = 2") == [("regrade", "[]")]
    assert verify(*REGRADE)[:2] == (0, "0 of 2 results change\nNothing was written.\n")


@pytest.mark.usefixtures("graded")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["--exercise", "expert/04"],
            "this gradebook has no results from the last verify batch for expert/04",
        ),
        (["--exercise", "expert/99"], "no exercise '99' in expert"),
        (["--course", "cohort"], "was graded with the course of this project: remove --course"),
        (["--gradebook", "none.db"], "none.db does not exist: run verify batch first"),
    ],
)
def test_what_the_cohort_was_not_asked_is_refused(
    verify: Verify, words: list[str], message: str
) -> None:
    code, out, err = verify(*REGRADE, *words)

    assert (code, out, err.count("\n"), message in err) == (2, "", 1, True)


NAME = "expert/04"
WAITING = tuple(Flip(f"E04.{n}", "pass", "skip") for n in range(2, 5))


def _text(*changes: GradeChange, run: int | None = None, **lists: Any) -> str:
    overrides = lists.pop("overrides", {})
    results: Any = ()
    regrading = Regrading(results, ())
    regrading.changes += changes
    regrading.compared = 5_000
    for name, kept in lists.items():
        getattr(regrading, name).extend(kept)
    return as_table(regrading, overrides, run)


def _change(learner: str, before: str, after: str, *flips: Flip, file: str = "") -> GradeChange:
    way = "down" if before != "error" and after < before else "up"
    return GradeChange(learner, "", NAME, before, after, way, flips, (file,) if file else ())


def test_changes_are_sorted_and_summed_by_way_and_by_check() -> None:
    up, down = Flip("E04.1", "fail", "pass"), Flip("E04.1", "pass", "fail")
    text = _text(
        _change("zoe", "2", "5", up),
        _change("bob", "5", "1", down, *WAITING),
        _change("cat", "error", "5"),
        _change("abe", "5", "2", down, file="plan.json"),
    )

    assert text.splitlines() == [
        "learner    exercise    score       checks                         changed files",
        "---------  ----------  ----------  -----------------------------  ---------------",
        'abe        expert/04   5 -> 2      E04.1 pass -> fail             "plan.json"',
        "bob        expert/04   5 -> 1      E04.1 pass -> fail and 3 more",
        "cat        expert/04   error -> 5",
        "zoe        expert/04   2 -> 5      E04.1 fail -> pass",
        "",
        "4 of 5,000 results change: 2 up, 2 down",
        "  E04.1 pass -> fail: 1",
        "  E04.1 fail -> pass: 1",
        "  results with changed files: 1 (1 down)",
        "Nothing was written: add --apply to write the changes.",
    ]


def test_what_stays_is_listed_with_its_reason() -> None:
    made = Override(4.5, "ada", "2026-03-01T12:00:00Z", "oral exam")
    text = _text(
        run=7,
        kept=["bob 2 expert/04: gone"],
        failed=["cat expert/04: the check itself failed"],
        overrides={("zoe", NAME): made},
    )

    assert text.splitlines() == [
        "0 of 5,000 results change",
        "Not graded again, unchanged: 1",
        "  bob 2 expert/04: gone",
        "Could not be graded, unchanged: 1",
        "  cat expert/04: the check itself failed",
        "Set by hand, unchanged: 1",
        "  zoe expert/04: 4.5 (ada, oral exam)",
        "Written as run 7; the gradebook keeps the earlier results.",
    ]


def test_a_learners_name_drives_no_terminal_and_forges_no_line() -> None:
    text = _text(_change("::error::x\n\x1b[31m", "2", "5"), kept=["::error::y"])

    assert "\x1b" not in text
    assert "\u202e" not in text
    assert not any(line.startswith("::") for line in text.splitlines())
    assert r"\n\u{1b}[31m" in text
