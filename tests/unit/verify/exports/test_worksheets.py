"""An instructor's table is read with care: any size, encoding and shape may be met."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from verify.exports import worksheets
from verify.exports.base import UnusableExport
from verify.exports.worksheets import Table, read_table

if TYPE_CHECKING:
    from pathlib import Path


def test_a_table_is_read_with_its_mark_and_separator(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b'\xef\xbb\xbfa;b\r\n"x\ry";"1;2"\r\n')

    assert read_table(str(path), "--x") == Table(["a", "b"], [["x\ry", "1;2"]], ";", marked=True)


def test_a_long_comment_is_no_fault(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1," + "x" * 200_000)

    assert len(read_table(str(path), "--x").rows[0][1]) == 200_000


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", "is empty"),
        (b"caf\xe9,b\n", "is no UTF-8: export it from the LMS again"),
        (b"a,b\n" + b"1" * 100, "is larger than"),
    ],
)
def test_what_is_no_table_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data: bytes, told: str
) -> None:
    monkeypatch.setattr(worksheets, "LARGEST", 100)
    path = tmp_path / "t.csv"
    path.write_bytes(data)

    with pytest.raises(UnusableExport, match=told):
        read_table(str(path), "--x")


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnusableExport, match="cannot be read: is a directory"):
        read_table(str(tmp_path), "--x")


def test_a_pipe_is_refused_rather_than_waited_for(tmp_path: Path) -> None:
    pipe = str(tmp_path / "t.csv")
    os.mkfifo(pipe)

    with pytest.raises(UnusableExport, match=r"^--x \S+ is no regular file$"):
        read_table(pipe, "--x")
