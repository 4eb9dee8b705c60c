"""`verify regrade`, `verify override` and `verify export` as an instructor uses them."""

from __future__ import annotations

import csv
import json
import shutil
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable
    from pathlib import Path

    Completed = subprocess.CompletedProcess[str]
    Run = Callable[..., Completed]
    PathOf = Callable[[str], str]

PROGRAM = "import sys; from verify.console import main; sys.argv[0] = 'verify'; sys.exit(main())"
COHORT = {
    "ada": "solved",
    "bob": "broken-files-and-steps",
    "cat": "broken-files-and-steps",
    "dan": "solved",
    "eve": "solved",
}
AGREE = 'run=validity.keeps_rules(source, "files-steps"),'
LENIENT = 'run=validity.keeps_rules(source, "tests-last"),'


@pytest.fixture
def cohort(tmp_path: Path, fixture: PathOf) -> Path:
    """Return a folder of five submissions: two of them name other files than their steps."""
    for learner, name in COHORT.items():
        shutil.copytree(fixture(f"foundation/01-plan/{name}"), tmp_path / "cohort" / learner)
    return tmp_path / "cohort"


@pytest.fixture
def verify(run: Run, course: Path) -> Run:
    """Return a function that runs a command of a course of our own, in its folder."""
    return lambda *words: run("-c", PROGRAM, *words, cwd=str(course))


@pytest.fixture
def graded(verify: Run, cohort: Path) -> Completed:
    """Return the first grading of the cohort."""
    return verify("batch", str(cohort), "--exercise", "foundation/01", "--quiet")


def _mend(course: Path, before: str = AGREE, after: str = LENIENT) -> None:
    """Change a check of the course."""
    path = course / "verify" / "exercises" / "parts.py"
    text = path.read_text("utf-8")
    assert before in text
    path.write_text(text.replace(before, after), "utf-8")


def _rows(course: Path, query: str) -> list[Any]:
    with closing(sqlite3.connect(course / "gradebook.db")) as connection:
        return connection.execute(query).fetchall()


@pytest.mark.usefixtures("graded")
def test_the_same_checks_change_nothing(verify: Run) -> None:
    done = verify("regrade", "--quiet")

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "0 of 5 change\nNothing was written.\n"


def test_a_naming_that_was_asked_for_holds_when_it_is_graded_again(
    verify: Run, cohort: Path
) -> None:
    verify("batch", str(cohort), "--exercise", "foundation/01", "--naming", "canvas", "--quiet")
    done = verify("regrade", "--quiet")

    assert done.stdout == "0 of 5 change\nNothing was written.\n"


@pytest.mark.usefixtures("graded")
def test_a_mended_check_shows_its_impact_and_writes_nothing(verify: Run, course: Path) -> None:
    _mend(course)
    before = _rows(course, "SELECT * FROM result ORDER BY id")
    done = verify("regrade", "--quiet")

    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.splitlines() == [
        "learner    exercise       score    checks              changed since",
        "---------  -------------  -------  ------------------  ---------------",
        "bob        foundation/01  6 -> 8   F01.4 fail -> pass",
        "cat        foundation/01  6 -> 8   F01.4 fail -> pass",
        "",
        "2 of 5 change: 2 up",
        "  F01.4 fail -> pass: 2",
        "Nothing was written: add --apply to write it.",
    ]
    assert _rows(course, "SELECT * FROM result ORDER BY id") == before
    assert _rows(course, "SELECT kind FROM run") == [("grade",)]


@pytest.mark.usefixtures("graded")
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_what_is_applied_is_written_once_and_keeps_what_was_before(
    verify: Run, course: Path, jobs: str
) -> None:
    _mend(course)
    done = verify("regrade", "--apply", "--quiet", "--jobs", jobs)
    again = verify("regrade")
    count = "SELECT count(*), count(superseded) FROM result"

    assert done.returncode == 0
    assert done.stdout.splitlines()[-1] == (
        "Written as run 2; the earlier results are kept behind the new ones."
    )
    assert (again.returncode, again.stdout) == (0, "0 of 5 change\nNothing was written.\n")
    assert _rows(course, count) == [(10, 5)]
    assert _rows(course, "SELECT kind, finished IS NULL FROM run") == [("grade", 0), ("regrade", 0)]


@pytest.mark.usefixtures("graded")
def test_a_check_that_is_worth_more_says_so(verify: Run, course: Path) -> None:
    _mend(
        course,
        "        points=2,\n        requires=(requires,),",
        "        points=3,\n        requires=(requires,),",
    )
    done = verify("regrade", "--quiet")

    assert done.stdout.splitlines()[-3:-1] == [
        "5 of 5 change: 3 up, 2 with the same score",
        "  F01.4 worth 2 -> 3: 5",
    ]


@pytest.mark.usefixtures("graded")
def test_changed_files_are_told_apart_from_changed_checks(
    verify: Run, course: Path, cohort: Path, fixture: PathOf
) -> None:
    _mend(course)
    shutil.rmtree(cohort / "ada")
    shutil.copytree(fixture("foundation/01-plan/broken-json"), cohort / "ada")
    done = verify("regrade", "--quiet")

    assert done.stdout.splitlines()[2:] == [
        (
            "ada        foundation/01  8 -> 1   F01.2 pass -> fail and 8 more"
            '  files: "sandbox/.pipeline/ISSUE-101/plan.json"'
        ),
        "bob        foundation/01  6 -> 8   F01.4 fail -> pass",
        "cat        foundation/01  6 -> 8   F01.4 fail -> pass",
        "",
        "3 of 5 change: 2 up, 1 down",
        "  F01.4 fail -> pass: 2",
        "  other files than when they were graded: 1 (1 down)",
        "Nothing was written: add --apply to write it.",
    ]


@pytest.mark.usefixtures("graded")
def test_whose_submission_is_gone_keeps_the_result_and_is_listed(
    verify: Run, course: Path, cohort: Path
) -> None:
    shutil.rmtree(cohort / "eve")
    done = verify("regrade", "--apply", "--quiet")

    assert done.stdout.splitlines() == [
        "0 of 4 change",
        "Not graded again, stay as they were: 1",
        "  eve foundation/01: the submission does not exist",
        "Written as run 2; the earlier results are kept behind the new ones.",
    ]
    assert _rows(course, "SELECT count(*), count(superseded) FROM result") == [(5, 0)]

    shutil.rmtree(cohort)
    gone = verify("regrade", "--quiet")

    assert (gone.returncode, gone.stderr) == (
        2,
        "verify: nothing could be graded again: are the submissions where they were?\n",
    )
    assert gone.stdout.splitlines()[:2] == [
        "0 of 0 change",
        "Not graded again, stay as they were: 5",
    ]


@pytest.mark.usefixtures("graded")
def test_a_check_that_crashes_takes_no_score_away(verify: Run, course: Path) -> None:
    _mend(course, after='run=lambda attempt: {}["lost"],')
    done = verify("regrade", "--apply", "--quiet")

    assert done.returncode == 3
    assert done.stdout.splitlines()[:3] == [
        "0 of 5 change",
        "In error, stay as they were: 5",
        "  ada foundation/01: the check F01.4 itself failed (KeyError): this is our fault",
    ]
    assert done.stderr.startswith("verify: 5 results could not be graded again and stay as they")
    assert _rows(course, "SELECT count(*), count(superseded) FROM result") == [(5, 0)]


@pytest.mark.usefixtures("graded")
def test_an_override_survives_a_regrading_and_shows_in_an_export(verify: Run, course: Path) -> None:
    words = ("override", "bob", "--exercise", "foundation/1")
    made = verify(*words, "--score", "7.5", "--reason", "oral exam", "--by", "ada")
    _mend(course)
    done = verify("regrade", "--apply", "--quiet")
    verify("export", "--csv-wide", "grades.csv")
    with open(course / "grades.csv", encoding="utf-8", newline="") as file:
        bob = next(row for row in csv.reader(file) if row[0] == "bob")

    assert made.returncode == 0
    assert made.stdout.startswith("bob foundation/01: 7.5 by ada, ")
    assert done.stdout.splitlines()[-3:-1] == [
        "Set by hand, stay so: 1",
        "  bob foundation/01: 7.5 (ada, oral exam)",
    ]
    assert "7.5" in bob


@pytest.mark.usefixtures("graded")
@pytest.mark.parametrize(
    ("score", "told"),
    [
        ("8", ""),
        ("8.5", "verify: 8.5 is more than the 8 points of foundation/01: it counts as it is\n"),
    ],
)
def test_more_points_than_there_are_may_be_given_and_are_named(
    verify: Run, score: str, told: str
) -> None:
    done = verify(
        "override", "bob", "--exercise", "foundation/01", "--score", score, "--reason", "bonus"
    )

    assert (done.returncode, done.stderr) == (0, told)
    assert done.stdout.startswith(f"bob foundation/01: {score} by ")


@pytest.mark.usefixtures("graded")
def test_overrides_are_listed_with_those_that_were_withdrawn(verify: Run) -> None:
    words = ("override", "bob", "--exercise", "foundation/01")
    verify(*words, "--score", "7", "--reason", "first", "--by", "ada")
    second = verify(*words, "--score", "8", "--reason", "second", "--by", "cy")
    verify(*words, "--withdraw", "--by", "dee")
    listed = verify("override")

    assert " The earlier one is withdrawn: 7 by ada, " in second.stdout
    assert [line.partition("Z, ")[2].split(",")[0] for line in listed.stdout.splitlines()] == [
        "first (withdrawn by cy",
        "second (withdrawn by dee",
    ]


@pytest.mark.usefixtures("graded")
@pytest.mark.parametrize(
    ("words", "told"),
    [
        (
            ["override", "bbo", "--exercise", "foundation/01", "--score", "1", "--reason", "x"],
            'no learner bbo in this gradebook (expected one of "bob")',
        ),
        (
            ["override", "bob", "--exercise", "foundation/02", "--withdraw"],
            'no exercise foundation/02 in this gradebook (expected one of "foundation/01")',
        ),
        (
            ["override", "bob", "--exercise", "foundation/01", "--withdraw"],
            "no score of bob foundation/01 is set by hand: there is nothing to withdraw",
        ),
        (
            ["override", "bob", "--exercise", "foundation/01", "--score", "1"],
            "why? A score that is set by hand needs a --reason TEXT",
        ),
        (
            ["override", "bob"],
            "what is to be done? Add --score S with --reason TEXT, or --withdraw",
        ),
        (
            ["override", "--exercise", "foundation/01"],
            "whose score? Name the learner, such as verify override zoe ...",
        ),
        (
            ["regrade", "--exercise", "foundation/02"],
            'no exercise foundation/02 in this gradebook (expected one of "foundation/01")',
        ),
        (
            ["regrade", "--gradebook", "x.db"],
            "x.db does not exist: grade a cohort first, or name its file with --gradebook",
        ),
        (["export"], "what is to be written? Add an export, such as --csv grades.csv"),
    ],
)
def test_what_cannot_be_done_is_one_line(verify: Run, words: list[str], told: str) -> None:
    done = verify(*words)

    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"verify: {told}\n")


@pytest.mark.usefixtures("graded")
def test_the_impact_is_told_to_programs(verify: Run, course: Path) -> None:
    _mend(course)
    done = verify("regrade", "--format", "json", "--quiet")
    told = json.loads(done.stdout)

    assert {key: told[key] for key in ("version", "run", "compared", "changed", "up", "down")} == {
        "version": 1,
        "run": None,
        "compared": 5,
        "changed": 2,
        "up": 2,
        "down": 0,
    }
    assert told["changes"][0] == {
        "learner": "bob",
        "attempt": "",
        "exercise": "foundation/01",
        "before": {"outcome": "fail", "score": 6},
        "after": {"outcome": "pass", "score": 8},
        "checks": [{"code": "F01.4", "before": "fail", "after": "pass", "points": [2, 2]}],
        "files": [],
    }


@pytest.mark.usefixtures("graded")
def test_an_incomplete_run_is_exported_as_what_it_is(verify: Run, course: Path) -> None:
    with closing(sqlite3.connect(course / "gradebook.db")) as connection:
        connection.execute("UPDATE run SET finished = NULL")
        connection.execute("DELETE FROM result WHERE submission > 3")
        connection.commit()
    done = verify("export", "--csv-wide", "grades.csv")

    assert (done.returncode, done.stdout) == (3, "grades.csv\n")
    assert done.stderr.splitlines() == [
        "verify: the last run is not finished: what it has not come to is exported as an error",
        "verify: 2 results are errors, no grades: run verify batch again, it grades what is left",
    ]


def test_a_course_of_ones_own_is_run_again_only_by_who_names_it(
    verify: Run, course: Path, cohort: Path
) -> None:
    verify("new-course", "mine")
    words = ("--course", "mine", "--quiet")
    verify("batch", str(cohort), "--exercise", "basics/01", "--gradebook", "own.db", *words)
    (course / "mine" / "exercises" / "basics" / "ex01_plan.py").write_text("open('run', 'w')")
    done = verify("regrade", "--gradebook", "own.db", "--quiet")
    named = verify("regrade", "--gradebook", "own.db", *words)

    mine = course / "mine"
    told = f"this cohort was graded with the course in {mine}, whose files are run:"
    told += f" if you trust it, add --course {mine}"

    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"verify: {told}\n")
    assert "ex01_plan.py" in named.stderr  # it was run, and declares no exercise


def test_a_course_is_named_only_where_there_was_one(verify: Run, cohort: Path) -> None:
    verify("batch", str(cohort), "--exercise", "foundation/01", "--quiet")
    done = verify("regrade", "--course", "mine")

    assert (done.returncode, done.stderr) == (
        2,
        "verify: this cohort was graded with the project's own course: leave --course out\n",
    )
