"""An exercise begins again: its files are moved aside all or none, and never through a link."""

from __future__ import annotations

import os
import shutil
import signal
from typing import TYPE_CHECKING

import pytest

from pipeline.bootstrap import ROOT
from verify.commands.reset import archive_attempt, reset
from verify.learner.check import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Meanwhile = Callable[[Callable[[], object]], None]

ISSUE = "sandbox/.pipeline/ISSUE-7"
PATHS = (f"{ISSUE}/plan.json", f"{ISSUE}/worker-result.json")
LABEL = "foundation-04"
NEW = ".aside/foundation-04/20261121-190312"
GITIGNORE = ".aside/.gitignore"


@pytest.fixture(autouse=True)
def _in_the_repository(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a submission with two artifacts, whose time stands still."""
    monkeypatch.setattr("verify.commands.reset.time.strftime", lambda _: "20261121-190312")
    root = tmp_path / "work"
    (root / ISSUE).mkdir(parents=True)
    for path in PATHS:
        (root / path).write_text(path)
    return root


def tree(root: Path) -> dict[str, str | None]:
    """Return what stands below a folder: the text of files, None for folders, links by arrow."""
    found = {}
    for path in sorted(root.rglob("*")):
        text = f"-> {os.readlink(path)}" if path.is_symlink() else None
        found[path.relative_to(root).as_posix()] = path.read_text() if path.is_file() else text
    return found


def files(root: Path) -> dict[str, str | None]:
    return {path: text for path, text in tree(root).items() if text is not None}


def test_files_are_moved_under_the_paths_that_they_had(root: Path) -> None:
    (root / ISSUE / "notes.md").write_text("mine")
    moves = archive_attempt(str(root), PATHS, LABEL)

    assert moves == {path: f"{NEW}/{path}" for path in PATHS}
    assert files(root) == {
        **{f"{NEW}/{path}": path for path in PATHS},
        ".aside/.gitignore": "*\n",
        f"{ISSUE}/notes.md": "mine",
    }


def test_folders_go_when_they_are_empty(root: Path) -> None:
    archive_attempt(str(root), PATHS, LABEL)

    assert os.listdir(root) == [".aside"]


def test_a_second_time_in_the_same_second_is_refused(root: Path) -> None:
    archive_attempt(str(root), PATHS[:1], LABEL)
    (root / PATHS[0]).write_text("again")
    with pytest.raises(UsageError, match="already exists: wait a second"):
        archive_attempt(str(root), PATHS, LABEL)

    assert (root / PATHS[0]).read_text() == "again"


@pytest.mark.parametrize("paths", [(), ("missing.json",), (f"{PATHS[0]}/plan.json",)])
def test_where_nothing_is_there_nothing_is_made(root: Path, paths: tuple[str, ...]) -> None:
    before = tree(root)

    assert archive_attempt(str(root), paths, LABEL) == {}
    assert tree(root) == before


@pytest.mark.parametrize("link", ["sandbox", ISSUE, PATHS[1], ".aside", f".aside/{LABEL}"])
def test_a_link_is_not_followed_and_then_nothing_is_moved(
    root: Path, tmp_path: Path, link: str
) -> None:
    elsewhere = tmp_path / "elsewhere"
    place = root / link
    place.parent.mkdir(exist_ok=True)
    if place.exists():
        place.rename(elsewhere)
    else:
        elsewhere.mkdir()
    place.symlink_to(elsewhere)
    before = tree(root), tree(elsewhere)
    with pytest.raises(UsageError) as error:
        archive_attempt(str(root), PATHS, LABEL)

    assert str(error.value) == f"{link} is a symbolic link, so nothing was moved"
    assert (tree(root), tree(elsewhere)) == before


@pytest.fixture
def meanwhile(root: Path, monkeypatch: pytest.MonkeyPatch) -> Meanwhile:
    """Return a function that has something happen before the second file cannot be moved."""
    rename = os.rename

    def happens(event: Callable[[], object]) -> None:
        def refuse(source: str, destination: str) -> None:
            if source == str(root / PATHS[1]):
                event()
                raise PermissionError(13, "Permission denied", source, None, destination)
            rename(source, destination)

        monkeypatch.setattr("os.rename", refuse)

    return happens


def test_what_was_written_anew_meanwhile_is_not_written_over(
    root: Path, meanwhile: Meanwhile
) -> None:
    meanwhile(lambda: (root / PATHS[0]).write_text("new"))
    with pytest.raises(UsageError) as error:
        archive_attempt(str(root), PATHS, LABEL)

    assert str(error.value) == (
        f"{PATHS[1]} cannot be moved (permission denied): restore {NEW}/{PATHS[0]} yourself"
    )
    assert files(root) == {
        ".aside/.gitignore": "*\n",
        f"{NEW}/{PATHS[0]}": PATHS[0],
        PATHS[0]: "new",
        PATHS[1]: PATHS[1],
    }


def test_nothing_goes_back_through_a_link_that_was_put_there_meanwhile(
    root: Path, tmp_path: Path, meanwhile: Meanwhile
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()

    def swap() -> None:
        (root / ISSUE).rename(tmp_path / "gone")
        (root / ISSUE).symlink_to(elsewhere)

    meanwhile(swap)
    with pytest.raises(UsageError) as error:
        archive_attempt(str(root), PATHS, LABEL)

    assert str(error.value).endswith(f"restore {NEW}/{PATHS[0]} yourself")
    assert os.listdir(elsewhere) == []


@pytest.mark.parametrize("paths", [("docs/rule.md", PATHS[1]), (PATHS[1], "docs/rule.md")])
def test_a_failure_midway_moves_everything_back_where_its_folder_went_too(
    root: Path, meanwhile: Meanwhile, paths: tuple[str, ...]
) -> None:
    (root / "docs").mkdir()
    (root / "docs" / "rule.md").write_text("rule")
    before = files(root)
    meanwhile(lambda: None)
    with pytest.raises(UsageError) as error:
        archive_attempt(str(root), paths, LABEL)

    assert str(error.value) == (
        f"{PATHS[1]} cannot be moved (permission denied): everything is where it was"
    )
    assert files(root) == before | {".aside/.gitignore": "*\n"}


def test_an_interrupt_waits_until_all_files_are_moved(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    renames = os.renames

    def interrupted(source: str, destination: str) -> None:
        signal.raise_signal(signal.SIGINT)
        renames(source, destination)

    monkeypatch.setattr("os.renames", interrupted)
    before = signal.getsignal(signal.SIGINT)
    archive_attempt(str(root), PATHS, LABEL)

    assert sorted(files(root)) == [GITIGNORE, *(f"{NEW}/{path}" for path in PATHS)]
    assert signal.getsignal(signal.SIGINT) is before


def test_a_file_where_the_folder_should_be_is_not_written_over(root: Path) -> None:
    (root / ".aside").write_text("mine")
    with pytest.raises(UsageError) as error:
        archive_attempt(str(root), PATHS, LABEL)

    assert str(error.value) == (".aside cannot be moved (file exists): everything is where it was")
    assert files(root) == {path: path for path in PATHS} | {".aside": "mine"}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a copy of a solved exercise."""
    source = os.path.join(ROOT, "fixtures", "submissions", "foundation", "02-implement", "solved")
    return shutil.copytree(source, tmp_path / "work")


def test_with_nothing_submitted_nothing_is_moved(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert reset(selection=("foundation", "1"), project=str(tmp_path)) == 0
    assert capsys.readouterr() == (
        f"foundation/01: {tmp_path} has none of its files to move.\n",
        "",
    )


@pytest.mark.parametrize(
    ("level", "number", "project_", "sentence"),
    [
        ("foundation", "9", ".", "no exercise '9' in foundation (expected one of 01 ("),
        ("foundation", "1", "/missing", "--project /missing does not exist\n"),
        ("foundation", "1", "README.md", "--project README.md is not a folder\n"),
    ],
)
def test_what_cannot_be_reset_is_refused_in_one_line(
    capsys: pytest.CaptureFixture[str], level: str, number: str, project_: str, sentence: str
) -> None:
    code = reset(selection=(level, number), project=project_)
    out, err = capsys.readouterr()

    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"verify: {sentence}")
