"""A group's submission is each member's; what is not clear about a group is said."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

import pytest

from pipeline.files import FILE, FOLDER
from tests.stubs.downloads import CONTENTS, EXERCISE, zipped
from tests.stubs.rosters import roster_in
from verify import cli
from verify.intake.collection import Entry, FolderCollection
from verify.intake.groups import Groups, read_groups
from verify.intake.matching import Matcher
from verify.intake.table import Unusable

if TYPE_CHECKING:
    from pathlib import Path

CANVAS = (
    "Student,ID,SIS User ID,SIS Login ID,Section\n    Points Possible,,,,\n"
    '"Lovelace, Ada",1001,s1,ada,A\n"Roe, Ben",1002,s2,ben,A\n"Poe, Cy",1003,s3,cy,A\n'
)
CANVAS_GROUPS = (
    "name,canvas_user_id,user_id,login_id,sections,group_name\n"
    "Ada Lovelace,1001,s1,ada,A,Team Ü-1\nBen Roe,1002,,,A,Team Ü-1\nCy Poe,1003,s3,cy,A,\n"
)
MOODLE = (
    "Identifier,Full name,Email address,Status,Group,Grade,Maximum Grade\n"
    "Participant 7,Ada Lovelace,ada@x.org,Submitted,Team Ü-1,,10\n"
    "Participant 8,Ben Roe,ben@x.org,,Team Ü-1,,10\nParticipant 9,Cy Poe,cy@x.org,,,,10\n"
)
BRIGHTSPACE = (
    "OrgDefinedId,Username,Last Name,First Name,Email\n"
    "#1001,#ada,Lovelace,Ada,a@x.org\n#1002,#ben,Roe,Ben,b@x.org\n#1003,#cy,Poe,Cy,c@x.org\n"
)
PLAIN = "id,name\n1001,Ada Lovelace\n1002,Ben Roe\n1003,Cy Poe\n"
OWN = "Gruppe;E-Mail;Vorname;Nachname\nTeam Ü-1;;Ada;Lovelace\nTeam Ü-1;;Ben;Roe\n"
AT = "Jan 5, 2026 1136 AM"
TABLES = [  # a roster, a table of groups, names of a group's entry, the members
    (CANVAS, CANVAS_GROUPS, ("teamü1_1001_7_x.zip", "teamü1_LATE_1002_7_x.zip"), "1001 1002"),
    (MOODLE, MOODLE, ("Team Ü-1_9_assignsubmission_file/",), "Participant 7,Participant 8"),
    (
        BRIGHTSPACE,
        'OrgDefinedId,Username,Groups\n#1001,#ada,"Tutorial A, Team Ü-1"\n#1002,#ben,Team Ü-1\n',
        (f"1-2 - Team Ü-1 - {AT}/",),
        "1001 1002",
    ),
    (PLAIN, OWN, ("Team Ü-1.zip", "team ü 1/"), "1001 1002"),
]


def matched(tmp_path: Path, roster: str, groups: str, entry: str) -> list[str]:
    """Return whose an entry is, or why it is nobody's."""
    known = roster_in(tmp_path, roster)
    (tmp_path / "groups.csv").write_text(groups, "utf-8")
    found = read_groups(str(tmp_path / "groups.csv"), known)
    matcher = Matcher(FolderCollection("x"), known, {}, "", found)
    nature = FOLDER if entry.endswith("/") else FILE
    return [match.learner or match.why for match in matcher.match(Entry(entry.strip("/"), nature))]


@pytest.mark.parametrize(("roster", "groups", "entries", "members"), TABLES)
def test_t7_the_submission_of_a_group_is_each_members(
    tmp_path: Path, roster: str, groups: str, entries: tuple[str, ...], members: str
) -> None:
    expected = members.split("," if "," in members else " ")
    for entry in entries:
        assert matched(tmp_path, roster, groups, entry) == expected


UNCLEAR = {
    (CANVAS, CANVAS_GROUPS, "teamü1_1003_7_x.zip"): (
        'may be of a group or of somebody else ("1001", "1002", "1003"): use --decisions'
    ),
    (CANVAS, CANVAS_GROUPS, "teamü1_9_7_x.zip"): "names 9, which is not on the roster",
    (CANVAS, CANVAS_GROUPS, "teamü2_1001_7_x.zip"): (
        "has the number of 1001, but not their name or a group's: use --decisions"
    ),
    (CANVAS, CANVAS_GROUPS, "lovelaceada_1001_7_x.zip"): "1001",
    (CANVAS, CANVAS_GROUPS, "poecyril_1003_7_x.zip"): "1003",  # who is in no group
    (MOODLE, MOODLE, "Team Z_7_assignsubmission_file/"): "names 7, which is not on the roster",
    (PLAIN, OWN, "Team Z/"): "is not on the roster and is not a group",
    (PLAIN, "id,group\n1001,Ben Roe\n", "Ben Roe/"): (
        'may be of a group or of somebody else ("1001", "1002"): use --decisions'
    ),
    (PLAIN, "id,group\n1001,A-1\n1002,A 1\n", "A1/"): "is not on the roster and is not a group",
    (PLAIN, "id,group\n1001,A-1\n1002,A 1\n", "A-1/"): "1001",
    (PLAIN, "id,group\n1001,!!!\n", "---/"): "is not on the roster and is not a group",
    (PLAIN, "id,group\n1001,!!!\n", "!!!/"): "1001",
}


def test_t7_an_entry_that_may_be_somebody_elses_is_no_groups(tmp_path: Path) -> None:
    assert {key: matched(tmp_path, *key)[0] for key in UNCLEAR} == UNCLEAR


def test_t7_what_a_table_of_groups_lacks_is_said_in_one_line_each(tmp_path: Path) -> None:
    known = roster_in(tmp_path, PLAIN)
    path = tmp_path / "g.csv"
    path.write_text(
        "id,group\n1001,A\n1002,A\n1002,B\n1003,C\n9,C\n8,C\n7,\n1001,\x1b[2J\n", "utf-8"
    )

    found = read_groups(str(path), known)
    why = "each row needs one learner on the roster, and a readable group"

    assert [*found.lines({"1001", "1002"})] == [
        f"{path}: left out line 6, line 7, line 9: {why}",
        '1002 is in 2 groups ("A", "B"), and is unresolved if several of them have submitted',
        'the group "C" has no submission: "1003"',
    ]


WRONG = {
    "id,team name\n1001,A\n": ', line 1: none of the columns "id", "team name" has groups'
    " (expected a column group)",
    "id,group\n9,A\n": ", line 1: has no group of a learner on the roster",
    "": " is empty: its first line must name the columns",
}


@pytest.mark.parametrize("text", WRONG)
def test_t7_a_table_without_groups_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "g.csv"
    path.write_text(text, "utf-8")
    with pytest.raises(Unusable) as raised:
        read_groups(str(path), roster_in(tmp_path, PLAIN))

    assert str(raised.value).removeprefix(str(path)) == WRONG[text]


def test_no_groups_are_none() -> None:
    assert (bool(Groups({})), Groups({"a": []}).called("")) == (False, [])


def grades(path: Path) -> dict[str, str]:
    with path.open(encoding="utf-8", newline="") as file:
        return {row["learner"]: row[f"{EXERCISE} outcome"] for row in csv.DictReader(file)}


def test_t7_a_rerun_takes_groups_and_layout_as_the_run_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "r.csv").write_text(PLAIN + "1004,Di Fox\n", "utf-8")
    (tmp_path / "g.csv").write_text("id,group\n1001,Team 1\n1002,Team 1\n1003,Team 1\n", "utf-8")
    (tmp_path / "class").mkdir()
    for name, work in (("Team 1", "solved"), ("Cy Poe", "broken"), ("Di Fox", "broken")):
        path = tmp_path / "class" / f"HW - {name} - x.zip"
        path.write_bytes(zipped(CONTENTS[work]))
    grade = ("batch", "class", "--exercise", EXERCISE, "--quiet", "--csv-wide", "w.csv")
    given = ("--roster", "r.csv", "--groups", "g.csv", "--layout", "HW - {name} - {any}")

    cli.main([*grade, *given])
    first, said = grades(tmp_path / "w.csv"), capfd.readouterr().err
    cli.main([*grade])
    again, noted = grades(tmp_path / "w.csv"), capfd.readouterr().err
    cli.main([*grade, "--roster", "r.csv"])
    rostered = grades(tmp_path / "w.csv")
    code = cli.main([*grade, "--layout", "all", "--replace"])

    assert first == {"1001": "pass", "1002": "pass", "1003": "unresolved", "1004": "fail"}
    assert again == rostered == first
    claim = '2 entries claim this learner ("HW - Cy Poe - x.zip", "HW - Team 1 - x.zip")'
    assert said.count(f"unresolved: {claim}: use --decisions") == 2
    assert "the layout HW - {name} - {any} of the last run is used: --layout all uses" in noted
    assert (code, "only 0 of 3 submissions match" in capfd.readouterr().err) == (2, True)
    assert cli.main([*grade, "--no-roster", "--groups", "g.csv"]) == 2
