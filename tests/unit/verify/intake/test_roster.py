"""Rosters as platforms export them and instructors keep them, and whom a hint means."""

from __future__ import annotations

import gc
import json
import threading
import warnings
from typing import TYPE_CHECKING

import pytest

from verify.gradebook.records import Learner
from verify.intake.roster import Roster, RosterColumns, read_roster
from verify.intake.spelling import bare
from verify.intake.table import Unusable

if TYPE_CHECKING:
    from pathlib import Path

CANVAS = """\
Student,ID,SIS User ID,SIS Login ID,Section,Plan (4711)
,,,,,Manual Posting
    Points Possible,,,,,7
"Doe, Jane",1001,0012345,jdoe,"A, B",
"Ångström, Åke",1002,u-2,aake,A,5
"Student, Test",1003,,,A,
"""
CANVAS_TWO_NAMES = """\
LastName,FirstName,ID,SIS Login ID,Section
    Points Possible,,,,
Doe,Jane,1001,jdoe,A
Ångström,Åke,1002,aake,A
"""
MOODLE = """\
Identifier,"Full name","Email address",Status,Grade,"Maximum Grade","Last modified (grade)"
"Participant 12","Jane Doe",jane@uni.example,Submitted,,7,-
"Participant 13","Åke Ångström",ake@uni.example,,,7,-
"""
MOODLE_GERMAN = """\
ID;"Vollständiger Name";E-Mail-Adresse;Status;Bewertung;"Bestwertung"
Teilnehmer/in12;"Jane Doe";jane@uni.example;"Zur Bewertung abgegeben";;7,00
Teilnehmer/in13;"Åke Ångström";ake@uni.example;;;7,00
"""
MOODLE_BLIND = """\
Identifier,Status,Grade,"Maximum Grade"
"Participant 12",Submitted,,7
"Participant 13",,,7
"""
MOODLE_PEOPLE = """\
Vorname,Nachname,ID-Nummer,E-Mail-Adresse,Gruppen
Jane,Doe,,jane@uni.example,A
Åke,Ångström,13,ake@uni.example,A
"""
GRADESCOPE = """\
First Name,Last Name,SID,Email,Sections
Jane,Doe,0012345,jane@uni.example,A
Åke,Ångström,,ake@uni.example,A
"""
BLACKBOARD = """\
"Last Name"\t"First Name"\t"Username"\t"Student ID"\t"Last Access"\t"Plan [Total Pts: 7 Score] |123"
"Doe"\t"Jane"\t"jdoe"\t"0012345"\t"2026-10-01"\t""
"Ångström"\t"Åke"\t"aake"\t""\t""\t""
"""
BLACKBOARD_GERMAN = """\
Nachname,Vorname,Benutzername,Studierenden-ID,Letzter Zugriff,Verfügbarkeit
Doe,Jane,jdoe,0012345,,Ja
Ångström,Åke,aake,,,Ja
"""
CLASSROOM = """\
username,first_name,last_name,email,section,github_id,role
Jdoe-gh,Jane,Doe,jane@uni.example,A,77,student
aake,Åke,Ångström,,,0,
tess,Tess,Tutor,,,79,hta
"""
GERMAN = (
    "Matrikel-Nr.;Vorname;Nachname;E-Mail\n0012345;Jane;Doe;jane@uni.example\n2;Åke;Ångström;\n"
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "students.csv"


def roster_of(file: Path, text: str) -> Roster:
    file.write_text(text, "utf-8")
    return read_roster(str(file))


def learners_of(roster: Roster) -> list[Learner]:
    return [
        Learner(key, name, email, json.loads(ids), rostered=True)
        for key, name, email, ids in roster.rows()
    ]


def fault_of(file: Path, text: str) -> str:
    with pytest.raises(Unusable) as raised:
        roster_of(file, text)
    assert "\n" not in str(raised.value)
    return str(raised.value).removeprefix(str(file))


SAKAI = """\
Plan,Points,,,,,
,,,,,,
Display ID,ID,Last Name,First Name,grade,Submission,Late Submission
jdoe,jdoe,Doe,Jane,,2026-03-01T11:00:00Z,On time
aake,aake,Ångström,Åke,,,
"""
EXPORTS = {  # text: platform, keys, address of the first, what Jane's number and login are
    CANVAS: ("canvas", ["1001", "1002"], ""),
    CANVAS_TWO_NAMES: ("canvas", ["1001", "1002"], ""),
    MOODLE: ("moodle", ["Participant 12", "Participant 13"], "jane@uni.example"),
    MOODLE_GERMAN: ("moodle", ["Teilnehmer/in12", "Teilnehmer/in13"], "jane@uni.example"),
    MOODLE_PEOPLE: ("", ["jane@uni.example", "13"], "jane@uni.example"),
    GRADESCOPE: ("gradescope", ["0012345", "ake@uni.example"], "jane@uni.example"),
    BLACKBOARD: ("blackboard", ["0012345", "aake"], ""),
    BLACKBOARD_GERMAN: ("blackboard", ["0012345", "aake"], ""),
    CLASSROOM: ("classroom", ["Jdoe-gh", "aake"], "jane@uni.example"),
    SAKAI: ("sakai", ["jdoe", "aake"], ""),
    GERMAN: ("", ["0012345", "2"], "jane@uni.example"),
}


@pytest.mark.parametrize("text", EXPORTS)
def test_i10_an_export_has_its_platform_its_learners_and_their_names(text: str, file: Path) -> None:
    roster = roster_of(file, text)
    jane, ake = learners_of(roster)

    assert (roster.platform, [jane.key, ake.key], jane.email) == EXPORTS[text]
    assert roster.by_person("doejane") == roster.by_person("Jane Doe") == jane.key
    assert roster.by_person("angstromake") == roster.by_person("A\u030akeÅngström") == ake.key
    assert roster.by_key(jane.key) == jane.key
    assert roster.by_person("Jane") is roster.by_key("nobody") is roster.by_key("") is None


@pytest.mark.parametrize("text", EXPORTS)
def test_a_roster_that_a_gradebook_keeps_answers_as_its_file_did(text: str, file: Path) -> None:
    read = roster_of(file, text)
    learners = learners_of(read)
    names = dict.fromkeys(name for learner in learners for name in learner.ids)
    kept = Roster(enumerate(learners), RosterColumns(names))
    asked = [cell for learner in learners for cell in learner.ids.values()]
    platforms = ["canvas", "moodle", "gradescope", "blackboard", "classroom"]

    assert (kept.platform, learners_of(kept)) == (read.platform, learners)
    assert list(map(kept.by_key, asked)) == list(map(read.by_key, asked))
    for platform in platforms:
        for cell in [*asked, "12", "13"]:
            assert kept.by_number(platform, cell) == read.by_number(platform, cell)
            assert kept.by_login(platform, cell) == read.by_login(platform, cell)


def test_all_cells_of_a_row_are_kept_with_the_learner(file: Path) -> None:
    assert learners_of(roster_of(file, CANVAS))[0] == Learner(
        "1001",
        "Doe, Jane",
        "",
        {
            "Student": "Doe, Jane",
            "ID": "1001",
            "SIS User ID": "0012345",
            "SIS Login ID": "jdoe",
            "Section": "A, B",
        },
        rostered=True,
    )


NUMBERS = {
    CANVAS: ("canvas", "1001", "1001"),
    MOODLE: ("moodle", "12", "Participant 12"),
    MOODLE_GERMAN: ("moodle", "12", "Teilnehmer/in12"),
    MOODLE_BLIND: ("moodle", "12", "Participant 12"),
    GRADESCOPE: ("gradescope", "0012345", "0012345"),
}


@pytest.mark.parametrize("text", NUMBERS)
def test_a_number_counts_for_the_roster_of_its_own_platform_only(text: str, file: Path) -> None:
    roster = roster_of(file, text)
    platform, number, key = NUMBERS[text]
    others = {"canvas", "moodle", "gradescope", "blackboard", "classroom", "plain"} - {platform}

    assert roster.by_number(platform, number) == key
    assert [roster.by_number(foreign, number) for foreign in others] == [None] * len(others)
    assert roster.by_number(platform, f"0{number}") is None
    assert roster.by_number(platform, "") is roster.by_number("", number) is None


def test_a_number_of_canvas_is_nothing_to_a_roster_with_numbers_of_its_own(file: Path) -> None:
    roster = roster_of(file, "id,name\n10001,Max Mustermann\n20001,Jane Doe\n")

    assert roster.by_number("canvas", "10001") is None
    assert roster.by_person("doejane") == "20001"


def test_a_team_s_number_in_moodle_is_not_the_participant_with_that_number(file: Path) -> None:
    roster = roster_of(file, MOODLE)

    assert roster.by_number("moodle", "12", "Jane Doe") == "Participant 12"
    assert roster.by_number("moodle", "12", "Team Doe") is None
    assert roster.by_number("moodle", "12", "Åke Ångström") is None


LOGINS = {
    CLASSROOM: ("classroom", "jdoe-GH", "Jdoe-gh"),
    BLACKBOARD: ("blackboard", "jdoe", "0012345"),
    GRADESCOPE: ("gradescope", "Jane@uni.example", "0012345"),
    MOODLE: ("gradescope", "jane@uni.example", "Participant 12"),
    "id,name,GitHub\n7,Jane,jdoe\n": ("classroom", "jdoe", "7"),
}


@pytest.mark.parametrize("text", LOGINS)
def test_a_login_counts_for_a_column_of_its_platform_only(text: str, file: Path) -> None:
    roster = roster_of(file, text)
    platform, login, key = LOGINS[text]
    others = {"canvas", "moodle", "gradescope", "blackboard", "classroom", "plain"} - {platform}

    assert roster.by_login(platform, login) == key
    assert [roster.by_login(foreign, login) for foreign in others] == [None] * len(others)
    assert roster.has_login(login) is (platform != "gradescope")
    assert not roster.has_login("nobody")


def test_t7_the_user_of_another_roster_is_no_login_of_github(file: Path) -> None:
    roster = roster_of(file, "username,section,name\njdoe,A,Jane\n")
    both = roster_of(file, "username,section,github_id,github\njdoe,A,7,octo\n")

    assert roster.by_login("classroom", "jdoe") is both.by_login("classroom", "jdoe") is None
    assert both.by_login("classroom", "octo") == "jdoe"


def test_a_key_that_is_another_learners_identity_belongs_to_neither(file: Path) -> None:
    roster = roster_of(file, "id,login,name\n1,2,One\n2,3,Two\nAb,x,Three\nab,y,Four\n")

    assert [roster.by_key(text) for text in ("2", "3", "Ab", "ab")] == [None, "2", "Ab", "ab"]
    assert roster.by_key("AB") is None  # may be two
    assert roster.by_key("X") == "Ab"


def test_a_name_of_two_learners_means_neither(file: Path) -> None:
    roster = roster_of(file, "id,name\na,Jane Doe\nb,Doe Jane\nc,Kim Lee\n")

    assert roster.by_person("Jane Doe") is None
    assert roster.by_person("leekim") == "c"


def test_g12_a_roster_of_brightspace_is_read_without_its_marks(file: Path) -> None:
    columns = "OrgDefinedId,Username,Last Name,First Name,Email,End-of-Line Indicator"
    rows = "#00123,#ada,Lovelace,Ada,ada@x.org,#\n,#bob,Roe,Bob,bob@x.org,#\n"
    file.write_text(f"{columns}\n{rows}", encoding="utf-8")
    roster = read_roster(str(file))

    assert (roster.platform, [row[:3] for row in roster.rows()]) == (
        "brightspace",
        [("00123", "Ada Lovelace", "ada@x.org"), ("bob", "Bob Roe", "bob@x.org")],
    )


def test_names_are_compared_by_letters_and_not_transliterated() -> None:
    names = [
        "Müller",
        "Mueller",
        "Strauß",
        "Strauss",
        "O'Brien-Ó",
        "李 雷",
        "राम",
        "रीम",
        "🦊",
        "\udcff",
    ]

    assert list(map(bare, names)) == [
        *("muller", "mueller", "strauß", "strauss", "obrieno", "李雷", "राम", "रीम", "", "")
    ]


def test_a_name_of_several_words_is_known_with_its_last_names_first(file: Path) -> None:
    roster = roster_of(file, 'id,name\na,"van der Berg, Jan Kees"\n')

    assert {roster.by_person(name) for name in ("vanderbergjankees", "Jan Kees van der Berg")} == {
        "a"
    }


KNOWN = "expected a column such as id, student id, matrikelnummer, username or email"
UNUSABLE = {
    "id,name\n": ", line 2: has no learner (expected one learner in each row)",
    "Nachname,Gruppe\nDoe,A\n": (
        f', line 1: none of the columns "Nachname", "Gruppe" identifies a learner ({KNOWN})'
    ),
    "id,name\n,Jane\n": ', line 2: has no value in "id", which identifies the learner',
    "id,name\na,Jane\n\nb,Jim\na,Joe\n": (
        ', line 5: "id" is "a", as on line 2 (each learner needs a different value)'
    ),
    "id,login\na,x\nb,x\n": (
        ', line 3: "login" is "x", as on line 2 (each learner needs a different value)'
    ),
    "id,login\n,a\na,x\n": (
        ', line 3: "id" is "a", as on line 2 (each learner needs a different value)'
    ),
    'id,note\na,"x\ny\nz"\n,late\n': ', line 5: has no value in "id", which identifies the learner',
}


def test_a_roster_that_cannot_be_used_says_where_and_why(file: Path) -> None:
    assert {text: fault_of(file, text) for text in UNUSABLE} == UNUSABLE


def test_many_learners_are_in_their_order_and_found(file: Path) -> None:
    rows = "".join(f"u{n},Doe{n}\n" for n in range(4_321))
    roster = roster_of(file, f"id,name\n{rows}")

    assert (len(roster), learners_of(roster)[-1].key) == (4_321, "u4320")
    assert [roster.by_person(f"doe{n}") for n in (0, 1_999, 2_000, 4_320, 4_321)] == [
        *("u0", "u1999", "u2000", "u4320", None)
    ]


def test_a_roster_may_be_dropped_by_any_thread(file: Path) -> None:
    kept = [roster_of(file, CANVAS)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        thread = threading.Thread(target=kept.clear)
        thread.start()
        thread.join()
        gc.collect()

    assert not kept


def test_g12_letter_case_makes_no_second_learner_of_an_address(file: Path) -> None:
    assert fault_of(file, "email,name\nada@x.org,Ada\nAda@X.org,Ada\n") == (
        ', line 3: "email" is "ada@x.org", as on line 2 (each learner needs a different value)'
    )
    assert fault_of(file, "id,name\nmu\u0308ller,A\nm\u00fcller,B\n").startswith(", line 3: ")


def test_g12_a_key_is_compared_in_any_normalisation_and_letter_case(file: Path) -> None:
    roster = roster_of(file, "id,email\nm\u00fcller,Ada@X.org\nstra\u00dfe,b@x.org\n")
    asked = ["mu\u0308ller", "MU\u0308LLER", "M\u00dcLLER", "ada@x.ORG", "STRASSE", "stra\u00dfe"]

    assert list(map(roster.by_key, asked)) == ["m\u00fcller"] * 4 + [None, "stra\u00dfe"]


def test_g12_a_bad_character_costs_its_row_only_and_is_named(file: Path) -> None:
    roster = roster_of(file, 'id,name,note\na,"A\tB",x\nb,B,"\t"\nc\x00,C,\nd,D\ufffd,\ne,E,\n')

    assert [learner.key for learner in learners_of(roster)] == ["b", "e"]
    assert [line.removeprefix(str(file)) for line in roster.left_out] == [
        f', line {line}: the "{column}" contains a control character or damaged text: {OUT}'
        for line, column in ((2, "name"), (4, "id"), (5, "name"))
    ]


OUT = "the row is left out"
STAFF = ["Instructor", "TA", "Teaching Assistant", "Reader", "Non-editing teacher", "Trainer/in"]
STAFF += ["TaEnrollment", "Teacher, Manager", "ta", "Dozent/in; Tutor", "Student Assistant"]
STUDENTS = ["Student", "", "Teilnehmer/in", "Student, TA", "Learner", "StudentEnrollment", "Data"]


@pytest.mark.parametrize("column", ["Role", "Roles", "rolle", "Role Name"])
def test_g12_the_staff_are_not_learners(file: Path, column: str) -> None:
    rows = "".join(f'{at},A,"{role}"\n' for at, role in enumerate([*STUDENTS, *STAFF]))
    odd = '90,"Student, Test",Student\n91,Test Student,\nx_previewuser,P,Student\n,Prof,TA\n'

    roster = roster_of(file, f"id,name,{column}\n{rows}{odd}")

    assert [learner.key for learner in learners_of(roster)] == list(map(str, range(len(STUDENTS))))


SPELLINGS = ["NetID", "uid", "UNI", "OrgDefinedId", "REGISTRATION_NUMBER", "StudentID", "Net ID"]
SPELLINGS += ["Student No.", "MatrikelNr", "zID", "Hochschulkennung", "Login-ID", "Emplid"]


@pytest.mark.parametrize("column", SPELLINGS)
def test_g12_the_key_has_many_names(file: Path, column: str) -> None:
    assert learners_of(roster_of(file, f"Section,{column}\nA,7\n"))[0].key == "7"


def test_g12_the_column_of_the_key_can_be_named(file: Path) -> None:
    file.write_text("id,Code Nr.,email\n1,x7,a@x\n2,x8,b@x\n", "utf-8")
    roster = read_roster(str(file), "code_nr")
    kept = Roster(enumerate(learners_of(roster)), RosterColumns(["id", "Code Nr.", "email"]))
    with pytest.raises(Unusable) as raised:
        read_roster(str(file), "nr")

    for known in (roster, kept):
        assert [learner.key for learner in learners_of(known)] == ["x7", "x8"]
        assert list(map(known.by_key, ("X7", "1", "b@x", "3"))) == ["x7", "x7", "x8", None]
    assert str(raised.value).removeprefix(str(file)) == (
        ', line 1: there is no column "nr" among "id", "Code Nr.", "email" (see --key)'
    )
