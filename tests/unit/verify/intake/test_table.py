"""Tables of instructors: any usual encoding and separator, each fault with its line."""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING

import pytest

from verify.intake import table
from verify.intake.table import Table, Unusable

if TYPE_CHECKING:
    from pathlib import Path

TEXT = 'id{0}Größe\r\na{0}"1\n2"\n\n b {0} é \n'
ROWS = [(2, {"id": "a", "Größe": "1\n2"}), (5, {"id": "b", "Größe": "é"})]
ENCODINGS = ["utf-8", "utf-8-sig", "cp1252", "utf-16", "utf-16-be"]
MARKS = {"utf-16-be": codecs.BOM_UTF16_BE}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "table.csv"


def fault_of(file: Path, data: bytes) -> str:
    file.write_bytes(data)
    with pytest.raises(Unusable) as raised:
        identities(file)
    return str(raised.value.args[0]).removeprefix(str(file))


def identities(file: Path) -> list[str]:
    read = Table(str(file))
    return [read.identity(row, read.columns[0]) for row in read.rows()]


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("sign", [",", ";", "\t"])
def test_a_table_is_read_in_its_encoding_with_its_separator(
    encoding: str, sign: str, file: Path
) -> None:
    file.write_bytes(MARKS.get(encoding, b"") + TEXT.format(sign).encode(encoding))
    read = Table(str(file))

    assert read.columns == ["id", "Größe"]
    assert list(read.rows()) == ROWS


def test_empty_cells_at_the_end_of_a_row_may_be_missing_or_too_many(file: Path) -> None:
    file.write_bytes(b"a,b\n1\n1,2,,\n")

    assert [cells for _, cells in Table(str(file)).rows()] == [
        {"a": "1"},
        {"a": "1", "b": "2"},
    ]


def test_of_two_columns_with_one_name_the_first_that_has_a_cell_counts(file: Path) -> None:
    file.write_bytes(b"a,b,a\n1,2,3\n,2,3\n")

    assert [list(cells.items()) for _, cells in Table(str(file)).rows()] == [
        [("a", "1"), ("b", "2")],
        [("b", "2"), ("a", "3")],
    ]


UTF8 = "save the table as CSV in UTF-8"
LONG = "has more than 1,048,576 characters: save the table as CSV again"
BAD = 'the "id" contains a control character or damaged text'
DAMAGED = "as a spreadsheet damages it: format the column as text, and export the table again"
UNUSABLE = {
    b"": " is empty: its first line must name the columns",
    b"\n\n": " is empty: its first line must name the columns",
    b"id,name\na,b,c\n": ", line 2: has 3 cells, but there are 2 columns",
    b'id,name\na,"b\n': ", line 2: cannot be read as CSV: unexpected end of data",
    b"id\na\n\x81\n": f", line 3: {BAD}",
    codecs.BOM_UTF8 + b"id\n\xe9\n": f", line 2: {BAD}",
    b"id\na\n\0\n": f", line 3: {BAD}",
    "id\na\n".encode("utf-16-le"): f", line 1: has a NUL character: {UTF8}",
    codecs.BOM_UTF16_LE + b"i\0d\0\n\0\x00": f", line 2: {BAD}",
    b"id\n" + b"a" * 301 + b"\n": ', line 2: the "id" has more than 300 characters',
    b"id\na\x1b[2Jb\n": f", line 2: {BAD}",
    "id\na\u0085b\n".encode(): f", line 2: {BAD}",
    b"x" * 301 + b"\n": ", line 1: a column's name has more than 300 characters",
    b"," * 1_000 + b"x\n": ", line 1: has more than 1000 columns",
    b"id" + b"," * (1 << 20): f", line 1: {LONG}",
    b"id\na\n" + b"b" * (1 << 21): f", line 3: {LONG}",
}


def test_a_table_that_cannot_be_used_says_where_and_why(file: Path) -> None:
    assert {data: fault_of(file, data) for data in UNUSABLE} == UNUSABLE


def test_more_rows_than_any_class_has_are_refused(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table, "MAX_ROWS", 3)
    file.write_bytes(b"id\na\n\nb\nc\n")

    assert len(list(Table(str(file)).rows())) == 3
    assert fault_of(file, b"id\na\n\nb\nc\nd\n") == ", line 6: there are more than 3 rows"


def test_a_table_that_is_not_a_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Unusable, match="is a folder, not a regular file"):
        Table(str(tmp_path))


SHEETS = ["2.0067930E+07", "2,0067930E+07", "2E+07", "2.0067930E7", "20067930.0", "20067930,0"]
SHEETS += ["#REF!", "#N/A", "#NV", "#NAME?", "#DIV/0!", "#WERT!", "########"]


@pytest.mark.parametrize("cell", SHEETS)
def test_g12_what_a_spreadsheet_has_damaged_is_named_with_its_line_and_column(
    file: Path, cell: str
) -> None:
    found = fault_of(file, f'id;name\na;A\n"{cell}";B\n'.encode())

    assert found == f', line 3: the "id" is "{cell}", {DAMAGED}'


def test_g12_what_only_looks_damaged_is_read(file: Path) -> None:
    kept = ["2e07", "12E345", "1.0", "e+05", "a@x.de", "#12345", "3-5", "007", "1e+x"]
    file.write_text("id\n" + "\n".join(kept), "utf-8")

    assert identities(file) == kept


def test_g12_a_text_that_a_spreadsheet_keeps_is_its_text(file: Path) -> None:
    file.write_bytes(b'="id",n\n="00123",a\n"=""0""""4""",b\n="",c\n=" 5 ",d\n="6,e\n=7,f\n')

    assert [cells.get("id") for _, cells in Table(str(file)).rows()] == [
        *("00123", '0"4', None, "5", '="6', "=7")
    ]


@pytest.mark.parametrize("sign", [",", ";", "|", "\t"])
@pytest.mark.parametrize("mark", ["sep={}", '"sep={}"', "SEP={}"])
def test_g12_a_first_line_may_name_the_separator(file: Path, sign: str, mark: str) -> None:
    text = f"{mark.format(sign)}\r\nid{sign}a,b;c\r\n1{sign}2\r\n"
    file.write_text(text.replace("a,b;c", "n"), "utf-8")
    read = Table(str(file))

    assert (read.columns, list(read.rows())) == (["id", "n"], [(3, {"id": "1", "n": "2"})])


ENCODED = {  # most lines that are not ASCII decide; what is damaged in the others is marked
    "é\né\né\n".encode() + b"\xe9\n": ["é", "é", "é", "\ufffd"],
    b"\xe9\n\xfc\n" + "é\n".encode(): ["é", "ü", "Ã©"],
    b"a\n\xe9\nb\x81\n": ["a", "é", "b\ufffd"],
    codecs.BOM_UTF8 + b"a\n\xe9\n": ["a", "\ufffd"],
}


def test_g12_one_line_in_another_encoding_damages_no_other(file: Path) -> None:
    found = {}
    for data in ENCODED:
        mark = codecs.BOM_UTF8 if data.startswith(codecs.BOM_UTF8) else b""
        file.write_bytes(mark + b"id\n" + data.removeprefix(mark))
        found[data] = [cells["id"] for _, cells in Table(str(file)).rows()]

    assert found == ENCODED
