"""An entry is somebody's only where the roster leaves no doubt; each entry is read on its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pipeline.files import FILE, FOLDER
from tests.stubs.rosters import roster_in
from verify.intake.collection import Entry, FolderCollection
from verify.intake.matching import Match, Matcher, read_decisions
from verify.intake.table import Unusable

if TYPE_CHECKING:
    from pathlib import Path

PLAIN = (
    "id,name,email\njane,Jane Doe,jane@x.org\nmax,Max Mustermann,m@x.org\nlee,Lee Chan,\nlc,Lee,\n"
)
CANVAS = (
    "Student,ID,SIS User ID\n    Points Possible,,\n"
    '"Doe, Jane",20001,s1\n"Mustermann, Max",10001,s2\n'
)
# a text that is one learner's key and another one's identity is nobody's
TWO_IDS = "id,matrikelnummer,name\n1001,5,Max Mustermann\n2,1001,Jane Doe\n"
CLASSROOM = "identifier,github_username,github_id,name\nd1,doe,1,Ann Doe\nd2,mary-doe,2,Mary Doe\n"
ATTEMPT = "gradebook_C_HW 1_jane_doe_attempt_2026-03-01-10-00-00"
# a Canvas number is no key of a roster of another kind: review I1
IDS = "id,last name,first name\n10001,Mustermann,Max\n20001,Doe,Jane\n"


@pytest.mark.parametrize(
    ("roster", "entry", "learner", "by"),
    [
        (PLAIN, "jane/", "jane", "key"),
        (PLAIN, "Jane Doe/", "jane", "name"),
        (PLAIN, "Doe, Jane.zip", "jane", "name"),
        (PLAIN, "jane@x.org.tar.gz", "jane", "key"),
        (PLAIN, "JANE/", "jane", "key"),
        (PLAIN, "janet/", "", "is not on the roster"),
        (PLAIN, "Lee/", "", "matches more than one learner: lc by name, lee by key"),
        (PLAIN, "Jane Doe_7_assignsubmission_file_/", "jane", "name"),
        (PLAIN, "gradebook_C_HW 1_max_attempt_2026-03-01-10-00-00_x.zip", "max", "key"),
        ("id\ndoe\njane_doe\n", f"{ATTEMPT}_x.zip", "", "is not on the roster"),
        (CANVAS, "doejane_20001_1_x.zip", "20001", "number"),
        (CANVAS, "doejane_20001_1_x_7_5_y.zip", "20001", "number"),
        # a learner may be called so, or call a file so
        (
            CANVAS,
            "mustermannmax_10001_5_20001_1_x.zip",
            "",
            "matches more than one learner: 10001 by number, 20001 by number",
        ),
        (CANVAS, "doejane_30001_1_x.zip", "", "names 30001, which is not on the roster"),
        (
            CANVAS,
            "doejane_10001_1_x.zip",
            "",
            "matches more than one learner: 10001 by number, 20001 by name",
        ),
        # what is behind a platform's part of a name was chosen by the learner
        (
            CANVAS,
            "stranger_9_5_max_attempt_2026-03-01-11-00-00_x.zip",
            "",
            "names 9, which is not on the roster",
        ),
        (TWO_IDS, "1001.zip", "", "matches more than one learner: 1001 by key, 2 by key"),
        ("id\nAda\nada\n", "ADA/", "", "matches more than one learner: Ada by key, ada by key"),
        ("id\nAda\nada\n", "ada/", "ada", "key"),
        # a name may settle whose of several a text is, but not give it to somebody else
        (TWO_IDS, "Doe, Jane(1001)/", "2", "name"),
        (
            f"{TWO_IDS}3,4,1001\n",
            "1001/",
            "",
            "matches more than one learner: 1001 by key, 2 by key, 3 by name",
        ),
    ],
)
def test_an_entry_is_matched_by_what_the_roster_has_and_never_by_a_guess(
    tmp_path: Path, roster: str, entry: str, learner: str, by: str
) -> None:
    found = _matched(tmp_path, roster, entry)

    assert (found.learner, found.by or found.why) == (learner, by)


# G4: the letters, their order and their accents are those of the name, or a person confirms it
NAMES = 'id,name\n7,Li Wei\n8,José García\n9,Ana Ng\n10,"O\'Brien, Zoë"\n11,Jürgen  STRAUß\n'
NAMED = {
    "Li Wei/": "7",
    "li wei.zip": "7",
    "Wei, Li/": "7",
    "LI  WEI/": "7",
    "Wei Li/": "7?",
    "Li-Wei/": "7?",
    "weili/": "7?",
    "Li, Wei/": "7?",
    "Wéi Lì/": "7?",
    "José García/": "8",
    "Jose\u0301 Garci\u0301a/": "8",
    "garcía, josé/": "8",
    "Jose Garcia/": "8?",
    "García José/": "8?",
    "Jose Garsia/": "",
    "Ana Ng/": "9",
    "An Ang/": "9?",
    "Ng, Ana/": "9",
    "Ng Ana/": "9?",
    "Anna Ng/": "",
    "Zoë O'Brien/": "10",
    "Zoë OBrien/": "10?",
    "O'Brien, Zoë/": "10",
    "Jürgen Strauß/": "11",
    "JÜRGEN STRAUSS/": "11?",
    "Juergen Strauss/": "11?",
    "Jurgen Strauß/": "11?",
    "weili_20001_1_x.zip": "7?",
    "Wei Li_5_assignsubmission_file_/": "7?",
    "Li Wei_5_assignsubmission_file_/": "7",
    "Li Wei_5_assignsubmission_file_w.zip": "7",
}


def test_g4_a_full_name_counts_as_it_is_written_and_what_is_only_like_it_is_to_confirm(
    tmp_path: Path,
) -> None:
    assert {entry: _said(tmp_path, NAMES, entry) for entry in NAMED} == NAMED


def test_g4_a_likely_match_counts_if_it_is_accepted(tmp_path: Path) -> None:
    known = roster_in(tmp_path, NAMES)
    matcher = Matcher(FolderCollection("submissions"), known, {}, accepts_likely=True)
    found = [matcher.match(Entry(name, FOLDER))[0] for name in ("Wei Li", "Li Wei", "Wu Li")]

    assert [(match.learner, match.by) for match in found] == [
        *(("7", "likely name"), ("7", "name"), ("", ""))
    ]


@pytest.mark.parametrize("entry", ["Wei Li/", "Li Wei/"])
def test_g4_a_name_that_is_one_learner_s_and_another_s_in_reverse_is_the_first_one_s(
    tmp_path: Path, entry: str
) -> None:
    found = _matched(tmp_path, "id,name\n7,Li Wei\n8,Wei Li\n", entry)

    assert (found.learner, found.by) == ("7" if entry == "Li Wei/" else "8", "name")


LIKE = "id,name\nlk,Łukasz Kowalski\nso,Søren Ægir\njg,Jörg Groß\nan,Ana Ng\nax,Åsa Öst\n"
LIKELY = {
    **dict.fromkeys(("Łukasz Kowalski/", "ana ng/", "Jörg Groß.zip"), ""),
    **dict.fromkeys(("Lukasz Kowalski/", "lukaszkowalski_7_1_x.zip", "Kowalski Lukasz/"), "lk"),
    **dict.fromkeys(("Soren Aegir/", "Soeren Aegir/", "Sören Ægir/"), "so"),
    **dict.fromkeys(("Jorg Gross/", "Joerg Gross/", "JÖRG GROSS/", "Joerg Groß/"), "jg"),
    **dict.fromkeys(("Ana Ng (1)/", "Ana Ng (12).zip", "Ana Ng - Copy/", "Copy of Ana Ng/"), "an"),
    **dict.fromkeys(("Ana Ng - Copy (2)/", "Ng, Ana (1)/", "an (1)/", "AN - Kopie.zip"), "an"),
    **dict.fromkeys(("Asa Ost/", "Aasa Oest/"), "ax"),
    **dict.fromkeys(("Lucasz Kowalski/", "Ana Ng 1/", "copy/", "(1)/", "ana (1)/"), ""),
}


def test_g4_other_letters_and_second_copies_are_likely_and_never_taken_by_themselves(
    tmp_path: Path,
) -> None:
    found = {entry: _matched(tmp_path, LIKE, entry) for entry in LIKELY}

    assert {entry: match.likely for entry, match in found.items()} == LIKELY
    assert [entry for entry, match in found.items() if match.learner] == [*LIKELY][:3]


BOB = "Bob Smith_1002_assignsubmission_file"
WORKSHEET = (
    "Identifier,Full name,Email address,Status,Grade\n"
    "Participant 1001,Eve,,,\nParticipant 1002,Bob Smith,,,\n"
    f"Participant 1003,{BOB},,,\n"
)
TWO = "? the name may be of the account"
WHICH = f"{TWO}{{}}: use --decisions"
MOODLE = {  # without folders a file's name follows, which a learner chooses, as their own name
    f"{BOB}_w.zip": "Participant 1002",
    f"{BOB}_1003_assignsubmission_file_w.zip": WHICH.format("s 1002 or 1003"),
    f"{BOB}_1001_assignsubmission_file_.zip": WHICH.format("s 1002 or 1001"),
    f"Eve_1001_assignsubmission_file_{BOB}_.zip": WHICH.format("s 1001 or 1002"),
    f"Default group_assignsubmission_file_{BOB}_.zip": WHICH.format(
        " 1002 or one without a number"
    ),
    f"{BOB}_{BOB}_w.zip": "Participant 1002",  # his own download, submitted again
    f"{BOB}_1003_assignsubmission_file_/": "Participant 1003",
    f"{BOB}_1003_assignsubmission_onlinetext/": "Participant 1003",
    f"Eve_1001_assignsubmission_file_{BOB}_w/": WHICH.format("s 1001 or 1002"),
}


@pytest.mark.parametrize("rostered", [True, False])
def test_g8_what_a_learner_chose_in_a_name_of_moodle_is_never_another_s_account(
    tmp_path: Path, *, rostered: bool
) -> None:
    if rostered:
        assert {entry: _said(tmp_path, WORKSHEET, entry) for entry in MOODLE} == MOODLE
        return
    matcher = Matcher(FolderCollection("submissions"), None, {})
    unclear = {}
    for entry in MOODLE:
        (match,) = matcher.match(Entry(entry.rstrip("/"), FOLDER if entry[-1] == "/" else FILE))
        assert bool(match.learner) is not match.is_unclear
        unclear[entry] = match.is_unclear
    assert unclear == {entry: said.startswith(TWO) for entry, said in MOODLE.items()}


AT = "attempt_2026-03-01-10-00-00"
EITHER = "? may be a name of {} or {}: use --layout"
ANYBODY = "id,name,github\nbob,Bob,anna\n1001,Eve,eve\ndoe,Jo Doe,\n"
PARTS = {
    # Canvas writes nothing for a name without letters; the file is called as the learner likes
    f"_1001_55_gradebook_C1_HW_bob_{AT}_x.zip": EITHER.format("blackboard", "canvas"),
    f"1001_55_gradebook_C1_HW_bob_{AT}_x.zip": EITHER.format("blackboard", "canvas"),
    f"doejo_1001_55_HW_bob_{AT}_x.zip": EITHER.format("blackboard", "canvas"),
    "x_1_5_Bob_7_assignsubmission_file/": EITHER.format("canvas", "moodle"),
    f"gradebook_C1_HW_bob_{AT}_Bob_7_assignsubmission_file_x.zip": EITHER.format(
        "blackboard", "moodle"
    ),
    "doejo_10001_20001_1_x.zip": WHICH.format("s 10001 or 20001"),
    "_55_66_77_x.zip": WHICH.format("s 55 or 66"),
    # as short as a name can be, or it is unclear where the login begins
    f"gradebook_C1_HW_bob_{AT}_x.zip": "bob",
    f"gradebook_C_1_HW_bob_{AT}_x.zip": "bob?",
    f"gradebook_C1_HW_jane_doe_{AT}_x.zip": "doe?",
    f"HW_bob_{AT}_x.zip": "bob",
    f"HW_jane_doe_{AT}_x.zip": "doe?",
    "hw1-una-anna/": "bob?",
    "hw1-anna/": "bob?",
    "una-anna/": "bob?",
    "anna/": "bob",  # a login is an identity too
    "hw1-anna-x/": "",
}


def test_g9_no_part_that_a_learner_chose_is_taken_for_a_platform_s(tmp_path: Path) -> None:
    assert {entry: _said(tmp_path, ANYBODY, entry) for entry in PARTS} == PARTS


def test_g9_the_roster_of_a_platform_says_which_platform_wrote_a_name(tmp_path: Path) -> None:
    roster = "Student,ID,SIS Login ID\nEve,1001,eve\nBob,1002,bob\n"
    entry = f"_1001_55_gradebook_C1_HW_bob_{AT}_x.zip"

    assert _said(tmp_path, roster, entry) == "1001"


def _said(tmp_path: Path, roster: str, entry: str) -> str:
    """Return whose an entry is; with `?` whose it may be, or why that is unclear."""
    found = _matched(tmp_path, roster, entry)
    assert not (found.learner and found.why)
    return (
        (f"? {found.why}" if found.is_unclear else "")
        or found.learner
        or (f"{found.likely}?" if found.likely else "")
    )


TIMED_WORKSHEET = """\
Identifier,Full name,Status,Grade,Last modified (submission),Last modified (grade)
Participant 7,Ada Byron,Submitted,-,{},"Sunday, 15 November 2026, 8:00 AM"
Participant 8,Eve King,No submission,-,-,-
"""
MOODLES = "Ada Byron_{}_assignsubmission_file"
AT = '"Saturday, 14 November 2026, 9:05 PM"'


@pytest.mark.parametrize(
    ("entry", "cell", "submitted"),
    [
        (MOODLES.format(7), AT, "2026-11-14T21:05:00"),
        (MOODLES.format(7), '"Saturday, November 14, 2026, 9:05\u202fPM"', "2026-11-14T21:05:00"),
        (MOODLES.format(7), '"Samstag, 14. November 2026, 21:05"', "2026-11-14T21:05:00"),
        (MOODLES.format(7), '"Montag, 2. März 2026, 01:05"', "2026-03-02T01:05:00"),
        ("Participant_7_assignsubmission_file", AT, "2026-11-14T21:05:00"),
        (MOODLES.format(7), "-", ""),
        (MOODLES.format(9), AT, ""),  # the worksheet is another assignment's
        ("Eve King_7_assignsubmission_file", AT, ""),
        ("Eve King_8_assignsubmission_file", AT, ""),
        ("Ada Byron", AT, ""),
    ],
)
def test_the_worksheet_of_the_assignment_has_the_time_of_the_submission(
    tmp_path: Path, entry: str, cell: str, submitted: str
) -> None:
    assert (
        _matched(tmp_path, TIMED_WORKSHEET.format(cell), f"{entry}/").parsed.submitted == submitted
    )


def test_a_time_that_is_not_read_is_named(tmp_path: Path) -> None:
    read = [
        roster_in(tmp_path, TIMED_WORKSHEET.format(cell)).left_out
        for cell in ('"sábado, 14 de noviembre de 2026, 21:05"', AT, "-")
    ]

    column, cell = '"Last modified (submission)"', '"sábado, 14 de noviembre de 2026, 21:05"'
    step = (
        "these submissions have no time (set your language to English or German, and download the"
        " table again)"
    )

    assert read == [
        [f"1 time in {column} cannot be read (such as {cell}): {step}"],
        [],
        [],
    ]


def _matched(tmp_path: Path, roster: str, entry: str) -> Match:
    known = roster_in(tmp_path, roster)
    matcher = Matcher(FolderCollection("submissions"), known, {})
    nature = FOLDER if entry.endswith("/") else FILE
    (match,) = matcher.match(Entry(entry.rstrip("/"), nature))
    return match


def test_a_key_in_a_manifest_or_a_decision_is_a_key_whatever_else_it_is(tmp_path: Path) -> None:
    known = roster_in(tmp_path, f"{TWO_IDS}3,4,1001\n")
    matcher = Matcher(FolderCollection("submissions"), known, {})
    (listed,) = matcher.match(Entry("work", FOLDER, learner="1001"))
    path = tmp_path / "decisions.csv"
    path.write_text("entry,learner\nwork,1001\n", encoding="utf-8")

    assert (listed.learner, listed.by) == ("1001", "key")
    assert read_decisions(str(path), known) == [("", "work", "1001", "")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("file,who\n", 'has the columns "file", "who" (expected entry,learner)'),
        ("entry,learner\na,nobody\n", 'line 2: "nobody" is not on the roster'),
    ],
)
def test_a_wrong_table_of_decisions_is_refused_with_its_line(
    tmp_path: Path, text: str, message: str
) -> None:
    path = tmp_path / "decisions.csv"
    path.write_text(text, encoding="utf-8")

    with pytest.raises(Unusable) as refused:
        read_decisions(str(path), roster_in(tmp_path, PLAIN))

    assert message in str(refused.value)
