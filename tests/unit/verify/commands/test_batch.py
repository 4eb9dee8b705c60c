"""`verify batch` grades, keeps, exports and says so, or refuses before it has done anything."""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import closing
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from unittest.mock import Mock

import pytest

from pipeline.bootstrap import called_as
from pipeline.terminal.display import width_of
from tests.unit.verify.commands.conftest import GRADE

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Verify = Callable[..., tuple[int, str, str]]


def rows(query: str) -> list[Any]:
    with closing(sqlite3.connect("gradebook.db")) as connection:
        return connection.execute(query).fetchall()


@pytest.mark.usefixtures("cohort")
def test_a_cohort_is_graded_kept_and_exported(verify: Verify) -> None:
    code, message, errors = verify(*GRADE, "--json", "g.json", "--csv-wide", "g.csv")
    with open("g.json", encoding="utf-8") as file:
        standings = json.load(file)["standings"]

    assert (code, errors) == (1, "")
    assert message.splitlines()[2:] == [
        "foundation/01         2       1       1           0      0  4.50/9",
        "",
        "2 submissions graded",
        "2 entries: 2 graded",
        "gradebook: gradebook.db",
        "written: g.json",
        "written: g.csv",
    ]
    assert [(one["learner"], one["marks"][0]["outcome"]) for one in standings] == [
        ("ada", "pass"),
        ("eve", "fail"),
    ]


def test_what_is_matched_is_to_be_graded_and_fits_the_terminal(
    cohort: Path, verify: Verify, monkeypatch: pytest.MonkeyPatch
) -> None:
    (cohort / "cohort" / ("stranger " * 9)).mkdir()
    (cohort / "r.csv").write_text("id,name\nada,Ada\neve,Eve\n")
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setattr(
        "verify.commands.entries.sys", SimpleNamespace(stdout=Mock(isatty=lambda: True))
    )
    code, message, _ = verify("match", "cohort", "--roster", "r.csv")
    *table, _, counts = message.splitlines()

    assert (code, counts) == (1, "3 entries: 2 to grade, 1 unmatched")
    assert max(map(len, table)) <= 60
    assert table[-1] == "stranger strang…  -          is not on the roster"


@pytest.mark.parametrize("is_terminal", [True, False])
def test_wide_letters_and_marks_leave_the_table_aligned(
    cohort: Path, verify: Verify, monkeypatch: pytest.MonkeyPatch, *, is_terminal: bool
) -> None:
    names = ("李伟", "李" * 40, "Zoe\u0301", "\u1112\u1161\u11ab")
    for name in names:
        (cohort / "cohort" / name).mkdir()
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(
        "verify.commands.entries.sys", SimpleNamespace(stdout=Mock(isatty=lambda: is_terminal))
    )
    *table, _ = verify("match", "cohort")[1].splitlines()
    rows = [line for line in table if "its own name" in line]

    assert {width_of(row.partition("its own name")[0]) for row in rows} == {
        width_of(table[0].partition("matched by")[0])
    }
    assert len(rows) == len(names) + 2
    assert not is_terminal or max(map(width_of, table)) <= 80


@pytest.mark.usefixtures("cohort")
def test_without_a_roster_an_entry_is_matched_by_its_own_name(verify: Verify) -> None:
    _, message, _ = verify("match", "cohort")

    assert [line.split(maxsplit=2) for line in message.splitlines()[2:4]] == [
        ["ada", "ada", "its own name"],
        ["eve", "eve", "its own name"],
    ]


@pytest.mark.usefixtures("cohort")
def test_a_run_notes_what_it_was_asked(verify: Verify) -> None:
    verify(*GRADE, "--strict", "--issue", "ISSUE-101", "--attempts", "all", "--layout", "plain")
    ((kind, finished, sources, options),) = rows("SELECT kind, finished, sources, options FROM run")
    said = json.loads(options)

    assert (kind, finished is None) == ("grade", False)
    assert json.loads(sources) == [["folder", os.path.realpath("cohort")]]
    assert {name: said[name] for name in ("exercises", "issue", "target", "strict")} == {
        "exercises": ["foundation/01"],
        "issue": "ISSUE-101",
        "target": None,
        "strict": True,
    }
    assert (said["attempts"], said["naming"], said["course"]) == ("all", "plain", "")


@pytest.mark.usefixtures("cohort")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("batch", "nowhere", "--exercise", "expert/04"), "nowhere does not exist (expected a "),
        (
            ("batch", "cohort/eve", "--exercise", "expert/04"),
            "cohort/eve: there is no submission (expected",
        ),
        (("batch", "cohort", "--exercise", "expert/99"), "no exercise '99' in expert"),
        (
            ("batch", "cohort", "--exercise", "expert/01", "--issue", "ISSUE-7"),
            "--issue does not apply to expert/01",
        ),
        ((*GRADE, "--roster", "cohort/eve"), "verify: cohort/eve is a folder, not a regular file"),
        ((*GRADE, "--course", "cohort"), ""),
        ((*GRADE, "--csv", "cohort"), "--csv cohort would overwrite an input"),
        ((*GRADE, "--csv", "gradebook.db"), "would overwrite an input"),
        ((*GRADE, "--entries", "cohort"), "--entries cohort would overwrite an input"),
        (("match", "cohort", "--entries", "cohort/e"), "would overwrite an input"),
    ],
)
def test_what_cannot_be_done_is_refused_before_a_gradebook_is_made(
    verify: Verify, words: tuple[str, ...], message: str
) -> None:
    code, out, err = verify(*words)

    assert (code, out, err.count("\n")) == (2, "", 1)
    assert message in err
    assert not os.path.exists("gradebook.db")


@pytest.mark.usefixtures("cohort")
def test_a_submission_in_place_of_the_folder_around_it_is_noticed(verify: Verify) -> None:
    _, _, errors = verify("batch", "cohort/ada", *GRADE[2:])

    assert errors == (
        'verify: found "sandbox": if this is a single submission, pass the folder that contains it,'
        f" or grade it with {called_as('verify')} LEVEL/NN --project DIR\n"
        "verify: sandbox (sandbox): unresolved: sandbox/.pipeline/ISSUE-101/plan.json is missing,"
        ' but there is ".pipeline/ISSUE-101/plan.json". Submit the project\'s folder, or an archive'
        " of it, with sandbox/.pipeline/ISSUE-101/plan.json.\n"
    )


@pytest.mark.usefixtures("cohort")
def test_the_roster_tells_who_is_missing_and_who_is_unknown(verify: Verify) -> None:
    with open("students.csv", "w", encoding="utf-8") as file:
        file.write("id,name\nada,Ada L\nzoe,Zoe Z\n")
    code, message, err = verify(*GRADE, "--roster", "students.csv")

    assert code == 1
    assert message.splitlines()[2].split()[1:7] == ["2", "1", "0", "0", "0", "1"]
    assert message.splitlines()[-2] == "2 entries: 1 graded, 1 unmatched"
    assert err == "verify: eve: unmatched: is not on the roster\n"


@pytest.mark.usefixtures("cohort")
def test_g11_a_cohort_of_a_different_exercise_is_graded_only_if_you_say_so(verify: Verify) -> None:
    words = (*GRADE[:3], "foundation/04", *GRADE[4:])
    refused = verify(*words)
    code, message, _ = verify(*words, "--no-exercise-check")

    assert refused[0] == 2
    assert refused[2] == (
        "verify: most submissions have artifacts of foundation/01, and none of foundation/04: use"
        " --exercise foundation/01, also beside the others, or add --no-exercise-check to grade"
        " them anyway; nothing was written\n"
    )
    assert (code, message.splitlines()[2].split()[:4]) == (1, ["foundation/04", "2", "0", "2"])


@pytest.mark.usefixtures("cohort")
def test_a_resumed_run_says_what_did_not_change(verify: Verify) -> None:
    verify(*GRADE)
    _, again, _ = verify(*GRADE)
    _, afresh, _ = verify(*GRADE, "--no-resume")

    assert "0 submissions graded, 2 unchanged since an earlier run" in again
    assert "2 submissions graded\n" in afresh
    assert rows("SELECT count(*) FROM result WHERE superseded IS NULL") == [(2,)]
