"""Any table is filled in where it is: the cells of one column change, and no other byte."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.unit.verify.exports.conftest import cohort_of, standing_of
from verify.exports.any_table import FORMAT, write
from verify.gradebook.records import Learner
from verify.grading.model import Outcome
from verify.intake.table import CsvFile, Unusable

if TYPE_CHECKING:
    from pathlib import Path

    from verify.exports.base import Settings
    from verify.gradebook.reading import Cohort

TABLE = (
    'sep=;\r\n\r\nE-Mail;"Name; long";Note;Kommentar\n'
    'ada@example.org;"=1+1 ""x""";;"a\r\nb"\r'
    "bob@example.org;B;-;@x\r\n"
    "cyd@example.org;C;2\n\n"
    "dan@example.org\r\n"
    "nobody@example.org;N;3;'"
)


@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "utf-16"])
def test_t7_a_column_is_filled_in_and_every_other_byte_stays(
    cohort: Cohort, tmp_path: Path, settings: Settings, notes: list[str], codec: str
) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(TABLE.encode(codec))
    exported: dict[str, set[str]] = {}
    more = settings._replace(columns={"": "Note"}, exported=exported)
    write(cohort, str(path), more)
    first = path.read_bytes()
    write(cohort, str(path), more)

    expected = TABLE.replace('""x""";;', '""x""";14;').replace(";B;-;", ";B;6;")
    expected = expected.replace("dan@example.org\r", "dan@example.org;;7.5\r")
    assert (first, path.read_bytes()) == (expected.encode(codec),) * 2
    assert sorted(map(sorted, exported.values())) == [["14"], ["6"], ["7.5"]]
    assert not any("keeps" in note for note in notes)


def test_t7_a_grade_of_others_is_replaced_only_if_you_say_so(
    tmp_path: Path, settings: Settings, notes: list[str]
) -> None:
    path = tmp_path / "t.csv"
    path.write_text("login,Points,Rest\nada,3,x\nbob,ex,y\n", "utf-8")
    rows = [standing_of("ada"), standing_of("bob")]
    more = settings._replace(columns={"expert/04": "Points"})
    write(cohort_of(*rows), str(path), more)
    kept = path.read_text("utf-8")
    write(cohort_of(*rows), str(path), more._replace(overwrite=True))

    assert kept == "login,Points,Rest\nada,3,x\nbob,ex,y\n"
    assert path.read_text("utf-8") == "login,Points,Rest\nada,10,x\nbob,ex,y\n"
    assert notes[0].startswith('--fill keeps 2 grades: "ada: 3", "bob: ex": not from this')
    assert notes[1].startswith('--fill keeps 1 grade: "bob: ex": not from this gradebook;')
    assert notes[2] == '--fill replaces 1 grade: "ada: 3 -> 10"'


def test_t7_the_grade_of_who_is_excused_of_everything_is_removed(
    tmp_path: Path, settings: Settings
) -> None:
    path = tmp_path / "t.csv"
    path.write_text("login,Points,Total\nada,,\n", "utf-8")
    columns = {"expert/04": "Points", "": "Total"}
    more = settings._replace(columns=columns, exported={})
    ada = standing_of("ada")
    write(cohort_of(ada), str(path), more)
    before = path.read_text("utf-8")
    marks = tuple(mark._replace(outcome=Outcome.EXCUSED) for mark in ada.marks)
    write(cohort_of(ada._replace(marks=marks)), str(path), more)

    assert before == "login,Points,Total\nada,10,14\n"
    assert path.read_text("utf-8") == "login,Points,Total\nada,,\n"


ROWS = {  # what the table says of a row, and whether it is Ada's
    "id,name\n0011,": True,  # her student number
    "login,name\nADA,": True,
    "login,name\n0011,Lovelace Ada": True,
    "login,name\n0011,Ben Roe": False,
    "login,id,name\n0011,ada,": True,
    "login,id,name\nada2,0012,Ada Lovelace": True,  # only one has this name
    "login,email,name\n0011,b@example.org,": True,
    "login,id\nben,0011": False,  # two learners claim it
    "login,id\nada,ben": False,
    "login,name\nX1,": False,  # the room is no id
}


@pytest.mark.parametrize("row", ROWS)
def test_t7_a_row_is_found_by_any_id_of_the_roster_that_is_one_learners(
    tmp_path: Path, settings: Settings, row: str
) -> None:
    path = tmp_path / "t.csv"
    head, cells = row.split("\n")
    path.write_text(f"{head},P\n{cells},\nother,,\n", "utf-8")
    ids = {"Username": "ada", "Matrikelnummer": "0011", "Room": "X1"}
    ada, ben = Learner("ada", "Ada Lovelace", ids=ids), Learner("ben", ids={"Username": "ben"})
    rows = [standing_of("x")._replace(learner=learner) for learner in (ada, ben)]
    write(
        cohort_of(*rows, has_roster=False), str(path), settings._replace(columns={"expert/04": "P"})
    )

    assert (f"{cells},10\n" in path.read_text("utf-8")) == ROWS[row]


WRONG = {
    "id,Points\n": (
        {"": "Note"},
        (
            "--fill {} has no columns called Note (expected one): choose another"
            ' (columns: "id", "Points")'
        ),
    ),
    "id,P,P\n": (
        {"": "P"},
        '--fill {} has 2 columns called P (expected one): choose another (columns: "id", "P", "P")',
    ),
    "who,P\n": (
        {"": "P"},
        "--fill {} is not a table of learners (expected a column such as id, username or email)",
    ),
    "id,P\n": ({"": "id"}, "--fill {} has ids in a column that is to be filled in"),
    "id,Q\n": ({}, "--fill needs --column: add --column NAME"),
    "id,R\n": (
        {"expert/09": "R"},
        '--column names expert/09, which is not graded (expected "expert/04")',
    ),
}


@pytest.mark.parametrize("text", WRONG)
def test_t7_a_table_or_column_that_cannot_be_filled_in_is_refused(
    tmp_path: Path, settings: Settings, text: str
) -> None:
    path = tmp_path / "x.csv"
    path.write_text(text, "utf-8")
    columns, message = WRONG[text]
    assert FORMAT.check is not None
    with pytest.raises(Unusable) as raised:
        FORMAT.check(str(path), settings._replace(columns=columns), ["expert/04"])

    assert str(raised.value) == message.format(path)


CELLS = st.text(st.sampled_from('a;,"\n\r\té= '), max_size=4)


@example(rows=[["", ""], ["", "\r;"]], sign=",", ending="\n", codec="utf-8", changes={(3, 0): ""})
@given(
    rows=st.lists(st.lists(CELLS, min_size=2, max_size=4), min_size=1, max_size=4),
    sign=st.sampled_from(",;\t"),
    ending=st.sampled_from(["\n", "\r\n"]),
    codec=st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
    changes=st.dictionaries(st.tuples(st.integers(0, 3), st.integers(0, 3)), CELLS, max_size=3),
)
def test_t7_a_changed_file_has_the_new_cells_and_the_old_bytes(
    tmp_path_factory: pytest.TempPathFactory,
    rows: list[list[str]],
    sign: str,
    ending: str,
    codec: str,
    changes: dict[tuple[int, int], str],
) -> None:
    text = io.StringIO()
    writer = csv.writer(text, delimiter=sign, lineterminator=ending)
    writer.writerows([["id", "a", "b", "c"], *rows])
    path = tmp_path_factory.mktemp("t") / "t.csv"
    path.write_bytes(text.getvalue().encode(codec))
    file = CsvFile(str(path), strict=True)
    read = [cells for _, cells in file.cells()]
    assert file.changed(read) == path.read_bytes()
    for (row, column), cell in changes.items():
        if 0 < row < len(read) and column < len(read[row]):
            read[row][column] = cell
    changed = file.changed(read)
    path.write_bytes(changed)

    again = [cells for _, cells in CsvFile(str(path), strict=True).cells()]
    assert again == read
