"""One big plain .tar: learners by the places of their files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.stubs.archives import files_of, opened_source, tar_bytes, written, zip_bytes
from verify.sources.base import Entry, UnusableSource
from verify.sources.tar_source import TarBackend, tar_source

if TYPE_CHECKING:
    from pathlib import Path


def test_learners_are_found_below_a_folder_and_dots(tmp_path: Path) -> None:
    path = written(
        tmp_path / "all.tar",
        tar_bytes(
            ("./task/", b""),
            ("./task/ada/", b""),
            ("./task/ada/p", b"1"),
            ("./task/bob.zip", zip_bytes(("p", b"2"))),
        ),
    )
    source = tar_source(path)

    assert list(source.entries()) == [Entry("ada", "task/ada"), Entry("bob", "task/bob.zip")]
    assert files_of(source, "p") == {"ada": b"1", "bob": b"2"}


def test_mixed_learners_are_put_together(tmp_path: Path) -> None:
    path = written(
        tmp_path / "all.tar",
        tar_bytes(("ada/1", b"1"), ("bob/1", b"2"), ("ada/" + "2" * 200, b"3")),
    )

    with opened_source(tar_source(path)) as submissions:
        assert submissions["ada"].names("") == ["1", "2" * 200]
        assert submissions["ada"].read("2" * 200) == b"3"


def test_an_archive_that_is_cut_short_is_unusable(tmp_path: Path) -> None:
    path = written(tmp_path / "all.tar", tar_bytes(("ada/p", b"1" * 9_000))[:5_000])
    source = tar_source(path)

    with pytest.raises(UnusableSource) as unusable:
        list(source.entries())

    source.close()
    assert str(unusable.value) == (
        f"{path} is cut short: a .tar archive ends in the middle of a file"
    )


def test_an_archive_that_is_gone_is_the_machine_s_fault(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), TarBackend(str(tmp_path / "no.tar")):
        pass
