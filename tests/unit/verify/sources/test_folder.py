"""A folder of folders: each is an entry, and each is read below the one that was opened."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from pipeline.reading import Unreadable
from verify.sources.base import REPOSITORY, Entry, UnusableSource
from verify.sources.folder import FolderBackend, FolderSource
from verify.sources.manifest import ManifestBackend
from verify.submission import NoSubmission

if TYPE_CHECKING:
    from pathlib import Path


def test_each_folder_is_an_entry_in_the_order_of_names(tmp_path: Path) -> None:
    for name in ("bo", "ada", ".git", "\u00e9va"):
        (tmp_path / name).mkdir()
    (tmp_path / "notes.txt").touch()
    (tmp_path / "link").symlink_to("ada")

    assert list(FolderSource(str(tmp_path)).entries()) == [
        Entry("ada", "ada"),
        Entry("bo", "bo"),
        Entry("\u00e9va", "\u00e9va"),
    ]


def test_a_container_that_is_gone_is_nobodys_submission(tmp_path: Path) -> None:
    gone = str(tmp_path / "gone")

    with pytest.raises(UnusableSource, match="gone does not exist"), FolderBackend(gone):
        pass


def test_a_file_that_grew_beyond_one_call_is_read_whole(tmp_path: Path) -> None:
    data = b"[" + b" " * 70_000 + b"]"
    (tmp_path / "ada").mkdir()
    (tmp_path / "ada" / "plan.json").write_bytes(data)
    with FolderBackend(str(tmp_path)) as backend:
        found = backend.submission("ada").read("plan.json")

    assert found == data


def test_a_bare_repository_is_refused_with_what_to_do_and_never_lacks_a_file(
    tmp_path: Path,
) -> None:
    (tmp_path / "ada.git").mkdir()
    for name in REPOSITORY:
        (tmp_path / "ada.git" / name).touch()
    backends = (FolderBackend(str(tmp_path)), ManifestBackend(str(tmp_path / "cohort.csv")))
    for backend in backends:
        with backend, pytest.raises(NoSubmission, match="check out a commit of it into a folder"):
            backend.submission("ada.git").read("plan.json")


def test_a_superfluous_folder_within_a_submission_is_looked_through(tmp_path: Path) -> None:
    (tmp_path / "ada" / "project" / ".pipeline").mkdir(parents=True)
    (tmp_path / "ada" / "__MACOSX").mkdir()
    (tmp_path / "ada" / "project" / ".pipeline" / "plan.json").write_bytes(b"[]")
    with FolderBackend(str(tmp_path)) as backend:
        door = backend.submission("ada")
        found = (
            door.read(".pipeline/plan.json"),
            door.is_file(".pipeline/plan.json"),
            door.names(".pipeline"),
            door.read("project/.pipeline/plan.json"),
        )

    assert found == (b"[]", True, ["plan.json"], b"[]")


def test_a_folder_that_does_not_stand_alone_is_not_looked_through(tmp_path: Path) -> None:
    (tmp_path / "ada" / "project").mkdir(parents=True)
    (tmp_path / "ada" / "project" / "plan.json").write_bytes(b"[]")
    (tmp_path / "ada" / "notes.txt").touch()
    with FolderBackend(str(tmp_path)) as backend:
        door = backend.submission("ada")

        with pytest.raises(Unreadable, match="does not exist"):
            door.read("plan.json")
        assert not door.is_file("plan.json")


def test_a_name_that_is_no_utf_8_is_kept_as_text_and_found_again(tmp_path: Path) -> None:
    name = b"j\xe9r\xf4me"
    os.mkdir(os.fsencode(tmp_path) + b"/" + name)
    with open(os.fsencode(tmp_path) + b"/" + name + b"/plan.json", "wb") as file:
        file.write(b"[]")
    source = FolderSource(str(tmp_path))
    (entry,) = source.entries()
    with FolderBackend(str(tmp_path)) as backend:
        found = backend.submission(source.payload(entry.inner)).read("plan.json")

    assert (entry, found) == (Entry(r"j\xe9r\xf4me", r"j\xe9r\xf4me"), b"[]")


def test_nothing_is_left_open(tmp_path: Path) -> None:
    (tmp_path / "ada" / "deep" / "er").mkdir(parents=True)
    (tmp_path / "ada" / "deep" / "er" / "plan.json").write_bytes(b"[]")
    before = len(os.listdir("/proc/self/fd"))
    with FolderBackend(str(tmp_path)) as backend:
        door = backend.submission("ada")
        door.read("deep/er/plan.json")
        door.names("deep")
        door.close()

    assert len(os.listdir("/proc/self/fd")) == before


def test_without_the_one_call_the_doors_of_single_submissions_serve(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("verify.sources.folder.folder_opener", lambda: None)
    (tmp_path / "ada").mkdir()
    (tmp_path / "ada" / "plan.json").write_bytes(b"[]")
    with FolderBackend(str(tmp_path)) as backend:
        door = backend.submission("ada")
        found = door.read("plan.json")
        door.close()

    assert found == b"[]"


def test_a_name_that_is_written_as_another_one_is_told_is_another_submission(
    tmp_path: Path,
) -> None:
    for name in (b"ada\xff", rb"ada\xff"):
        os.mkdir(os.path.join(os.fsencode(tmp_path), name))
    source = FolderSource(str(tmp_path))
    inners = [entry.inner for entry in source.entries()]

    assert inners == [r"ada\x5cxff", r"ada\xff"]
    assert [os.fsencode(source.payload(inner)) for inner in inners] == [rb"ada\xff", b"ada\xff"]
