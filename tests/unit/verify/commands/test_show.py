"""`verify show` has of one learner what an instructor needs in a dispute."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
from typing import TYPE_CHECKING

import pytest

from pipeline.bootstrap import ROOT
from tests.stubs.payloads import RAW
from tests.unit.verify.commands.conftest import GRADE, ROSTER, SOLVED

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Verify = Callable[..., tuple[int, str, str]]


@pytest.mark.parametrize("text", ["ada", "ADA", "ada@x.org", "0017", "ada okafor", "Okafor, Ada"])
def test_t5_a_learner_is_shown_by_any_identity(graded: Verify, text: str) -> None:
    code, out, err = graded("show", text)

    assert (code, err) == (0, "")
    assert out.startswith("Ada Okafor (key ada, ada@x.org): 9 of 9 points\n\nfoundation/01 - Plan")


def test_t5_an_unclear_learner_is_refused_with_the_candidates(graded: Verify) -> None:
    same = graded("show", "Ann Lee")
    unknown = graded("show", "Ada Okafo")

    assert (same[:2], unknown[:2]) == ((2, ""), (2, ""))
    assert same[2] == (
        "verify: Ann Lee may be 2 learners (expected the key of one: ann (Ann Lee, ann@x.org);"
        " eve (Ann Lee, eve@x.org))\n"
    )
    assert unknown[2] == (
        'verify: this gradebook has no learner Ada Okafo (expected "Ada Okafor")\n'
    )


def test_t5_the_table_is_that_of_verify_check(
    graded: Verify, cohort: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    (cohort / "cohort" / "eve" / "sandbox").mkdir()
    graded(*GRADE)
    seen = graded("check", "foundation/01", "--project", "cohort/eve")[1]
    out = graded("show", "eve")[1]

    assert seen.partition("  More:")[0] in out
    assert "--hint" not in out
    assert max(map(len, out.splitlines()[:-1])) <= 80


def test_t5_the_report_of_a_pass_says_nothing_of_what_is_next(graded: Verify) -> None:
    out = graded("show", "ada")[1]

    assert "PASSED  9 of 9 points (10 passed)" in out
    assert "Next," not in out
    assert "Compare with" not in out


def test_t5_a_missing_learner_and_one_who_left_are_named_so(graded: Verify, cohort: Path) -> None:
    missing = graded("show", "ann")
    words = ("--exercise", "foundation/01", "--score", "3", "--reason", "oral", "--by", "grace")
    graded("override", "eve", *words)
    (cohort / "roster.csv").write_text("username,name\nada,Ada Okafor\n", "utf-8")
    shutil.rmtree(cohort / "cohort" / "eve")
    graded(*GRADE, "--roster", "roster.csv")
    code, out, _ = graded("show", "eve")

    assert missing[1] == (
        "Ann Lee (key ann, ann@x.org): no total\n\nfoundation/01 - Plan an issue\n\n"
        "missing: no submission was found\n"
    )
    assert (code, out.splitlines()[0]) == (0, "eve: not in the last run")
    assert "\nSubmissions:\n  foundation/01 0, not in the last run, from" in out
    assert "\nSet by hand:\n  foundation/01: 3 by grace, " in out


def test_t5_overrides_are_listed_with_who_when_and_why_also_withdrawn_ones(graded: Verify) -> None:
    words = ("override", "ada", "--exercise", "foundation/01")
    graded(*words, "--score", "4.5", "--reason", "oral\x1b[2J exam", "--by", "grace\nhopper")
    graded(*words, "--withdraw", "--by", "bob")
    graded(*words, "--score", "5", "--reason", "a second talk", "--by", "grace")
    lines = graded("show", "ada@x.org")[1].splitlines()
    at = lines.index("Set by hand:")
    text = " ".join(line.strip() for line in lines[at + 1 : lines.index("To grade again:") - 1])

    assert lines[0] == "Ada Okafor (key ada, ada@x.org): 5 of 9 points"
    assert text.startswith(r"foundation/01: 4.5 by grace\nhopper, 20")
    assert r", oral\u{1b}[2J exam (withdrawn by bob, 20" in text
    assert text.endswith("a second talk")


@pytest.mark.parametrize(
    "name", ["eve's $(id) `id` \\ \x1b[2J\n::error::x ##[error]y \u202e ☃", "-rf", "plain"]
)
def test_t5_the_command_that_grades_again_can_be_typed(
    cohort: Path, verify: Verify, name: str
) -> None:
    shutil.copytree(SOLVED, cohort / "cohort" / name)
    os.chdir(cohort / "cohort")
    verify("batch", ".", *GRADE[2:])
    shown = json.loads(verify("show", "--format", "json", "--", name.replace("\n", "\\x0a"))[1])
    command = shown["grade_again"]["foundation/01"]
    env = {**os.environ, "PYTHONPATH": ROOT}
    done = subprocess.run(  # our own commands
        ["bash", "-c", command],  # the user's
        *(),
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )

    assert RAW.findall(command) == []
    assert (done.returncode, done.stderr) == (0, "")
    assert "PASSED  9 of 9 points" in done.stdout


def test_t5_a_learner_of_an_archive_is_graded_again_alone(verify: Verify, cohort: Path) -> None:
    shutil.make_archive("class", "zip", cohort / "cohort")
    verify("batch", "class.zip", *GRADE[2:])
    command = json.loads(verify("show", "ada", "--format", "json")[1])["grade_again"]
    words = ("regrade", "--learner=ada", "--exercise", "foundation/01", "--gradebook")
    code, out, err = verify(*words, "gradebook.db", "--jobs", "1", "--quiet")

    assert command["foundation/01"].endswith(f"{' '.join(words)} gradebook.db")
    assert (code, out, err) == (0, "0 of 1 results change\nNothing was written.\n", "")


def test_t5_as_json_it_has_the_standing_and_all_the_rest(graded: Verify) -> None:
    code, out, _ = graded("show", "0017", "--format", "json")
    found = json.loads(out)

    assert (code, list(found)) == (
        0,
        ["learner", "standing", "submissions", "set_by_hand", "grade_again"],
    )
    assert (found["standing"]["total"], found["submissions"][0]["results"]) == (
        9,
        {"foundation/01": "9"},
    )


TERM = """
roster = "roster.csv"

[late]
percent_a_day = 10

[assignments.week-1]
exercises = ["foundation/01", "foundation/02"]
collection = "cohort"
points = 20

[assignments.week-2]
exercises = ["foundation/01"]
collection = "again"
attempts = "best"
"""


def test_t5_of_a_term_each_assignment_is_shown_or_the_one_that_is_asked_for(
    verify: Verify, cohort: Path
) -> None:
    shutil.copytree(cohort / "cohort", cohort / "again")
    (cohort / "roster.csv").write_text(ROSTER, "utf-8")
    (cohort / "term.toml").write_text(TERM, "utf-8")
    verify("batch", "--term", "term.toml", "--jobs", "1", "--quiet")
    words = ("--assignment", "week-1", "--excused", "--reason", "ill", "--by", "grace")
    verify("override", "eve", *words)
    verify("override", "ada", "--assignment", "week-2", "--comment", "well done", "--by", "grace")
    whole = verify("show", "ada@x.org")
    second = verify("show", "ada@x.org", "--assignment", "week-2")
    eve = verify("show", "eve", "--assignment", "week-1")[1]

    assert (whole[0], second[0]) == (0, 0)
    assert "\nweek-1 - " in whole[1]
    assert "\nfoundation/02 - " in whole[1]
    assert "week-1" not in second[1]
    assert "\nweek-2 - Plan an issue: 9 of 9 points\n\nfoundation/01 - Plan an issue" in second[1]
    assert "\nwell done (grace, 20" in second[1]
    assert "\n  week-2, foundation/01 9, from" in second[1]
    assert second[1].endswith(" --project again/ada\n")
    assert "\nexcused by grace, 20" in eve
    assert "\n  week-1: excused by grace, 20" in eve
    assert verify("show", "ada", "--assignment", "week-9")[0] == 2


def test_t5_what_another_program_wrote_into_a_gradebook_drives_no_terminal(graded: Verify) -> None:
    words = ("--exercise", "foundation/01", "--score", "3", "--reason", "oral")
    graded("override", "ada", *words)
    with sqlite3.connect("gradebook.db") as connection:
        connection.create_function("odd", 0, lambda: "\x1b[2J\x1b]0;x\x07")
        for statement in (
            "UPDATE rules SET title = odd()",
            "UPDATE rules SET checks = json_set(checks, '$[0].title', odd())",
            "UPDATE override SET made = odd()",
            "UPDATE earlier SET text = odd()",
            "UPDATE result SET exercise = odd() WHERE submission > 1",
        ):
            connection.execute(statement)
    said = [
        graded("show", "ada"),
        graded("show", "eve"),
        graded("override"),
        graded("export", "--csv", "c.csv"),
        graded(*GRADE),
    ]

    with sqlite3.connect("gradebook.db") as connection:
        connection.execute("UPDATE rules SET checks = json_set(checks, '$[1].code', 'X')")

    line = "verify: gradebook.db has a value that is not an exercise, so another program changed it"
    assert graded("show", "ada") == (2, "", f"{line}: restore a backup\n")
    assert [code for code, *_ in said][:3] == [0, 0, 0]
    assert [text for _, *texts in said for text in texts if "\x1b" in text] == []


def test_t5_who_is_not_graded_yet_is_shown(graded: Verify) -> None:
    with sqlite3.connect("gradebook.db") as connection:  # as an interrupted batch leaves it
        connection.executescript("DELETE FROM finding; DELETE FROM sketch; DELETE FROM result")
    code, out, _ = graded("show", "ada")

    assert (code, out.splitlines()[0]) == (0, "Ada Okafor (key ada, ada@x.org): no total")
    assert "Run verify batch again: it continues where it stopped." in out
