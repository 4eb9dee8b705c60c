"""An export's place is looked at before anything is graded."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from verify.exports.base import UnusableExport
from verify.exports.targets import check_targets

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in a folder with a table, a link to it, a folder of pages and a pipe."""
    (tmp_path / "roster.csv").write_text("id\n")
    (tmp_path / "alias.csv").symlink_to("roster.csv")
    (tmp_path / "pages").mkdir()
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def refused(*targets: tuple[str, str], inputs: tuple[str, ...] = ()) -> str:
    with pytest.raises(UnusableExport) as raised:
        check_targets(targets, inputs)
    return str(raised.value)


@pytest.mark.usefixtures("here")
def test_places_that_are_free_or_may_be_written_over_are_accepted() -> None:
    check_targets(
        [
            ("csv", "new/deep/grades.csv"),
            ("json", "roster.csv"),
            ("feedback", "pages"),
            ("html", "site"),
            ("gradescope", "one.json"),
        ],
        ["other.csv"],
    )


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("name", "target", "told"),
    [
        ("csv", "pages", "--csv pages is a folder: name a file"),
        ("csv", "new/", "--csv new/ is a folder: name a file"),
        ("csv", "pipe", "--csv pipe is no regular file: name one"),
        ("feedback", "roster.csv", "--feedback roster.csv is a file: name a folder"),
        ("gradescope", "roster.csv", "--gradescope roster.csv is a file: name a folder"),
    ],
)
def test_a_place_of_another_kind_is_refused(name: str, target: str, told: str) -> None:
    assert refused((name, target)) == told


def test_a_place_below_a_file_cannot_be_made(here: Path) -> None:
    assert refused(("csv", "roster.csv/grades.csv")) == (
        f"--csv roster.csv/grades.csv cannot be made: {here}/roster.csv is no folder"
    )


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("name", "target", "given"),
    [
        ("csv", "roster.csv", "roster.csv"),
        ("csv", "./pages/../roster.csv", "roster.csv"),
        ("csv", "alias.csv", "roster.csv"),
        ("csv", "pages/grades.csv", "pages"),
        ("feedback", "pages", "pages/ada.md"),
        ("html", "pages", "pages/index.html"),
    ],
)
def test_an_input_is_never_written_over(name: str, target: str, given: str) -> None:
    assert refused((name, target), inputs=(given,)) == (
        f"--{name} {target} would write over one of the inputs: name another place"
    )


@pytest.mark.usefixtures("here")
def test_an_input_beside_what_is_written_is_in_nobodys_way() -> None:
    check_targets([("feedback", "pages"), ("csv", "roster.csv.new")], ["pages/a.db", "roster.csv"])


@pytest.mark.usefixtures("here")
def test_two_exports_do_not_write_one_file() -> None:
    assert refused(("csv", "a.csv"), ("json", "./a.csv")) == (
        "--json ./a.csv is what --csv writes: name another place"
    )


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write everywhere")
def test_a_folder_that_may_not_be_written_to_is_refused(here: Path) -> None:
    (here / "pages").chmod(0o500)

    assert refused(("csv", "pages/a.csv")) == (
        f"--csv pages/a.csv cannot be written: {here}/pages is not writable"
    )


def test_a_report_takes_no_folder_of_somebody_elses(here: Path) -> None:
    (here / "pages" / "thesis.tex").write_text("mine")

    assert refused(("html", "pages")).startswith(f"--html {here}/pages ")
