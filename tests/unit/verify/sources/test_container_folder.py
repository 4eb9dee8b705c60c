"""A folder of archives, with folders among them: a download that was unpacked once."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from pipeline.reading import NOT_REGULAR, Unreadable
from tests.stubs.archives import files_of, opened_source, tar_bytes, written, zip_bytes
from verify.sources.base import Entry, UnusableSource
from verify.sources.container_folder import ArchivesBackend, ArchivesSource, Standing
from verify.submission import NoSubmission

if TYPE_CHECKING:
    from pathlib import Path


def _folder(base: Path, *files: tuple[str, bytes]) -> str:
    for name, content in files:
        path = base / "all" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return str(base / "all")


def test_archives_and_folders_side_by_side(tmp_path: Path) -> None:
    path = _folder(
        tmp_path,
        ("eve/p", b"1"),
        ("dan/task/p", b"2"),
        ("bob.zip", zip_bytes(("work/p", b"3"))),
        ("ada.tar.gz", tar_bytes(("p", b"4"), packed="gz")),
        ("cy/work.zip", zip_bytes(("p", b"5"))),
        ("notes.txt", b""),
        (".hidden/p", b""),
    )
    (tmp_path / "all" / "link").symlink_to(tmp_path / "all" / "eve")
    (tmp_path / "all" / "link.zip").symlink_to(tmp_path / "all" / "bob.zip")
    source = ArchivesSource(path)

    assert list(source.entries()) == [
        Entry("ada", "ada.tar.gz"),
        Entry("bob", "bob.zip"),
        Entry("cy", "cy"),
        Entry("dan", "dan"),
        Entry("eve", "eve"),
    ]
    assert source.payload("cy") == Standing("cy", ("cy",), ("",))
    assert files_of(source, "p") == {
        "ada": b"4",
        "bob": b"3",
        "cy": b"5",
        "dan": b"2",
        "eve": b"1",
    }


def test_an_unpacked_download_of_canvas(tmp_path: Path) -> None:
    path = _folder(
        tmp_path,
        ("doe_12_345_work.zip", zip_bytes(("p", b"1"))),
        ("roe_7_346_p", b"2"),
        ("roe_7_347_q", b"3"),
    )
    source = ArchivesSource(path)

    assert list(source.entries()) == [
        Entry("doe_12", "doe_12_345_work.zip", "0" * 17 + "345", ("12",)),
        Entry("roe_7", "roe_7", "", ("7",)),
    ]
    with opened_source(source) as submissions:
        assert submissions["doe_12"].read("p") == b"1"
        assert submissions["roe_7"].names("") == ["p", "q"]
        assert submissions["roe_7"].read("q") == b"3"


def test_a_learner_s_own_links_are_not_followed(tmp_path: Path) -> None:
    path = _folder(tmp_path, ("ada/q", b"1"), ("bob.zip", zip_bytes(("p", b"2"))))
    secret = written(tmp_path / "secret.zip", zip_bytes(("p", b"secret")))
    os.symlink(secret, f"{path}/ada/p")
    os.mkdir(f"{path}/eve")
    os.symlink(secret, f"{path}/eve/work.zip")

    with opened_source(ArchivesSource(path)) as submissions:
        for learner, asked in (("ada", "p"), ("eve", "work.zip")):
            with pytest.raises(Unreadable) as refused:
                submissions[learner].read(asked)
            assert refused.value.reason == NOT_REGULAR
        assert not submissions["eve"].is_file("p")


def test_an_archive_that_became_a_link_or_a_pipe_or_nothing_is_no_submission(
    tmp_path: Path,
) -> None:
    path = _folder(tmp_path)
    os.makedirs(path)
    os.symlink(written(tmp_path / "a.zip", zip_bytes(("p", b""))), f"{path}/link.zip")
    os.mkfifo(f"{path}/pipe.zip")
    told = []
    with ArchivesBackend(path) as backend:
        for name in ("link.zip", "pipe.zip", "gone.zip"):
            with pytest.raises(NoSubmission) as refused:
                backend.submission(Standing(name, (name,), (name,)))
            told.append(str(refused.value))
        with pytest.raises(NoSubmission, match=r"^does not exist$"):
            backend.submission(Standing("gone", ("gone",), ("",)))

    assert told == ["is a link, not a regular file", "is not a regular file", "does not exist"]


def test_a_folder_that_cannot_be_listed_or_is_empty_is_unusable(tmp_path: Path) -> None:
    with pytest.raises(UnusableSource, match=r"cannot be listed: no such file or directory$"):
        ArchivesSource(str(tmp_path / "none"))
    with pytest.raises(UnusableSource, match="holds no submission"):
        list(ArchivesSource(str(tmp_path)).entries())
