"""A term is graded week by week, in any order, into one gradebook, and exported whole."""

from __future__ import annotations

import csv
import json
import shutil
import sqlite3
from typing import TYPE_CHECKING

import pytest

from tests.stubs.school import alone
from tests.unit.verify.commands.conftest import SOLVED
from verify.grading.ways import JAIL

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Verify = Callable[..., tuple[int, str, str]]

TERM = """\
roster = "roster.csv"
timezone = "UTC"
missing = "zero"
late = { percent_a_day = 10 }
[assignments.week-1]
exercises = ["foundation/01"]
collection = "one.csv"
due = 2020-10-05T23:59:00
points = 12
[assignments.week-2]
exercises = ["foundation/01"]
collection = "two"
due = 2020-10-12T23:59:00
points = 6
extensions = { abe = 2020-10-20T23:59:00 }
[assignments.week-3]
exercises = ["foundation/02"]
collection = "three"
points = 10
"""


@pytest.fixture
def term(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with a term of three weeks, of which two have submissions."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("verify.child.workers.run", alone)
    (tmp_path / "term.toml").write_text(TERM)
    (tmp_path / "roster.csv").write_text("id,name\nabe,Abe\nzoe,Zoe\n")
    for place in ("one/abe", "one/zoe", "two/zoe"):
        shutil.copytree(SOLVED, tmp_path / place)
    manifest = "learner,path,submitted_at\nabe,one/abe,2020-10-05T20:00\n"
    (tmp_path / "one.csv").write_text(f"{manifest}zoe,one/zoe,2020-10-07T01:00\n")
    return tmp_path


def _totals(folder: Path) -> dict[str, tuple[str, ...]]:
    with (folder / "w.csv").open(newline="") as file:
        return {
            row["learner"]: (
                row["total"],
                row["total_points"],
                *(row[name] for name in row if name.endswith((" score", " notes"))),
            )
            for row in csv.DictReader(file)
        }


LATE = "2 days late, by 1 d 1 h 1 min: 20 % of 12 points deducted (12 -> 9.6)"
MISSING = "extension until 2020-10-20 23:59; missing after the due time: 0 points"
BOTH = {
    "abe": ("12", "18", "12", "", "0", MISSING),
    "zoe": ("15.6", "18", "9.6", LATE, "6", ""),
}


@pytest.mark.parametrize("order", [["week-1", "week-2"], ["week-2", "week-1"], [""]])
def test_t1_weeks_in_any_order_give_the_same_term(
    term: Path, verify: Verify, order: list[str]
) -> None:
    for name in order:
        only = ("--assignment", name) if name else ()
        code, _, errors = verify("batch", "--term", "term.toml", *only, "--csv-wide", "w.csv")
        assert (code, "drop" in errors) == (int(name != "week-1"), False)

    assert _totals(term) == BOTH


def test_t1_a_time_without_a_zone_is_in_that_of_the_term(term: Path, verify: Verify) -> None:
    zoned = TERM.replace('timezone = "UTC"', 'timezone = "Europe/Berlin"')
    assert zoned != TERM
    (term / "term.toml").write_text(zoned)
    times = {"abe": "2020-10-05T23:00", "zoe": "2020-10-05T23:00Z"}  # the second is after midnight
    rows = "".join(f"{who},one/{who},{at}\n" for who, at in times.items())
    (term / "one.csv").write_text(f"learner,path,submitted_at\n{rows}")
    verify("batch", "--term", "term.toml", "--assignment", "week-1", "--csv-wide", "w.csv")

    late = "1 day late, by 1 h 1 min: 10 % of 12 points deducted (12 -> 10.8)"
    assert {who: row[2:4] for who, row in _totals(term).items()} == {
        "abe": ("12", ""),
        "zoe": ("10.8", late),
    }


def test_t1_an_excused_learner_is_not_told_of_points_for_what_is_missing(
    term: Path, verify: Verify
) -> None:
    (term / "term.toml").write_text(TERM.replace("extensions", 'excused = ["abe"]\nextensions'))
    verify("batch", "--term", "term.toml", "--csv-wide", "w.csv")
    by_file = _totals(term)["abe"]
    (term / "term.toml").write_text(TERM)
    words = ("--assignment", "week-2", "--excused", "--reason", "ill", "--by", "eve")
    verify("override", "abe", *words)
    verify("batch", "--term", "term.toml", "--csv-wide", "w.csv")
    by_hand = _totals(term)["abe"]

    until = MISSING.partition(";")[0]
    assert by_file == ("12", "12", "12", "", "", f"{until}; excused")
    assert by_hand[:5] == ("12", "12", "12", "", "")
    assert by_hand[5].startswith(f"{until}; excused by eve, ")


def test_t1_a_score_that_a_time_or_the_term_changes_is_named(term: Path, verify: Verify) -> None:
    grade = ("batch", "--term", "term.toml", "--quiet")
    first = verify(*grade)[2]
    same = verify(*grade)[2]
    table = term / "one.csv"
    table.write_text(table.read_text().replace("10-07T01", "10-12T01"))
    later = verify(*grade)[2]
    (term / "term.toml").write_text(TERM.replace("points = 12", 'points = 12\nexcused = ["abe"]'))
    excused = verify(*grade, "--assignment", "week-2")[2]

    assert ["of the term changed" in text for text in (first, same)] == [False, False]
    assert "verify: 1 score of the term changed: zoe week-1 9.6 -> 3.6\n" in later
    assert "verify: 1 score of the term changed: abe week-1 12 -> excused\n" in excused


def test_t1_show_has_the_options_of_each_assignment(term: Path, verify: Verify) -> None:
    verify("batch", "--term", "term.toml")
    with sqlite3.connect(term / "gradebook.db") as connection:
        asks = "UPDATE rules SET checks = json_set(checks, '$[9].asks_service', json('true'))"
        connection.execute(asks)
        ran = "UPDATE run SET options = json_set(options, '$.run', ?) WHERE assignment = 'week-2'"
        connection.execute(ran, (JAIL,))
    _, week_1, week_2 = verify("show", "zoe")[1].split("\nweek-")

    assert ("F01.10" in week_1, "F01.10" in week_2) == (False, True)


def test_t1_every_command_knows_the_term_of_the_gradebook(term: Path, verify: Verify) -> None:
    verify("batch", "--term", "term.toml")
    code, _, errors = verify("export", "--csv-wide", "w.csv", "--assignment", "week-2")
    one = _totals(term)
    verify("export", "--csv-wide", "w.csv", "--json", "j.json")
    with (term / "j.json").open() as file:
        standings = json.load(file)["standings"]
    again = verify("regrade", "--assignment", "week-1")

    assert (code, errors) == (0, "")
    assert one == {"abe": ("0", "6", "0", MISSING), "zoe": ("6", "6", "6", "")}
    assert _totals(term) == BOTH
    assert [(each["total"], each["points"]) for each in standings] == [(12, 18), (15.6, 18)]
    assert again[:2] == (
        0,
        "week-1:\n0 of 2 results change\nNothing was written.\n",
    )
    assert verify("export", "--csv", "x", "--assignment", "week-9")[2] == (
        "verify: the term has no assignment week-9 (did you mean week-3?)"
        ' (expected "week-1", "week-2", "week-3")\n'
    )


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("--exercise", "foundation/01"), "remove --exercise, or --term"),
        (("one",), "remove the collection, or --term"),
        (("--run",), "remove --run, or --term"),
        (("--assignment", "week-7"), "term.toml has no assignment week-7"),
        (("--assignment", "week-3"), "three"),
        (("--canvas-column", "week-9=X (1)", "--canvas", "c", "--canvas-from", "e.csv"), "week-9"),
    ],
)
def test_t1_what_a_term_cannot_be_asked_is_one_line(
    term: Path, verify: Verify, words: tuple[str, ...], line: str
) -> None:
    code, text, errors = verify("batch", "--term", "term.toml", *words)

    assert (code, text, errors.count("\n"), line in errors) == (2, "", 1, True)
    assert not (term / "gradebook.db").exists()


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        (
            '"foundation/02"',
            '"foundation/22"',
            "term.toml:17:14: $.assignments.week-3.exercises[0]: no exercise '22' in foundation",
        ),
        (
            "abe = 2020",
            "abel = 2020",
            "term.toml:15:16: $.assignments.week-2.extensions.abel: the roster has no learner abel",
        ),
        (
            "points = 10",
            'layout = "mooodle"',
            "term.toml:19:1: $.assignments.week-3.layout: mooodle is not a layout",
        ),
    ],
)
def test_t1_what_the_course_and_the_roster_do_not_have_is_one_line_with_its_place(
    term: Path, verify: Verify, old: str, new: str, line: str
) -> None:
    (term / "term.toml").write_text(TERM.replace(old, new))
    code, text, errors = verify("batch", "--term", "term.toml")

    assert (code, text, errors.count("\n")) == (2, "", 1)
    assert errors.startswith(f"verify: {line}")
    assert not (term / "gradebook.db").exists()


def test_t1_a_gradebook_is_of_a_term_or_of_one_assignment(term: Path, verify: Verify) -> None:
    verify("batch", "--term", "term.toml", "--assignment", "week-2")
    mixed = verify("batch", "one", "--exercise", "foundation/01")
    (term / "term.toml").write_text(TERM.replace("week-2", "week-two"))
    renamed = verify("batch", "--term", "term.toml")

    where = f"--term {term}/term.toml, or a different --gradebook"
    assert mixed[2] == f"verify: gradebook.db is the gradebook of a term: use {where}\n"
    assert renamed[2] == (
        'verify: gradebook.db has results of "week-2", and the term does not: name it in the'
        " term, or add --replace to leave it out of the exports\n"
    )


def test_t6_the_gradebook_of_one_assignment_is_not_for_a_term(term: Path, verify: Verify) -> None:
    verify("batch", "one", "--exercise", "foundation/01")
    before = (term / "gradebook.db").read_bytes()

    assert verify("batch", "--term", "term.toml")[2] == (
        'verify: gradebook.db has results of "a run without a term", and the term does not: use a'
        " new gradebook, or add --replace to leave it out of the exports\n"
    )
    assert (term / "gradebook.db").read_bytes() == before


def test_t6_a_table_without_an_assignment_is_told_one_of_the_term(
    term: Path, verify: Verify
) -> None:
    verify("batch", "--term", "term.toml")
    (term / "d.csv").write_text("id,score,reason\nabe,3,oral\n")

    assert verify("override", "--from", "d.csv")[2] == (
        "verify: d.csv: 1 row cannot be used; nothing was written\n"
        "d.csv:2: names no assignment (expected one, such as week-1)\n"
    )


def test_t6_more_than_the_points_of_an_assignment_is_remarked(term: Path, verify: Verify) -> None:
    (term / "term.toml").write_text(TERM.replace("points = 6\n", ""))
    verify("batch", "--term", "term.toml")

    def said(name: str, score: str) -> str:
        words = ("zoe", "--assignment", name, "--score", score, "--reason", "oral")
        return verify("override", *words)[2]

    assert [said("week-1", "12"), said("week-2", "9")] == ["", ""]
    assert said("week-1", "120") == (
        "verify: 120 is more than the 12 points of week-1, but counts in full\n"
    )
    assert said("week-2", "9.5") == (
        "verify: 9.5 is more than the 9 points of week-2, but counts in full\n"
    )


def test_t1_an_example_is_graded_once_its_paths_exist(term: Path, verify: Verify) -> None:
    code, text, _ = verify("new-term", "new.toml")
    assert (code, text.startswith("new.toml describes a term of two weeks")) == (0, True)
    assert verify("new-term", "new.toml")[2] == "verify: new.toml exists: choose a different name\n"
    shutil.make_archive(str(term / "week-1"), "zip", "one")
    code, text, errors = verify("batch", "--term", "new.toml", "--assignment", "week-1")

    assert (code, "week-1: 2 submissions graded" in text) == (1, True), errors


def test_t6_a_collection_that_does_not_exist_is_named_beside_what_is_graded(
    term: Path, verify: Verify
) -> None:
    assert not (term / "three").exists()
    whole = verify("batch", "--term", "term.toml")[1].splitlines()
    one = verify("batch", "--term", "term.toml", "--assignment", "week-1")[1]

    assert whole[-2] == 'not graded now, without a collection: "week-3 (three)"'
    assert "without a collection" not in one


def test_t6_an_exercise_of_two_assignments_has_two_columns_for_each_check(
    term: Path, verify: Verify
) -> None:
    verify("batch", "--term", "term.toml", "--csv-wide", "w.csv")
    with (term / "w.csv").open(newline="") as file:
        names = next(csv.reader(file))
    verify("export", "--assignment", "week-1", "--csv-wide", "w.csv")

    assert len(names) == len(set(names))
    assert [name for name in names if name.endswith("F01.1")] == ["week-1 F01.1", "week-2 F01.1"]
    assert ",F01.1," in (term / "w.csv").read_text()


def test_t6_submissions_without_a_time_are_counted_where_late_ones_lose_points(
    term: Path, verify: Verify
) -> None:
    manifest = (term / "one.csv").read_text().replace("2020-10-07T01:00", "")
    (term / "one.csv").write_text(manifest)
    untimed = "have no time, so nothing is deducted if late: a manifest can give it (submitted_at)"
    text = TERM.replace("late = { percent_a_day = 10 }\n", "")

    assert verify("batch", "--term", "term.toml")[2].splitlines()[-2:] == [
        f"verify: week-1: 1 of 2 submissions {untimed}",
        f"verify: week-2: 1 of 1 submissions {untimed}",
    ]
    (term / "term.toml").write_text(text)
    assert "have no time" not in verify("batch", "--term", "term.toml")[2]


DATE = (
    "not TOML: Expected newline or end of document after a statement"
    ' (expected text in "…", a date and a time such as 2026-10-05T23:59:00, a number,'
    " true or false)"
)
NUMBER = 'excused[0]: wrong value (expected text in "…", found 7)'
POINTS = (
    "wrong value (expected a whole number: the points (default: those of the exercises), found 1.5)"
)
TEXT = "wrong value (expected a list in [ ]: keys of learners, as on the roster, found"


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("points = 12", "excused = [7]", f"9:12: $.assignments.week-1.{NUMBER}"),
        ("points = 12", "points = 1.5", f"9:1: $.assignments.week-1.points: {POINTS}"),
        ("points = 12", 'excused = "abe"', f'9:1: $.assignments.week-1.excused: {TEXT} "abe")'),
        ("2020-10-05T23:59:00", "05.10.2020", f"8:8: {DATE}"),
        ("2020-10-05T23:59:00", "2020-13-05T23:59:00", f"8:11: {DATE}"),
    ],
)
def test_t6_a_wrong_value_says_how_a_right_one_is_written(
    term: Path, verify: Verify, old: str, new: str, line: str
) -> None:
    (term / "term.toml").write_text(TERM.replace(old, new))

    assert verify("batch", "--term", "term.toml")[2] == f"verify: term.toml:{line}\n"


def test_t1_what_a_group_submitted_counts_for_each_member(term: Path, verify: Verify) -> None:
    (term / "groups.csv").write_text("id,group\nabe,Team 1\nzoe,Team 1\n")
    shutil.copytree(SOLVED, term / "three/Team 1")
    (term / "term.toml").write_text(
        TERM.replace("foundation/02", "foundation/01") + 'groups_file = "groups.csv"\n'
    )
    verify("batch", "--term", "term.toml", "--assignment", "week-3", "--csv-wide", "w.csv")

    assert _totals(term) == dict.fromkeys(("abe", "zoe"), ("10", "10", "10", ""))


def test_t1_show_names_the_attempt_that_counts_and_grades_that_one_again(
    term: Path, verify: Verify, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "500")
    (term / "term.toml").write_text(TERM.replace("points = 12", 'points = 12\nattempts = "best"'))
    shutil.copytree(SOLVED, term / "late/zoe")
    manifest = "learner,path,submitted_at,attempt\nzoe,one/zoe,2020-10-05T20:00,1\n"
    (term / "one.csv").write_text(f"{manifest}zoe,late/zoe,2020-10-07T20:00,2\n")
    verify("batch", "--term", "term.toml", "--assignment", "week-1")
    lines = verify("show", "zoe", "--assignment", "week-1")[1].splitlines()

    at = lines.index("Submissions:")
    first, second = [line for line in lines[at + 1 :] if line.startswith("  week-1, ")]
    (again,) = lines[lines.index("To grade again:") + 1 :]
    assert ("another attempt counts" in first, "another attempt counts" in second) == (False, True)
    assert "an earlier attempt" not in first
    assert "--project one/zoe" in again


def test_a_term_without_any_collection_names_those_that_it_looks_for(
    term: Path, verify: Verify
) -> None:
    (term / "one.csv").unlink()
    shutil.rmtree(term / "two")

    code, _, errors = verify("batch", "--term", "term.toml")

    assert code == 2
    assert errors == (
        "verify: term.toml: no assignment has its collection yet (expected"
        ' "one.csv", "two", "three", beside this file)\n'
    )


def test_a_note_on_an_entry_names_its_assignment(term: Path, verify: Verify) -> None:
    shutil.copytree(SOLVED, term / "two" / "eve")

    assert (
        "verify: week-2: eve: unmatched: is not on the roster\n"
        in (verify("batch", "--term", "term.toml")[2])
    )


def test_the_report_of_a_term_speaks_of_assignments(term: Path, verify: Verify) -> None:
    verify("batch", "--term", "term.toml", "--html", "report")
    page = (term / "report" / "index.html").read_text("utf-8")

    assert "passed both assignments." in page
    assert "<h3>By assignment</h3>" in page
    assert "<label>Assignment " in page


def test_a_decision_about_a_misspelt_entry_is_told_the_entry(term: Path, verify: Verify) -> None:
    (term / "d.csv").write_text("entry,learner\nzoey,abe\n")

    assert verify("batch", "one", "--exercise", "foundation/01", "--decisions", "d.csv")[2] == (
        'verify: --decisions d.csv: no collection has the entry "zoey" (did you mean zoe?)\n'
    )
