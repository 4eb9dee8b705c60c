"""Whose submission a name tells of, as each platform writes it."""

from __future__ import annotations

from verify.sources.naming import (
    CANVAS,
    CLASSROOM,
    MAX_LEARNER,
    MOODLE,
    NAMINGS,
    PLAIN,
    Named,
    Naming,
)
from verify.sources.naming import recognised as recognised_of

FILE, FOLDER = True, False

CANVAS_FILES = {
    "doejane_12_345_work.zip": Named(
        "doejane_12_345_work.zip", "doejane_12", "00000000000000000345", ("12",), "work.zip"
    ),
    "doejane_LATE_12_345_work-1.zip": Named(
        "doejane_LATE_12_345_work-1.zip",
        "doejane_12",
        "00000000000000000345",
        ("12",),
        "work-1.zip",
    ),
    "doejane_12_346_plan.json": Named("doejane_12", "doejane_12", "", ("12",), "plan.json"),
    "doejane_LATE_12_347_my_plan_2_3_x.json": Named(
        "doejane_LATE_12", "doejane_12", "", ("12",), "my_plan_2_3_x.json"
    ),
    "doejane_12_text.html": Named("doejane_12", "doejane_12", "", ("12",), "text.html"),
    "o_brien2_12_346_plan.json": Named("o_brien2_12", "o_brien2_12", "", ("12",), "plan.json"),
    "李雷_12_345_a.zip": Named("李雷_12_345_a.zip", "李雷_12", "0" * 17 + "345", ("12",), "a.zip"),
    "anon_Ab3dE_345_a.zip": Named(
        "anon_Ab3dE_345_a.zip", "anon_Ab3dE", "0" * 17 + "345", ("Ab3dE",), "a.zip"
    ),
    "LATE_anon_Ab3dE_345_a.zip": Named(
        "LATE_anon_Ab3dE_345_a.zip", "anon_Ab3dE", "0" * 17 + "345", ("Ab3dE",), "a.zip"
    ),
}


def test_a_file_of_canvas_tells_the_user_and_an_archive_its_number() -> None:
    named = {name: Naming(CANVAS).named(name, lone=FILE) for name in CANVAS_FILES}

    assert named == CANVAS_FILES


MOODLE_NAMES = {
    ("Ada King Lovelace_123_assignsubmission_file_", FOLDER): "",
    ("Ada King Lovelace_123_assignsubmission_file", FOLDER): "",
    ("Ada King Lovelace_123_assignsubmission_onlinetext", FOLDER): "",
    ("Ada King Lovelace_123_assignsubmission_file_work_1.zip", FILE): "work_1.zip",
}


def test_a_name_of_moodle_tells_the_full_name_and_the_participant() -> None:
    name, aliases = "Ada King Lovelace", ("123", "Participant 123")
    who = f"{name}_123"
    named = {(top, lone): Naming(MOODLE).named(top, lone=lone) for top, lone in MOODLE_NAMES}

    assert named == {
        key: Named(who, who, "", aliases, path, name) for key, path in MOODLE_NAMES.items()
    }


def test_a_team_of_moodle_without_a_number_is_called_by_its_name() -> None:
    named = Naming(MOODLE).named("Default group_assignsubmission_file_", lone=FOLDER)

    assert named == Named("Default group", "Default group", person="Default group")


def test_a_clone_of_github_classroom_is_called_by_its_login() -> None:
    assert Naming(CLASSROOM, "hw-1-").named("hw-1-ada-l", lone=FOLDER) == Named(
        "hw-1-ada-l", "ada-l", "", ("hw-1-ada-l",)
    )


def test_a_plain_name_is_a_folder_s_or_an_archive_s_without_its_suffix() -> None:
    naming = Naming(PLAIN)

    assert naming.named("ada", lone=FOLDER) == Named("ada", "ada")
    assert naming.named("ada.v1.TAR.GZ", lone=FILE) == Named(
        "ada.v1.TAR.GZ", "ada.v1", path="ada.v1.TAR.GZ"
    )


def test_loose_files_and_hidden_names_are_nobody_s() -> None:
    names = [("README.md", FILE), (".git", FOLDER), (".zip", FILE), (".a.zip", FILE)]
    named = [Naming(rule).named(name, lone=lone) for rule in NAMINGS for name, lone in names]

    assert named == [None] * len(named)


def test_long_names_are_cut_and_stay_different() -> None:
    first, second = ("x" * 300 + end for end in "ab")
    named = [Naming(PLAIN).named(name, lone=FOLDER) for name in (first, second)]

    learners = [each.learner for each in named if each is not None]
    assert [len(learner) for learner in learners] == [MAX_LEARNER, MAX_LEARNER]
    assert learners[0] != learners[1]


def test_a_name_that_is_no_text_becomes_text() -> None:
    assert Naming(PLAIN).named("j\udcfcrgen", lone=FOLDER) == Named("j\\xfcrgen", "j\\xfcrgen")


RECOGNISED = {
    "plain": ([("ada", FOLDER), ("bob", FOLDER)], Naming(PLAIN)),
    "a common beginning is no naming": ([("hw-ada", FOLDER), ("hw-bob", FOLDER)], Naming(PLAIN)),
    "canvas": ([("doe_1_2_a.zip", FILE), ("roe_LATE_3_4_b.zip", FILE)], Naming(CANVAS)),
    "canvas, loose files": ([("doe_1_2_a.json", FILE)], Naming(CANVAS)),
    "canvas, and a file that is nobody's": (
        [("doe_1_2_a.zip", FILE), ("grades.csv", FILE)],
        Naming(CANVAS),
    ),
    "one archive that is not canvas's": ([("doe_1_2_a.zip", FILE), ("b.zip", FILE)], Naming(PLAIN)),
    "moodle": ([("Ada L_1_assignsubmission_file_", FOLDER)], Naming(MOODLE)),
    "one folder that is not moodle's": (
        [("Ada L_1_assignsubmission_file_", FOLDER), ("bob", FOLDER)],
        Naming(PLAIN),
    ),
    "nothing": ([], Naming(PLAIN)),
}


def test_one_rule_is_recognised_for_all_names_of_a_source() -> None:
    found = {case: recognised_of(tops, "submissions") for case, (tops, _) in RECOGNISED.items()}

    assert found == {case: naming for case, (_, naming) in RECOGNISED.items()}


def test_classroom_is_recognised_by_the_folder_that_its_tool_makes() -> None:
    tops = [("hw-1-ada", FOLDER), ("hw-1-bob", FOLDER)]

    assert recognised_of(tops, "hw-1-submissions") == Naming(CLASSROOM, "hw-1-")
    assert recognised_of([*tops, ("eve", FOLDER)], "hw-1-submissions") == Naming(PLAIN)


def test_a_forced_rule_holds_and_takes_other_names_as_they_are() -> None:
    tops = [("hw-1-ada", FOLDER), ("hw-1-andy", FOLDER)]
    forced = recognised_of(tops, "downloads", CLASSROOM)

    assert forced == Naming(CLASSROOM, "hw-1-")
    assert recognised_of(tops, "hw-1-submissions", PLAIN) == Naming(PLAIN)
    assert Naming(CANVAS).named("eve", lone=FOLDER) == Named("eve", "eve")
