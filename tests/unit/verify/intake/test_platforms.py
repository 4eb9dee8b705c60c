"""What the names of submissions say, as each platform writes them."""

from __future__ import annotations

import os
import time
from functools import partial
from glob import glob
from typing import TYPE_CHECKING

import pytest

from pipeline.bootstrap import ROOT
from tests.stubs.clock import slowness
from tests.stubs.platforms import MAKERS
from verify.intake.matching import MAX_LEARNER, called
from verify.intake.platforms import PLATFORMS
from verify.intake.platforms.base import ParsedName, Plain, Surroundings, parsed_names, time_of
from verify.intake.platforms.blackboard import Blackboard
from verify.intake.platforms.brightspace import Brightspace
from verify.intake.platforms.canvas import Canvas
from verify.intake.platforms.classroom import Classroom
from verify.intake.platforms.google_drive import GoogleDrive
from verify.intake.platforms.gradescope import Gradescope, read_metadata
from verify.intake.platforms.ilias import Ilias
from verify.intake.platforms.moodle import Moodle
from verify.intake.platforms.sakai import Sakai
from verify.intake.platforms.teams import Teams
from verify.intake.roster import read_roster
from verify.intake.table import Unusable
from verify.submissions.files import archive_suffix

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.stubs.platforms import Made
    from verify.intake.platforms.base import Platform

FILE, FOLDER = False, True
LOGINS = frozenset({"ada-l", "l", "jdoe", "doe", "jane_doe"})


def platforms(
    title: str, has_login: Callable[[str], bool], metadata: bytes | None = None
) -> list[Platform]:
    surroundings = Surroundings(title, "", lambda _: metadata, has_login, has_login)
    return [platform(surroundings) for platform in reversed(PLATFORMS)]


def read_by(platform: Platform, entry: str, *, is_folder: bool) -> ParsedName | None:
    found = parsed_names([platform], entry, is_folder=is_folder)
    return found[0] if found else None


KNOWN = platforms("", LOGINS.__contains__)


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("Jan 5, 2026 105 PM", "2026-01-05T13:05:00"),  # the sign between is left out
        ("Jan 5, 2026 1:05 AM", "2026-01-05T01:05:00"),
        ("5. Januar 2026 1:05", "2026-01-05T01:05:00"),
        ("Jan 5, 2026 1205 AM", "2026-01-05T00:05:00"),
        ("2026-01-05 1:05:30", "2026-01-05T01:05:30"),
        ("Jan 5, 2026 9:05:30 PM", "2026-01-05T21:05:30"),
    ],
)
def test_an_hour_of_one_digit_is_not_the_first_of_two(text: str, time: str) -> None:
    assert time_of(text) == time


def canvas(who: str, number: str, *, late: bool = False, note: bool = False) -> ParsedName:
    person = who.rpartition("_")[0] if number else ""
    return ParsedName("canvas", who, "", number, "", person, late=late, is_note=note)


CANVAS = {
    ("doejane_12_345_work.zip", FILE): canvas("doejane_12", "12"),
    ("doejane_LATE_12_345_work-1.zip", FILE): canvas("doejane_12", "12", late=True),
    ("doejane_12_346_plan 2_3_x.json", FILE): canvas("doejane_12", "12"),
    ("doejane_12_text.html", FILE): canvas("doejane_12", "12", note=True),
    ("doejane_LATE_12_link.html", FILE): canvas("doejane_12", "12", late=True, note=True),
    ("o_brien2_12_346_a.json", FILE): canvas("o_brien2_12", "12"),
    ("李雷_12_345_a.zip", FILE): canvas("李雷_12", "12"),
    ("محمدعلي_12_345_a.zip", FILE): canvas("محمدعلي_12", "12"),
    ("doejane_12_345_work", FOLDER): canvas("doejane_12", "12"),
    ("12_345_a.zip", FILE): canvas("12", "12"),
    ("anon_Ab3dE_345_a.zip", FILE): canvas("anon_Ab3dE", ""),
    ("LATE_anon_12345_345_a.zip", FILE): canvas("anon_12345", "", late=True),
    ("doe jane_12_345_a.zip", FILE): None,
    ("Doe-Jane_12_345_a.zip", FILE): None,
    ("doejane_12_notes.html", FILE): None,
    ("doejane_12_345", FILE): None,
    ("doejane_٣_345_a.zip", FILE): None,
}


def moodle(who: str, number: str, person: str, *, note: bool = False) -> ParsedName:
    return ParsedName("moodle", who, "", number, "", person, is_note=note)


ADA, BLIND, TEAM = "Ada King Lovelace", "Teilnehmerin_7", "Team B-Zoë O.Brien_8"
MOODLE = {
    (f"{ADA}_123_assignsubmission_file_", FOLDER): moodle(f"{ADA}_123", "123", ADA),
    (f"{ADA}_123_assignsubmission_file", FOLDER): moodle(f"{ADA}_123", "123", ADA),
    (f"{ADA}_123_assignsubmission_file_.zip", FILE): moodle(f"{ADA}_123", "123", ADA),
    (f"{ADA}_123_assignsubmission_file_work_1.zip", FILE): moodle(f"{ADA}_123", "123", ADA),
    (f"{ADA}_123_assignsubmission_onlinetext", FOLDER): moodle(f"{ADA}_123", "123", ADA, note=True),
    (f"{ADA}_123_assignsubmission_onlinetext_onlinetext.html", FILE): moodle(
        f"{ADA}_123", "123", ADA, note=True
    ),
    (f"{BLIND}_assignsubmission_file_", FOLDER): moodle(BLIND, "7", ""),
    ("Participant_7_assignsubmission_file_a.zip", FILE): moodle("Participant_7", "7", ""),
    (f"{TEAM}_assignsubmission_file", FOLDER): moodle(TEAM, "8", "Team B-Zoë O.Brien"),
    ("Default group_assignsubmission_file_", FOLDER): moodle("Default group", "", "Default group"),
    ("_assignsubmission_file_", FOLDER): None,
    ("Ada_1_assignsubmission_", FOLDER): None,
    ("Ada_1_assign", FOLDER): None,
}

AT, ISO = "2023-10-12-10-20-30", "2023-10-12T10:20:30"


def blackboard(login: str, *, note: bool = False, before: str = "") -> ParsedName:
    found = ParsedName("blackboard", login, "", "", login, "", AT, ISO, is_note=note)
    # where the login begins is unclear: it is a guess
    return found._replace(account=before, learner=login, is_guess=True) if before else found


BLACKBOARD = {
    (f"gradebook_C1_HW1_jdoe_attempt_{AT}_work.zip", FILE): blackboard("jdoe"),
    (f"gradebook_C_1_HW_1_eve_attempt_{AT}_a_1.json", FILE): blackboard(
        "eve", before="gradebook_C_1_HW_1_eve"
    ),
    (f"Homework 1_jdoe_attempt_{AT}.txt", FILE): blackboard("jdoe", note=True),
    (f"gradebook_C1_HW1_jdoe_attempt_{AT}_x_attempt_{AT}_y", FOLDER): blackboard("jdoe"),
    (f"gradebook_C1_HW1_jane_doe2_attempt_{AT}_y", FILE): blackboard(
        "doe2", before="gradebook_C1_HW1_jane_doe2"
    ),
    (f"gradebook_C1_jane_doe_attempt_{AT}_a.zip", FILE): blackboard(
        "gradebook_C1_jane_doe", before="gradebook_C1_jane_doe"
    ),
    (f"jdoe_attempt_{AT}_a.zip", FILE): None,
    (f"gradebook_C1_jdoe_attempt_{AT}.zip", FILE): None,
    ("gradebook_C1_jdoe_attempt_2023_a.zip", FILE): None,
}


def clone(login: str, whole: str = "") -> ParsedName:
    return ParsedName("classroom", whole or login, login=login, is_guess=bool(whole))


CLASSROOM = {  # without a prefix each is a guess, and none if two logins fit
    ("hw-1-ada-l", FOLDER): None,
    ("hw-1-jdoe", FOLDER): clone("jdoe", "hw-1-jdoe"),
    ("hw-1-jdoe.zip", FILE): clone("jdoe", "hw-1-jdoe"),
    ("hw-1-l", FOLDER): clone("l", "hw-1-l"),
    ("hw-1-eve", FOLDER): None,
    ("ada-l", FOLDER): clone("l", "ada-l"),
    ("l", FOLDER): None,
    ("hw-1-ada-l.md", FILE): None,
}


def plain(name: str, stem: str) -> ParsedName:
    return ParsedName("plain", name, stem, person=stem, learner=stem)


PLAIN = {
    ("ada", FOLDER): plain("ada", "ada"),
    ("ada.zip", FOLDER): plain("ada.zip", "ada.zip"),
    ("Ada L.v1.TAR.GZ", FILE): plain("Ada L.v1.TAR.GZ", "Ada L.v1"),
    ("ada.7z", FILE): plain("ada.7z", "ada"),
    ("ada.plan.json", FILE): plain("ada.plan.json", "ada.plan"),
    ("README", FILE): plain("README", "README"),
    (".zip", FILE): plain(".zip", ".zip"),
}
_D2L = "397063-2557369 - "
_AT = "2026-01-05T11:36:00"


def d2l(person: str, at: str = _AT) -> ParsedName:
    account = f"397063 {person}"
    return ParsedName(
        "brightspace", account, person=person, learner=person, attempt=at, submitted=at
    )


BRIGHTSPACE: dict[tuple[str, bool], ParsedName | None] = {
    (f"{_D2L}Ada Lovelace - Jan 5, 2026 1136 AM", FOLDER): d2l("Ada Lovelace"),
    (f"{_D2L}Mary-Ann O'Brien - 5 January, 2026 1136 AM", FOLDER): d2l("Mary-Ann O'Brien"),
    (f"{_D2L}Ada - 2026-01-05 1136", FOLDER): d2l("Ada"),
    (f"{_D2L}Ada - Sep 24, 2024 926 PM", FOLDER): d2l("Ada", "2024-09-24T21:26:00"),
    # a learner's name may look like what Brightspace writes
    (f"{_D2L}Ada - Feb 6, 2027 100 PM - Jan 5, 2026 1136 AM", FOLDER): d2l(
        "Ada - Feb 6, 2027 100 PM"
    ),
    (f"{_D2L}1-2 - Bob - Jan 5, 2026 1136 AM", FOLDER): d2l("1-2 - Bob"),
    (f"{_D2L}Ada - Jan 5, 2026 1136 AM.pdf", FILE): None,
    (f"{_D2L}Ada - Jan 32, 2026 1136 AM", FOLDER): None,
    (f"{_D2L}Ada", FOLDER): None,
    ("Ada - Jan 5, 2026 1136 AM", FOLDER): None,
    (f"{_D2L}Ada Lovelace- 5. Januar 2026 1136", FOLDER): d2l("Ada Lovelace"),
    (f"{_D2L}Ada Lovelace - Jan 5, 2026 1136 AM - my - work.zip", FILE): d2l("Ada Lovelace"),
    (f"{_D2L}Ada Lovelace- 5 January, 2026 1136 AM - plan.json", FILE): d2l("Ada Lovelace"),
    # whose it is cannot be told
    (f"{_D2L}Ada - Jan 5, 2026 1136 AM - Bob - Jan 5, 2026 1136 AM - x.zip", FILE): d2l(
        "Ada"
    )._replace(rivals=("Ada", "Ada - Jan 5, 2026 1136 AM - Bob")),
}


def by_login(
    platform: str, who: str, login: str, person: str = "", *rivals: str, guess: bool = False
) -> ParsedName:
    found = ParsedName(platform, who, login=login, person=person, learner=login, is_guess=guess)
    return found._replace(rivals=(login, *rivals) if rivals else ())


_WHO = "Lovelace, Ada(ada)"
SAKAI = {
    (_WHO, FOLDER): by_login("sakai", _WHO, "ada", "Lovelace, Ada"),
    ("Madonna,(m1)", FOLDER): by_login("sakai", "Madonna,(m1)", "m1", "Madonna"),
    # the last login is Sakai's
    ("Doe, Jane(jane)(eve)", FOLDER): by_login(
        "sakai", "Doe, Jane(jane)(eve)", "eve", "Doe, Jane(jane)"
    ),
    (f"{_WHO}_Submission attachment(s)_plan.zip", FILE): by_login(
        "sakai", _WHO, "ada", "Lovelace, Ada"
    ),
    ("Doe, Jane(jane)_x(eve)_Submission attachment(s)_w.zip", FILE): by_login(
        "sakai", "Doe, Jane(jane)", "jane", "Doe, Jane", "eve"
    ),
    ("Ng, Ana (1)", FOLDER): None,
    ("Ada Lovelace(ada)", FOLDER): None,
    ("Lovelace, Ada", FOLDER): None,
}
_YEN = "____________lei"  # a name in Chinese
ILIAS = {
    ("Lovelace_Ada_ada_1234", FOLDER): by_login("ilias", "Lovelace_Ada_ada_1234", "ada"),
    ("van der Berg_Jan-Luc_jan.b_7", FOLDER): by_login(
        "ilias", "van der Berg_Jan-Luc_jan.b_7", "jan.b"
    ),
    (f"{_YEN}_7", FOLDER): by_login("ilias", f"{_YEN}_7", "lei"),
    ("Nguy___n_V__n An_van_7", FOLDER): by_login("ilias", "Nguy___n_V__n An_van_7", "van"),
    ("Roe_Eve_jane_doe_7", FOLDER): by_login("ilias", "Roe_Eve_jane_doe_7", "doe", guess=True),
    ("Lovelace_Ada_ada_1234.zip", FILE): None,
    ("my_report_7", FOLDER): None,
    ("doejane_12_345_7", FOLDER): None,
    (f"gradebook_C1_HW1_jdoe_attempt_{AT}_1", FOLDER): None,
}


def by_person(platform: str, person: str = "Ada Lovelace") -> ParsedName:
    return ParsedName(platform, person, person=person, learner=person)


FOREIGN = {"doejane_12_345_7": ["canvas"], f"gradebook_C1_HW1_jdoe_attempt_{AT}_1": ["blackboard"]}
NAMES = ("Ada Lovelace", "Jane Doe", "Le_Roy")
TEAMS: dict[tuple[str, bool], ParsedName | None] = {
    ("Ada Lovelace_plan_2.zip", FILE): by_person("teams"),
    ("Ada Lovelace_plan.json", FILE): by_person("teams"),
    ("Le_Roy_x.zip", FILE): by_person("teams", "Le_Roy"),
    ("Ada Lovelace", FOLDER): None,  # the whole name is read anyway
    ("Ada_x.zip", FILE): None,
}
DRIVE: dict[tuple[str, bool], ParsedName | None] = {
    ("plan - v2 - Ada Lovelace.zip", FILE): by_person("google-drive"),
    ("Ada Lovelace - Plan.json", FILE): by_person("google-drive"),
    ("Jane Doe - Ada Lovelace.zip", FILE): None,
    ("Ada Lovelace - Copy.zip", FILE): None,
    ("Ada Lovelace.zip", FILE): None,
    ("x - Ada.zip", FILE): None,
}
TABLES: list[tuple[Platform, dict[tuple[str, bool], ParsedName | None]]] = [
    (Canvas(Surroundings()), dict(CANVAS)),
    (Moodle(Surroundings()), dict(MOODLE)),
    (Blackboard(Surroundings("x", is_known=LOGINS.__contains__)), dict(BLACKBOARD)),
    (Brightspace(Surroundings()), BRIGHTSPACE),
    (Classroom(Surroundings(has_login=LOGINS.__contains__)), dict(CLASSROOM)),
    (Sakai(Surroundings()), dict(SAKAI)),
    (Ilias(Surroundings(is_known=LOGINS.__contains__)), dict(ILIAS)),
    (Teams(Surroundings(has_name=NAMES.__contains__)), TEAMS),
    (GoogleDrive(Surroundings(has_name=NAMES.__contains__)), DRIVE),
    (Plain(Surroundings()), dict(PLAIN)),
]


@pytest.mark.parametrize(
    ("platform", "expected"), TABLES, ids=lambda value: getattr(value, "name", "")
)
def test_a_name_says_what_its_platform_wrote_into_it(
    platform: Platform, expected: dict[tuple[str, bool], ParsedName | None]
) -> None:
    assert {
        (name, kind): read_by(platform, name, is_folder=kind) for name, kind in expected
    } == expected


def test_no_name_of_one_platform_is_taken_for_another_s() -> None:
    patterns = [platform for platform in KNOWN if platform.has_pattern]
    for platform, expected in TABLES:
        for (name, kind), parsed in expected.items():
            found = [reading.platform for reading in parsed_names(patterns, name, is_folder=kind)]
            itself = [] if parsed is None or not platform.has_pattern else [platform.name]
            assert found == FOREIGN.get(name, itself)


def test_the_user_of_blackboard_begins_where_the_collection_s_name_ends() -> None:
    name = f"gradebook_C_1_HW_1_jane_doe_attempt_{AT}_work.zip"
    above = "gradebook_C_1_HW_1_2023-11-01-09-00-00.zip"

    assert read_by(Blackboard(Surroundings(above)), name, is_folder=False) == blackboard("jane_doe")
    assert read_by(Blackboard(Surroundings()), name, is_folder=False) == blackboard(
        "doe", before="gradebook_C_1_HW_1_jane_doe"
    )


def test_t7_a_download_of_classroom_50_says_where_the_login_begins() -> None:
    title = "cs1-hw-1_submissions_2026_03_01_T_11_00_00"
    read = partial(read_by, Classroom(Surroundings(title)))

    assert read("cs1-hw-1-eve-l", is_folder=True) == clone("eve-l")
    assert read("CS1-HW-1-Eve-L", is_folder=True) == clone("Eve-L")
    assert read("cs1-hw-1-eve-l.zip", is_folder=False) == clone("eve-l")
    assert read("cs1-hw-2-eve-l", is_folder=True) is read("cs1-hw-1-", is_folder=True) is None
    assert read("scores.csv", is_folder=False) is None


def test_the_prefix_of_a_clone_is_the_folder_s_name_or_was_given() -> None:
    for surroundings in (Surroundings("hw-1-submissions"), Surroundings(prefix="hw-1-")):
        read = partial(read_by, Classroom(surroundings), is_folder=True)
        assert read("hw-1-eve-l") == clone("eve-l")
        assert read("hw-2-ada-l") is read("hw-1-") is None
    for title in (
        "-submissions",
        "_submissions_2026_03_01_T_11_00_00",
        "downloads",
        "a_submissions_b",
    ):
        assert read_by(Classroom(Surroundings(title)), "hw-1-eve-l", is_folder=True) is None


def test_sakai_s_own_list_says_when_and_how_late_a_submission_is() -> None:
    head = "Plan,Points\n,,,,\nDisplay ID,ID,Last Name,First Name,grade,Submission,Late\n"
    table = head + "a,ada,L,A,,2026-03-01T11:00:00Z,Late\nb,ben,R,B,,yesterday,On time\n"
    for data, expected in ((table, ("2026-03-01T11:00:00Z", True)), ('"', ("", False))):
        platform = Sakai(Surroundings(metadata=lambda _, data=data: data.encode()))  # type: ignore[misc]
        found = read_by(platform, "Lovelace, Ada(ada)", is_folder=True)
        assert found is not None
        assert (found.submitted, found.late) == expected


METADATA = """\
---
submission_1:
  :submitters:
  - :name: Zoë
    :sid: 0012345
    :email: &a zoe@x
  - :name: Max
    :sid:
    :email: max@x
  :created_at: 2026-03-01 11:00:00.123456000 Z
  :history:
  - :created_at: !ruby/object:ActiveSupport::TimeWithZone {utc: *a}
submission_2:
  :submitters:
  - :name: ''
    :sid: ~
    :email: null
  :created_at: 2026-03-01 11:00:00 -0800
  :late: true
damaged: 1
"""


def test_gradescope_s_metadata_says_whose_an_entry_is_and_a_group_s_is_everybody_s() -> None:
    at = "2026-03-01T11:00:00"
    name = ("gradescope", "submission_1", "", "")
    maxi = ParsedName(*name, "max@x", "Max", submitted=f"{at}+00:00", learner="max@x")
    platform = Gradescope(Surroundings(metadata=lambda _: METADATA.encode()))
    read = partial(read_by, platform, is_folder=True)

    assert read("submission_1") == maxi._replace(
        learner="0012345", number="0012345", login="zoe@x", person="Zoë", also=(maxi,)
    )
    assert read("submission_2") == ParsedName(
        *("gradescope", "submission_2"),
        submitted=f"{at}-0800",
        late=True,
        learner="submission_2",
    )
    assert read("damaged") is read("x") is None


AGAIN = "export the submissions from Gradescope again"
NONE = f"submission_metadata.yml has no submission with :submitters: ({AGAIN})"
DAMAGED = {
    b"": NONE,
    b"- a": NONE,
    b"a: &x [*x]": f"submission_metadata.yml, line 1: the YAML is damaged: {AGAIN}",
    b"a: [": f"submission_metadata.yml, line 2: the YAML is damaged: {AGAIN}",
    b"[" * 100_000: f"submission_metadata.yml, line 1: the YAML is damaged: {AGAIN}",
    b"a\0": f"submission_metadata.yml: the YAML is damaged: {AGAIN}",
}


def test_damaged_metadata_is_one_line() -> None:
    for data, expected in DAMAGED.items():
        with pytest.raises(Unusable) as raised:
            read_metadata(data)
        assert str(raised.value) == expected


def test_what_a_learner_is_called_can_be_kept_and_differs_from_others() -> None:
    names = ["j\udcfcrgen", r"j\xfcrgen", "\ud800", "x" * 300 + "a", "x" * 300 + "b"]
    kept = list(map(called, names))

    assert kept[:3] == [r"j\xfcrgen", r"j\x5cxfcrgen", r"\xed\xa0\x80"]
    assert len(set(kept)) == len(kept)
    assert {len(name) for name in kept[3:]} == {MAX_LEARNER}
    assert all(name.encode() for name in kept)


def test_an_archive_s_suffix_is_part_of_a_longer_name() -> None:
    names = ["a.zip", "a.tar.gz", "a.tar.Bz2", "a.rar", "a.gz", "a.zip.crdownload"]
    others = [".tgz", "a.zip.md", "zip", "a.crdownload"]

    assert list(map(archive_suffix, names)) == [name.removeprefix("a") for name in names]
    assert list(map(archive_suffix, others)) == [""] * 4


def test_hostile_names_are_read_in_time_that_grows_with_their_length() -> None:
    pieces = ["_", "1_", "a_1_", "-", f"_attempt_{AT}", "a_assignsubmission_", "\\", "é", "LATE_"]
    pieces += ["(a)_", "x, (", " - ", " - Jan 5, 2026 100 PM", "a__", "_1_a"]
    pieces += ["\udcff", "\x1b[2J", "\u202e", ".zip", "anon_", "gradebook_"]
    begun = time.process_time()
    for piece in pieces:
        for length in (255, 1_000, 100_000):
            name = (piece * length)[:length]
            for parsed in parsed_names(KNOWN, name, is_folder=False):
                assert len(called(parsed.learner or parsed.account)) <= MAX_LEARNER

    assert time.process_time() - begun < 2 * slowness()


@pytest.mark.parametrize("make", MAKERS, ids=lambda make: str(make.__name__))
@pytest.mark.parametrize("renamed", [False, True])
def test_the_hints_of_a_realistic_collection_mean_its_own_learners_only(
    make: Callable[[Callable[[int], bytes]], Made], tmp_path: Path, *, renamed: bool
) -> None:
    made = make(lambda at: b"%d" % at)
    (tmp_path / "roster.csv").write_text(made.roster, "utf-8")
    roster = read_roster(str(tmp_path / "roster.csv"))
    metadata = made.entries.get(Gradescope.metadata) if made.platform == "gradescope" else None
    above = "renamed" if renamed else made.folder
    surroundings = Surroundings(
        *(above, "", lambda _: metadata, roster.has_login, roster.has_login),
        lambda name: roster.by_name(name) is not None,
    )
    known = [platform(surroundings) for platform in reversed(PLATFORMS)]
    campus = {platform.name for platform in PLATFORMS if platform.has_campus_identities}
    meant: dict[str, set[str | None]] = {}
    for entry in made.truth:
        for parsed in parsed_names(known, entry, is_folder=entry not in made.entries):
            meant.setdefault(entry, set()).update(
                (
                    roster.by_key(parsed.key),
                    roster.by_number(parsed.platform, parsed.number, parsed.person),
                    roster.by_login(parsed.platform, parsed.login),
                    roster.by_key(parsed.login if parsed.platform in campus else ""),
                    roster.by_person(parsed.person),
                )
            )

    assert len(roster) == 25
    assert meant == {entry: {key, None} for entry, key in made.truth.items()}


def test_the_core_of_intake_names_no_platform() -> None:
    names = [platform.name for platform in PLATFORMS if platform is not Plain]
    sources = glob(os.path.join(ROOT, "verify", "intake", "*.py"))
    sources += glob(os.path.join(ROOT, "verify", "gradebook", "*.py"))
    sources += [os.path.join(ROOT, "verify", "commands", "entries.py")]
    found = []
    for path in sources:
        with open(path, encoding="utf-8") as file:
            text = file.read().lower()
        found += [(path, name) for name in names if name in text]

    assert found == []
