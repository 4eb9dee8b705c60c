"""The files of a repository are read below its folder, regular ones only."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from pipeline.reading import NOT_REGULAR, Unreadable
from verify.history.files import FolderFiles
from verify.submission import open_folder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def files(tmp_path: Path) -> Iterator[FolderFiles]:
    """Return the files below `.git/` of a folder that has one."""
    for name in ("tags", "heads", "remotes"):
        (tmp_path / ".git" / "refs" / name).mkdir(parents=True)
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (tmp_path / "HEAD").write_text("another one\n")
    (tmp_path / ".git" / "link").symlink_to("HEAD")
    os.mkfifo(tmp_path / ".git" / "pipe")
    with open_folder(str(tmp_path)) as walked:
        yield FolderFiles(walked, ".git/")


@pytest.mark.parametrize("name", ["link", "pipe", "refs"])
def test_what_is_no_regular_file_is_refused(name: str, files: FolderFiles) -> None:
    reasons = []
    for ask in (files.read, files.reader):
        with pytest.raises(Unreadable) as refused:
            ask(name)
        reasons.append(refused.value.reason)

    assert (reasons, files.has(name)) == ([NOT_REGULAR, NOT_REGULAR], False)


def test_files_are_held_in_memory_up_to_a_bound_of_all_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("verify.history.files.MAX_HELD", 25)
    (tmp_path / "data").write_bytes(bytes(10))
    with open_folder(str(tmp_path)) as walked:
        files = FolderFiles(walked, "")
        readers = [files.reader("data") for _ in range(3)]
    held = [(reader.held, reader.read(10, 0)) for reader in readers]
    for reader in readers:
        reader.close()

    assert held == [(10, bytes(10)), (10, bytes(10)), (0, bytes(10))]


def test_names_are_sorted_and_bounded_and_none_where_no_folder_is(files: FolderFiles) -> None:
    assert files.names("refs", 10) == ["heads", "remotes", "tags"]
    assert len(files.names("refs", 2)) == 2
    assert files.names("missing", 10) == []
