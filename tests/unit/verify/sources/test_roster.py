"""Rosters as instructors have them, and whose a submission is by them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from verify.gradebook.values import Learner
from verify.sources import csv_table
from verify.sources.base import Entry
from verify.sources.roster import UnusableRoster, kept_roster, read_roster

if TYPE_CHECKING:
    from pathlib import Path

    from verify.sources.roster import Roster

USUAL = "id, learner, learner id, student id, student number, user id, username, login"
CANVAS = """\
\ufeffStudent,ID,SIS User ID,SIS Login ID,Section,Plan (4711)
,,,,,Manual Posting
    Points Possible,,,,,7
"Doe, Jane",1001,u-1,jdoe,"A, B",
"Ångström, Åke",1002,u-2,aake,A,5
"""
MOODLE = """\
Identifier,"Full name","Email address",Status,Grade,"Last modified (grade)"
"Participant 12","Jane Doe",jane@uni.example,Submitted,,-
"Participant 13","Åke Ångström",ake@uni.example,,,-
"""
CLASSROOM = """\
"identifier","github_username","github_id","name"
"s1","jdoe-gh","77",""
"s2","","",""
"""


@pytest.fixture
def written(tmp_path: Path) -> Path:
    return tmp_path / "students.csv"


def roster_of(file: Path, text: str) -> Roster:
    file.write_bytes(text.encode())
    return read_roster(str(file))


def fault_of(file: Path, data: bytes) -> str:
    file.write_bytes(data)
    with pytest.raises(UnusableRoster) as raised:
        read_roster(str(file))
    assert "\n" not in str(raised.value)
    return str(raised.value).removeprefix(str(file))


def key(roster: Roster, learner: str, *aliases: str) -> str | None:
    return roster.key_of(Entry(learner, "inner", aliases=aliases))


@pytest.mark.parametrize("text", ["id,name,e-mail\n", "id;name;e-mail\r\n", "ID\tName\tE-Mail\n"])
def test_the_usual_separators_are_found_out(text: str, written: Path) -> None:
    sign = text[2]
    roster = roster_of(written, text + sign.join(["a1", ' "Jane  Doe" '.strip(), "j@x"]) + "\n")
    (learner,) = roster.learners

    assert learner[:3] == ("a1", "Jane Doe", "j@x")
    assert learner.rostered


def test_canvas_own_gradebook_is_a_roster(written: Path) -> None:
    jane, ake = roster_of(written, CANVAS).learners

    assert jane == Learner(
        "1001",
        "Doe, Jane",
        "",
        {
            "Student": "Doe, Jane",
            "ID": "1001",
            "SIS User ID": "u-1",
            "SIS Login ID": "jdoe",
            "Section": "A, B",
        },
        rostered=True,
    )
    assert ake.ids["Plan (4711)"] == "5"


def test_canvas_submissions_are_matched_by_number_login_or_name(written: Path) -> None:
    roster = roster_of(written, CANVAS)

    assert key(roster, "somebody_1001", "1001") == "1001"
    assert key(roster, "u-2") == "1002"
    assert key(roster, "JDOE") == "1001"
    assert key(roster, "doejane_999", "999") == "1001"
    assert key(roster, "angstromake") == "1002"
    assert key(roster, "nobody") is None
    assert key(roster, "A, B") is None  # a section is nobody's identity
    assert roster.ambiguous == {}


def test_moodles_own_worksheet_is_a_roster(written: Path) -> None:
    roster = roster_of(written, MOODLE)

    assert roster.learners[0].key == "Participant 12"
    assert roster.learners[0].email == "jane@uni.example"
    assert roster.learners[0].ids["Identifier"] == "Participant 12"
    assert key(roster, "Somebody_13", "13", "Participant 13") == "Participant 13"
    assert key(roster, "Jane Doe_99") == "Participant 12"
    assert key(roster, "ake@uni.example") == "Participant 13"


def test_github_classrooms_own_roster_is_one(written: Path) -> None:
    roster = roster_of(written, CLASSROOM)

    assert [learner.key for learner in roster.learners] == ["s1", "s2"]
    assert key(roster, "hw1-jdoe-gh", "jdoe-gh") == "s1"


def test_first_and_last_name_may_stand_apart(written: Path) -> None:
    roster = roster_of(written, "Last Name,First-name,Email\nDoe,Jane Ann,j@x\n")

    assert roster.learners[0][:3] == ("j@x", "Jane Ann Doe", "j@x")
    assert key(roster, "doejaneann") == "j@x"


def test_what_may_be_several_learners_is_nobodys_and_is_named(written: Path) -> None:
    roster = roster_of(written, "id,name\na,Jane Doe\nb,Jane Doe\nJane,John Roe\njane,Jim Poe\n")

    assert key(roster, "Jane Doe") is None
    assert key(roster, "janedoe_5") is None
    assert key(roster, "JANE") is None
    assert key(roster, "jane") == "jane"  # written in exactly that way
    assert roster.ambiguous == {
        "Jane Doe": ("a", "b"),
        "janedoe_5": ("a", "b"),
        "JANE": ("Jane", "jane"),
    }


def test_a_key_counts_before_anything_else_of_anybody(written: Path) -> None:
    roster = roster_of(written, "id,login,name\n1,2,One\n2,3,Two\n")

    assert key(roster, "2") == "2"
    assert key(roster, "3") == "2"


UNUSABLE = {
    b"": " is empty: its first line must name the columns",
    b"id,name\n": ", line 2: expected the first learner, found none",
    b"surname,section\nDoe,A\n": (
        f", line 1: no column tells learners apart: name one of them {USUAL} or email"
    ),
    b"id,name\n,Jane\n": ', line 2: has nothing in "id", which tells learners apart',
    b"id,name\na,Jane\n\nb,Jim\na,Joe\n": (
        ', line 5: "id" is "a", as on line 2: each learner needs one of their own'
    ),
    b"id,login\na,x\nb,x\n": (
        ', line 3: "login" is "x", as on line 2: each learner needs one of their own'
    ),
    b"id,name\na,b,c\n": ", line 2: has 3 cells, but there are 2 columns",
    b'id,name\na,"b\n': ", line 2: is no row of a table: unexpected end of data",
    b"id,name\na,\xff\n": ", line 2: is not UTF-8: save the table as CSV in UTF-8",
    b"id,name\na,b\n\0,c\n": ", line 3: has a NUL character: save the table as CSV in UTF-8",
    b"id\n" + b"a" * 301 + b"\n": ', line 2: "id" has more than 300 characters',
    b"id\na\x1b[2Jb\n": ', line 2: "id" has a character that controls a terminal',
    b'id,note\na,"x\ny\nz"\n,late\n': ', line 5: has nothing in "id", which tells learners apart',
}


def test_a_roster_that_cannot_be_used_says_where(written: Path) -> None:
    assert {data: fault_of(written, data) for data in UNUSABLE} == UNUSABLE


def test_a_line_of_a_million_cells_is_refused_before_it_is_parted(written: Path) -> None:
    told = "is longer than 1024 KiB: save the table as CSV again"

    assert fault_of(written, b"id" + b"," * (1 << 20)) == f", line 1: {told}"
    assert fault_of(written, b"id\na\n" + b"b" * (1 << 21)) == f", line 3: {told}"


def test_more_rows_than_any_class_has_are_refused(
    written: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(csv_table, "MAX_ROWS", 3)
    four = roster_of(written, "id\na\n\nb\nc\n")

    assert [learner.key for learner in four.learners] == ["a", "b", "c"]
    assert fault_of(written, b"id\na\n\nb\nc\nd\n") == ", line 6: there are more than 3 rows"


def test_a_kept_roster_tells_learners_as_its_file_did(written: Path) -> None:
    for text in (CANVAS, MOODLE, CLASSROOM):
        read = roster_of(written, text)
        kept = kept_roster(read.learners)
        met = [*read.learners[0].ids.values(), *read.learners[1].ids.values(), "JANEDOE", "no"]

        assert [key(kept, name) for name in met] == [key(read, name) for name in met]
        assert list(kept.learners) == list(read.learners)
