"""An instructor's table is read; a learner's row in it is found for sure, or stays as it was."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from tests.stubs.marks import FakeCohort
from verify.exports import blackboard, brightspace
from verify.exports.base import csv_file
from verify.exports.worksheets import Sheet, put
from verify.gradebook.records import Learner, Standing
from verify.intake import table
from verify.intake.table import Unusable

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from verify.exports.base import Format, Settings

    Made = Callable[..., Sheet]

ROWS = [
    ["1", "ada", "ada@example.org", "Lovelace, Ada"],
    ["2", "3", "bob@example.org", "Bob"],
    ["3", "cyd", "cyd@example.org", "Smith"],
    ["4", "dan", "dan@example.org", "Smith"],
    ["5"],
]


@pytest.fixture
def made(tmp_path: Path) -> Made:
    """Return a function that writes rows below a header, and reads them."""

    def make(rows: list[list[str]]) -> Sheet:
        with csv_file(str(tmp_path / "t.csv")) as writer:
            writer.writerows([["header"], *rows])
        return Sheet(str(tmp_path / "t.csv"), "--moodle-from")

    return make


def found(sheet: Sheet, *learners: Learner) -> tuple[dict[str, list[str]], list[str]]:
    """Return the rows of these learners, and the notes."""
    notes: list[str] = []
    cohort = FakeCohort((), [Standing(learner, ()) for learner in learners], has_roster=False)
    return sheet.rows_of(cohort, notes.append), notes


def row_of(sheet: Sheet, learner: Learner) -> list[str] | None:
    """Return a learner's row."""
    rows, notes = found(sheet, learner)
    assert len(notes) == (not rows)
    return rows.get(learner.key)


@pytest.mark.parametrize(
    ("learner", "row"),
    [
        (Learner("x", ids={"ID": "2"}), 1),
        (Learner("x", ids={"id": "3", "SIS_Login-ID": "cyd"}), 2),
        (Learner("x", ids={"id": "3", "SIS_Login-ID": "ada"}), None),
        (Learner("x", ids={"ID": "2"}, email="ada@example.org"), None),
        (Learner("x", email="ADA@example.org"), 0),
        (Learner("dan@example.org"), 3),
        (Learner("cyd"), 2),
        (Learner("3"), None),
        (Learner("4"), 3),
        (Learner("x", name="Ada Lovelace"), 0),
        (Learner("x", name=" bob "), 1),
        (Learner("x", name="Smith"), None),
        (Learner("x"), None),
        (Learner(""), None),
    ],
)
def test_ids_and_mail_come_before_the_key_names_last_and_what_is_as_sure_agrees(
    made: Made, learner: Learner, row: int | None
) -> None:
    sheet = made(ROWS)
    sheet.identify_by({"id": 0, "sis login id": 1}, email=2, name=3)

    assert row_of(sheet, learner) == (None if row is None else ROWS[row])


NUMBERED = {"identifier": 0, "id number": 1}


@pytest.mark.parametrize(
    ("name", "there", "same"),
    [
        ("Ada Lovelace", "Lovelace, Ada", True),
        ("Åke Ångström", "ake  ANGSTROM", True),
        ("Ada Lovelace", "Ada King Lovelace", True),
        ("山田太郎", "山田 太郎", True),
        ("Ada Lovelace", "", True),
        ("", "Ada Lovelace", True),
        ("Ada Lovelace", "Ada Smith", False),
    ],
)
def test_a_number_that_each_assignment_gives_anew_finds_no_one_of_another_name(
    made: Made,
    name: str,
    there: str,
    same: bool,  # noqa: FBT001  # a column of the table
) -> None:
    row = ["Participant 12", "", "", there]
    sheet = made([row])
    sheet.identify_by(NUMBERED, email=2, name=3, weak="identifier")
    learner = Learner("ada", name, ids={"identifier": "Participant 12"})

    assert row_of(sheet, learner) == (row if same else None)


def test_a_number_counts_where_anything_else_finds_the_same_row(made: Made) -> None:
    row = ["Participant 12", "s-7", "ada@example.org", "Countess of Lovelace"]
    sheet = made([row])
    sheet.identify_by(NUMBERED, email=2, name=3, weak="identifier")
    ids = {"identifier": "Participant 0012"}
    learners = (
        Learner("a", "Ada King", "ADA@example.org", ids),
        Learner("a", "Ada King", ids={**ids, "ID number": "S-7"}),
        Learner("a", "Ada King", ids=ids),
        Learner("Participant 12", "Ada King"),
    )

    assert [row_of(sheet, learner) for learner in learners] == [row, row, None, None]


def numbered(made: Made, *rows: list[str]) -> Sheet:
    sheet = made(list(rows))
    sheet.identify_by({"identifier": 0}, name=1, weak="identifier")
    return sheet


def test_a_row_grows_where_it_is_short() -> None:
    rows = [["1", "Ada", "old"], ["2"]]
    put(rows[0], 2, "14")
    put(rows[1], 3, "7")

    assert rows == [["1", "Ada", "14"], ["2", "", "", "7"]]


def test_a_row_that_several_claim_belongs_to_none_of_them(made: Made) -> None:
    sheet = numbered(made, ["1", "Ada", "old"], ["2", "Bob", ""])
    first = Learner("x", ids={"identifier": "1"})

    assert found(sheet, first, Learner("1"), Learner("2")) == (
        {"2": ["2", "Bob", ""]},
        ['--moodle-from has no row that clearly belongs to "x", "1"; --csv-wide includes everyone'],
    )


def test_of_many_without_a_row_some_are_named(made: Made) -> None:
    many = numbered(made, ["1", "Ada"])
    _, (note,) = found(many, *(Learner(f"x{number}") for number in range(101)))

    assert note.endswith(
        'belongs to "x0", "x1", "x2", "x3" and 97 more; --csv-wide includes everyone'
    )


def test_a_table_is_read_with_its_mark_its_separator_and_long_comments(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    data = b'\xef\xbb\xbfa;b\r\n"x\ry";"1;2"\r\n' + b"1;" + b"x" * 200_000 + b"\r\n"
    path.write_bytes(data)
    sheet = Sheet(str(path), "--x")
    sheet.write(str(path))

    assert (sheet.header, sheet.rows) == (["a", "b"], [["x\ry", "1;2"], ["1", "x" * 200_000]])
    assert path.read_bytes() == data


@pytest.mark.parametrize(
    ("encoding", "before", "separator", "written"),
    [
        ("cp1252", "", ";", "\ufeffName;Grade\r\nÅke Müller;14\r\n"),
        ("cp1252", "", "\t", "\ufeffName\tGrade\r\nÅke Müller\t14\r\n"),
        ("utf-16", "", "\t", "\ufeffName\tGrade\r\nÅke Müller\t14\r\n"),
        ("utf-8", "sep=|\n", "|", "Name|Grade\r\nÅke Müller|14\r\n"),
        ("utf-8-sig", "\n", ",", "\ufeffName,Grade\r\nÅke Müller,14\r\n"),
    ],
)
def test_a_table_of_a_platform_is_read_like_a_roster_and_written_in_utf_8(
    tmp_path: Path, encoding: str, before: str, separator: str, written: str
) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(f"{before}Name{separator}Grade\nÅke Müller{separator}\n".encode(encoding))
    sheet = Sheet(str(path), "--moodle-from")
    sheet.identify_by({}, name=0)
    put(row_of(sheet, Learner("x", "Mu\u0308ller, Åke")) or [], 1, "14")
    sheet.write(str(path))

    assert (sheet.header, path.read_bytes().decode()) == (["Name", "Grade"], written)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is empty"),
        (b"caf\xc3\xa9,b\ncaf\xe9,b\n", "is not UTF-8: export it from the LMS again"),
        (b'a,b\n1,"2\n', "^--x .*t.csv, line 2: cannot be read as CSV: unexpected end of data$"),
        (b"a,b\n" + b"1" * 100, "is larger than the limit of 100 bytes"),
        (None, "is a folder, not a regular file"),
        ("pipe", "not a regular file$"),
    ],
)
def test_what_is_no_table_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data: bytes | str | None, message: str
) -> None:
    monkeypatch.setattr(table, "MAX_TABLE", 100)
    path = tmp_path / "t.csv"
    if isinstance(data, bytes):
        path.write_bytes(data)
    elif data:
        os.mkfifo(path)
    else:
        path.mkdir()

    with pytest.raises(Unusable, match=message):
        Sheet(str(path), "--x")


STEP = "(expected one): choose one with --column 'expert/04=TITLE' (columns:"
COLUMN = '"{} [Total Pts: 100 Score] |7"'
GRADE_CENTRE = f'"Last Name","First Name","Username",{COLUMN},{COLUMN}\n'


NONE, TWO = (f"has {n} columns whose title begins with expert/04" for n in ("no", "2"))
NO_EXPORT = (
    "is not an export of Brightspace's grades (expected OrgDefinedId or Username, and a column"
    " End-of-Line Indicator)"
)
UNFIT = {
    (blackboard.FORMAT, "User,Last Name,First Name\n"): (
        "is not a download of Blackboard's grade centre (expected a column Username)"
    ),
    (blackboard.FORMAT, GRADE_CENTRE.format("Trace Evidence", "Classify")): (
        f'{NONE} {STEP} "Trace Evidence", "Classify")'
    ),
    (blackboard.FORMAT, GRADE_CENTRE.format("expert/04 Evidence", "expert/04")): (
        f'{TWO} {STEP} "expert/04 Evidence", "expert/04")'
    ),
    (blackboard.FORMAT, ""): "is empty: export it from the LMS again",
    (brightspace.FORMAT, "OrgDefinedId,A Points Grade\n"): NO_EXPORT,
    (brightspace.FORMAT, "Username,A Points Grade,End-of-Line Indicator\n"): (
        f'{NONE} {STEP} "A")'
    ),
    (brightspace.FORMAT, ""): "is empty: export it from the LMS again",
}


@pytest.mark.parametrize(("form", "text"), UNFIT)
def test_a_table_without_the_columns_that_a_platform_writes_is_refused(
    tmp_path: Path, settings: Settings, form: Format, text: str
) -> None:
    path = tmp_path / "x.csv"
    path.write_text(text, "utf-8")
    assert form.check is not None
    with pytest.raises(Unusable) as raised:
        form.check("out.csv", settings._replace(source=str(path)), ["expert/04"])

    assert str(raised.value) == f"--{form.name}-from {path} {UNFIT[form, text]}"


def test_the_same_cell_in_the_files_of_two_assignments_is_not_the_same_grade(
    tmp_path: Path, settings: Settings
) -> None:
    exported: dict[str, set[str]] = {}
    more = settings._replace(exported=exported)
    cells = []
    for name, there in (("week-1", ""), ("week-2", "10"), ("week-1", "10"), ("week-2", "")):
        path = tmp_path / "t.csv"
        path.write_text(f"id,Grade\nada,{there}\n", "utf-8")
        sheet = Sheet(str(path), "--fill")
        sheet.identify_by({"id": 0})
        sheet.put_grade(sheet.rows[0], 1, "10" if name == "week-1" else "3", more, [name])
        cells.append(sheet.rows[0][1])

    assert cells == ["10", "10", "10", "3"]  # what somebody else gave in week-2 stays
