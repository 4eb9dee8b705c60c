"""Tests of where a report stands."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from verify.report.folder import UnwritableReport, replaced

if TYPE_CHECKING:
    from pathlib import Path


def write(folder: Path, text: str) -> None:
    """Write a report of one page and one learner."""
    with replaced(str(folder)) as new:
        for name in ("index.html", "learners/a.html", "assets/x.css"):
            with open(os.path.join(new, name), "w", encoding="utf-8") as file:
                file.write(text)


def test_a_report_replaces_an_older_one_and_leaves_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "new" / "report").mkdir(parents=True)
    write(tmp_path / "new" / "report", "one")
    write(tmp_path / "new" / "report", "two")

    assert (tmp_path / "new/report/index.html").read_text() == "two"
    assert os.listdir(tmp_path / "new") == ["report"]


def test_what_fails_half_way_leaves_the_old_report(tmp_path: Path) -> None:
    write(tmp_path / "report", "one")

    with pytest.raises(KeyError), replaced(str(tmp_path / "report")):
        raise KeyError

    assert (tmp_path / "report/index.html").read_text() == "one"
    assert os.listdir(tmp_path) == ["report"]


@pytest.mark.parametrize("name", ["thesis.md", ".cohort-report"])
def test_a_folder_of_somebodys_files_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("years of work")

    with pytest.raises(UnwritableReport, match="is not empty and no report of verify"):
        write(tmp_path, "one")

    assert (tmp_path / name).read_text() == "years of work"


@pytest.mark.parametrize("name", ["notes.txt", "learners/notes.txt", "assets/logo.png"])
def test_a_report_that_somebody_put_files_into_is_refused(tmp_path: Path, name: str) -> None:
    write(tmp_path / "report", "one")
    (tmp_path / "report" / name).write_text("mine")

    with pytest.raises(UnwritableReport, match=f"holds {name}, which is no part of a report"):
        write(tmp_path / "report", "two")

    assert (tmp_path / "report" / name).read_text() == "mine"


def test_a_file_or_a_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")

    for name in ("file", "link"):
        with pytest.raises(UnwritableReport, match="is no folder: name a new folder"):
            write(tmp_path / name, "one")

    assert (tmp_path / "file").read_text() == "mine"


def test_a_disk_that_refuses_is_told_of_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")

    with pytest.raises(UnwritableReport) as told:
        write(tmp_path / "file" / "report", "one")

    assert str(told.value).endswith("; make room, or name another folder")
    assert "\n" not in str(told.value)


def test_the_report_has_the_permissions_of_any_new_folder(tmp_path: Path) -> None:
    write(tmp_path / "report", "one")
    (tmp_path / "other").mkdir()

    assert (tmp_path / "report").stat().st_mode == (tmp_path / "other").stat().st_mode
