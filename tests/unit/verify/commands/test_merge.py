"""`verify merge` makes one gradebook of two assistants' and names what they disagree about."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from pipeline.bootstrap import ROOT
from tests.unit.verify.commands.conftest import SOLVED
from verify.gradebook.merging import TABLES

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Verify = Callable[..., tuple[int, str, str]]

GRADE = ("--exercise", "foundation/01", "--jobs", "1", "--quiet")
MERGE = ("merge", "ann.db", "bob.db", "--into", "class.db")


@pytest.fixture
def assistants(verify: Verify, cohort: Path) -> Verify:
    """Return what runs a command beside ann.db, of ada and eve, and bob.db, of cy and eve."""
    shutil.copytree(cohort / "cohort", cohort / "other")
    (cohort / "other" / "ada").rename(cohort / "other" / "cy")
    shutil.copytree(SOLVED, cohort / "other" / "eve", dirs_exist_ok=True)
    for name, collection in (("ann", "cohort"), ("bob", "other")):
        verify("batch", collection, *GRADE, "--gradebook", f"{name}.db")
    return verify


def scores(verify: Verify, gradebook: str) -> dict[str, str]:
    verify("export", "--gradebook", gradebook, "--csv-wide", "g.csv")
    with open("g.csv", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    return {row[0]: row[header.index("total")] for row in rows}


def test_t5_two_halves_of_a_class_are_one_and_what_they_disagree_about_is_named(
    assistants: Verify,
) -> None:
    code, out, err = assistants(*MERGE)
    first, last = out.splitlines()

    assert (code, err) == (1, "")
    assert re.fullmatch(
        r"result eve foundation/01: pass 9, \S+ counts \(graded later\), not fail 0, \S+", first
    )
    assert last == "class.db: 3 runs, 3 submissions, 4 results, 0 overrides, 0 decisions"
    assert scores(assistants, "class.db") == {"ada": "9", "cy": "9", "eve": "9"}
    assert assistants(*MERGE[:4], "again.db", "--prefer", "ann.db")[1].startswith("result eve ")
    assert scores(assistants, "again.db") == {"ada": "9", "cy": "9", "eve": "0"}


def test_t5_of_two_overrides_the_later_one_counts_and_the_other_one_is_withdrawn(
    assistants: Verify,
) -> None:
    for name, score in (("ann", "3"), ("bob", "4")):
        words = ("eve", "--exercise", "foundation/01", "--score", score, "--reason", "an\x1b oral")
        assistants("override", *words, "--by", name, "--gradebook", f"{name}.db")
        time.sleep(1.1)  # the time has seconds
    out = assistants(*MERGE)[1].splitlines()
    listed = assistants("override", "--gradebook", "class.db")[1]

    assert re.fullmatch(
        r"override eve foundation/01: 4 by bob, \S+, an\\u\{1b\} oral counts \(made later\),"
        r" not 3 by ann, \S+, an\\u\{1b\} oral",
        out[0],
    )
    assert scores(assistants, "class.db")["eve"] == "4"
    assert re.search(r"3 by ann, .* \(withdrawn by \w+ \(merge\), ", listed)


def test_t5_merging_again_or_a_gradebook_with_itself_changes_nothing(assistants: Verify) -> None:
    before = [open(name, "rb").read() for name in ("ann.db", "bob.db")]  # noqa: SIM115
    assistants(*MERGE)
    same = assistants("merge", "ann.db", "ann.db", "--into", "same.db")
    again = assistants("merge", "class.db", "ann.db", "--into", "again.db")

    assert (same[0], again[0]) == (0, 0)
    assert dump("same.db") == dump("ann.db")
    assert dump("again.db") == dump("class.db")
    assert [open(name, "rb").read() for name in ("ann.db", "bob.db")] == before  # noqa: SIM115


def dump(path: str) -> list[str]:
    """Return the statements that make a database, in the order of the rows' texts."""
    with sqlite3.connect(path) as connection:
        return sorted(connection.iterdump())


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        ("DROP TABLE finding", "does not have the schema of a gradebook"),
        ("PRAGMA user_version = 8", "is a gradebook of version 8, not 7: use a newer verify"),
        ("PRAGMA application_id = 1", "is a database, but not a gradebook"),
        ("UPDATE result SET rules = 99", "is damaged (a row in result refers to a missing row"),
    ],
)
def test_t5_what_is_no_gradebook_of_ours_is_one_line(
    assistants: Verify, damage: str, message: str
) -> None:
    with sqlite3.connect("bob.db") as connection:
        connection.execute(damage)
    code, out, err = assistants(*MERGE)

    assert (code, out, err.count("\n"), os.path.exists("class.db")) == (2, "", 1, False)
    assert err.startswith(f"verify: bob.db {message}")


def test_t5_only_a_new_file_is_written_and_only_one_class_is_merged(
    assistants: Verify, cohort: Path
) -> None:
    there = assistants(*MERGE[:4], "ann.db")
    absent = assistants("merge", "ann.db", "carl.db", "--into", "class.db")
    folder = assistants(*MERGE[:4], "no/class.db")
    other = assistants(*MERGE, "--prefer", "class.db")
    for name, key in (("ann", "ada"), ("bob", "a1")):
        login = "ada@x.org" * (name == "bob")  # that of two: neither is certainly ada
        rows = f"{key},ada@x.org,\neve,e@x.org,{login}\ncy,c@x.org,"
        (cohort / f"{key}.csv").write_text(f"id,email,login\n{rows}")
        roster = ("--roster", f"{key}.csv", "--replace", "--gradebook", f"{name}.db")
        assistants("batch", "other", *GRADE, *roster)
    strangers = assistants(*MERGE)

    assert strangers[2] == (
        "verify: ada@x.org is ada in one gradebook and a1 in the other: only gradebooks of one"
        " class, with the same keys, can be merged\n"
    )
    assert [there[2], absent[2], folder[2], other[2]] == [
        "verify: ann.db exists: choose a new file for --into\n",
        "verify: carl.db does not exist: check its path\n",
        "verify: no/class.db cannot be created: create its folder first\n",
        "verify: --prefer class.db is not one of the two gradebooks\n",
    ]
    assert not os.path.exists("class.db")


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "is empty: give a gradebook that verify batch has written"),
        (b"hello", "is not a gradebook: choose a different gradebook, or move the file away"),
        (None, "is a folder: choose a different gradebook"),
    ],
)
def test_what_cannot_be_merged_says_what_to_give(
    assistants: Verify, cohort: Path, data: bytes | None, why: str
) -> None:
    path = cohort / "carl.db"
    path.mkdir() if data is None else path.write_bytes(data)
    refused = assistants("merge", "ann.db", "carl.db", "--into", "class.db")

    assert refused == (2, "", f"verify: carl.db {why}\n")


def test_t5_every_table_of_the_schema_is_merged(assistants: Verify) -> None:
    assistants(*MERGE)
    with sqlite3.connect("class.db") as connection:
        found = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()

    assert sorted(name for (name,) in found) == sorted(TABLES)


def test_t5_of_one_last_run_in_both_gradebooks_the_lines_of_both_are_kept(
    assistants: Verify,
) -> None:
    shutil.copy("ann.db", "bob.db")
    for name, line in (("bob", "look at eve"), ("ann", "look at ada")):
        with sqlite3.connect(f"{name}.db") as connection:
            connection.execute("INSERT INTO attention VALUES ('', ?)", (line,))
    code = assistants(*MERGE)[0]
    with sqlite3.connect("class.db") as connection:
        lines = connection.execute("SELECT line FROM attention ORDER BY line").fetchall()

    assert (code, lines) == (0, [("look at ada",), ("look at eve",)])


def test_t5_what_a_killed_merge_leaves_is_removed_by_the_next_one(assistants: Verify) -> None:
    os.mkdir(".merge-class.db")
    shutil.copy("ann.db", ".merge-class.db/merged.db")
    code = assistants(*MERGE)[0]

    assert (code, [name for name in os.listdir() if name.startswith(".merge")]) == (1, [])


@pytest.mark.slow
def test_t5_a_killed_merge_leaves_a_whole_gradebook_or_none(assistants: Verify) -> None:
    words = [sys.executable, "-m", "verify", "merge", "ann.db", "bob.db", "--into"]
    environment, outcomes, begun = {**os.environ, "PYTHONPATH": ROOT}, set(), time.monotonic()
    subprocess.run([*words, "first.db"], env=environment, check=False)
    took = time.monotonic() - begun
    for number in range(8):
        target = f"{number}.db"
        process = subprocess.Popen([*words, target], env=environment)
        time.sleep(took * (0.2 + 0.12 * number))
        process.send_signal(signal.SIGKILL)
        process.wait()
        outcomes.add(os.path.exists(target))
        if os.path.exists(target):
            assert scores(assistants, target) == {"ada": "9", "cy": "9", "eve": "9"}
        assert assistants("merge", "ann.db", "bob.db", "--into", f"whole-{number}.db")[0] == 1

    assert False in outcomes


MOODLE = "Identifier,Full name,Username,Email address,Status,Grade\n"
CANVAS = "Student,ID,SIS User ID,SIS Login ID,Section\n"


def merged_of_two_platforms(
    verify: Verify, cohort: Path, moodle: str, canvas: str
) -> tuple[int, str, str]:
    """Merge a gradebook by a roster of Moodle, with a score for `key`, and one of Canvas."""
    (cohort / "cohort" / "ada").rename(cohort / "cohort" / "Ada Byron")
    (cohort / "moodle.csv").write_text(MOODLE + moodle, encoding="utf-8")
    (cohort / "canvas.csv").write_text(CANVAS + canvas, encoding="utf-8")
    for name, platform in (("ann", "moodle"), ("bob", "canvas")):
        words = ("--roster", f"{platform}.csv", "--gradebook", f"{name}.db")
        verify("batch", "cohort", *GRADE, *words)
        time.sleep(1.1)  # the time has seconds, and the key of the later run counts
    score = ("--exercise", "foundation/01", "--score", "3", "--reason", "oral")
    verify("override", "Ada Byron", *score, "--gradebook", "ann.db")
    return verify(*MERGE)


@pytest.mark.parametrize(
    ("moodle", "canvas"),
    [
        ("Participant 7,Ada Byron,ada,ada@x.org,-,-", "Ada Byron,17,s17,ADA@x.org,A"),
        ("Participant 7,Ada Byron,ada,a@x.org,-,-", "Ada Byron,17,s17,Ada,A"),
        ('Participant 7,"Byron, Ada",s17,a@x.org,-,-', "Ada Byron,17,s17,,A"),
    ],
    ids=["an address", "a login, and the name", "a number, and the name"],
)
def test_a_learner_with_two_keys_is_one_by_what_nobody_else_has(
    verify: Verify, cohort: Path, moodle: str, canvas: str
) -> None:
    code, out, err = merged_of_two_platforms(verify, cohort, moodle, canvas)
    again = verify("merge", "class.db", "ann.db", "--into", "again.db")
    with sqlite3.connect("class.db") as connection:
        (ids,) = connection.execute("SELECT ids FROM learner").fetchone()

    assert (code, err) == (0, "")
    assert re.fullmatch('new keys, with all that was theirs: "(ada|s17) is 17"', out.split("\n")[0])
    assert scores(verify, "class.db") == {"17": "3"}
    assert json.loads(ids).items() >= {("Identifier", "Participant 7"), ("SIS User ID", "s17")}
    assert (again[0], dump("again.db")) == (0, dump("class.db"))


@pytest.mark.parametrize(
    ("first", "second", "refused"),
    [
        ("1,Ada L\n2,Bo M\n", "1,Abe P\n2,Ada L\n", "1 is ada l in one gradebook and abe p in the"),
        ("1,Ada L\n2,Bo M\n", "2,Ada L\n1,Bo M\n", "1 is ada l in one gradebook and bo m in the"),
        ("É,Ada L\n2,Bo M\n", "É,Abe P\n3,Ada L\n", "É is ada l in one gradebook and abe p in the"),
        ("1,Ada L\n2,Bo M\n", "1,Ada Love\n2,Bo M\n", ""),  # a corrected name
        ("1,Ada L\n2,Bo M\n", "1,Ada L\n2,Bo M\n3,Ada L\n", ""),  # a namesake
    ],
)
def test_a_key_whose_learner_has_another_key_in_the_other_gradebook_is_not_merged(
    verify: Verify, cohort: Path, first: str, second: str, refused: str
) -> None:
    for name, roster in (("ann", first), ("bob", second)):
        (cohort / "r.csv").write_text(f"id,name\n{roster}", encoding="utf-8")
        keys = sorted(row.partition(",")[0] for row in roster.splitlines()[:2])
        entries = f"learner,path\n{keys[0]},cohort/ada\n{keys[1]},cohort/eve\n"
        (cohort / "m.csv").write_text(entries, encoding="utf-8")
        verify("batch", "m.csv", *GRADE, "--roster", "r.csv", "--gradebook", f"{name}.db")
    code, _, err = verify(*MERGE)

    assert (code == 2) == bool(refused)
    assert err.partition(" other: ")[0] == (f"verify: {refused}" if refused else "")


def test_who_may_be_one_learner_is_named_and_kept_apart(verify: Verify, cohort: Path) -> None:
    moodle = "Participant 7,Ada Byron,ada,a@x.org,-,-\nParticipant 17,Eve,eve,e@x.org,-,-\n"
    moodle += "Participant 8,Cy Lee,cy,c@x.org,-,-\nParticipant 9,Wei Li,wei,w@x.org,-,-\n"
    canvas = "Ada Byron,20,s20,,A\nEve King,21,eve,,A\nXi,8,s22,cy2,A\n"
    canvas += "Wei Li,23,s23,,A\nWei Li,24,s24,,A\n"
    code, out, _ = merged_of_two_platforms(verify, cohort, moodle, canvas)

    assert (code, out.splitlines()[:-1]) == (
        1,
        [
            f"to confirm: {who}: put the same username of theirs into both rosters, run verify"
            " batch with each, and merge again, or leave them apart"
            for who in (
                'ada and 20 may be one learner (both have "ada byron")',
                'eve and 21 may be one learner (both have "eve")',
            )
        ],
    )
    assert scores(verify, "class.db").keys() == {
        *("ada", "eve", "cy", "wei", "20", "21", "8", "23", "24")
    }
