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
        (PLAIN, "doe_jane.zip", "jane", "name"),
        (PLAIN, "jane@x.org.tar.gz", "jane", "key"),
        (PLAIN, "JANE/", "jane", "key"),
        (PLAIN, "janet/", "", "is not on the roster"),
        (PLAIN, "Lee/", "", "matches more than one learner: lc by name, lee by key"),
        (PLAIN, "doejane_10001_1_x.zip", "jane", "name"),
        (PLAIN, "Jane Doe_7_assignsubmission_file_/", "jane", "name"),
        (PLAIN, "gradebook_C_HW 1_max_attempt_2026-03-01-10-00-00_x.zip", "max", "key"),
        ("id\njane_doe\n", f"{ATTEMPT}_x.zip", "jane_doe", "key"),
        ("id\ndoe\njane_doe\n", f"{ATTEMPT}_x.zip", "", "is not on the roster"),
        (IDS, "doejane_10001_1_x.zip", "20001", "name"),
        (IDS, "mustermannmax_10002_2_x.zip", "10001", "name"),
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
        (PLAIN, "doejane_1_5_max_attempt_2026-03-01-11-00-00_x.zip", "jane", "name"),
        (TWO_IDS, "1001.zip", "", "is not on the roster"),
        (CLASSROOM, "hw-1-mary-doe/", "d2", "login"),
        (CLASSROOM, "hw-1-doe/", "d1", "login"),
    ],
)
def test_an_entry_is_matched_by_what_the_roster_has_and_never_by_a_guess(
    tmp_path: Path, roster: str, entry: str, learner: str, by: str
) -> None:
    found = _matched(tmp_path, roster, entry)

    assert (found.learner, found.by or found.why) == (learner, by)


def _matched(tmp_path: Path, roster: str, entry: str) -> Match:
    known = roster_in(tmp_path, roster)
    matcher = Matcher(FolderCollection("submissions"), known, {})
    nature = FOLDER if entry.endswith("/") else FILE
    (match,) = matcher.match(Entry(entry.rstrip("/"), nature))
    return match


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
