"""What a repository has in store is opened and named, whatever it is packed in."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pipeline.reading import Unreadable
from verify.folder import folder_at
from verify.history.deltas import DamagedObject
from verify.history.files import FolderFiles
from verify.history.packs import MAX_RECENT, Recent
from verify.history.repositories import indexed_packs, stock_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.stubs.repositories import UserRepository


@pytest.fixture
def files(work: UserRepository) -> Iterator[FolderFiles]:
    with folder_at(str(work.folder)) as walked:
        yield FolderFiles(walked, ".git/")


def test_a_damaged_index_is_told(work: UserRepository, files: FolderFiles) -> None:
    work.git("gc", "--quiet")
    (index,) = (work.folder / ".git" / "objects" / "pack").glob("*.idx")
    index.chmod(0o644)
    index.write_bytes(b"\0" * 2_000)

    with pytest.raises(DamagedObject, match="a pack's index is not of version 2"):
        indexed_packs(files, 20)


def test_very_many_large_files_of_packs_are_not_held_open(
    work: UserRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    work.git("gc", "--quiet")
    monkeypatch.setattr("verify.history.files.MAX_HELD", 0)
    monkeypatch.setattr("verify.history.repositories.MAX_OPEN", 1)

    with (
        folder_at(str(work.folder)) as walked,
        pytest.raises(DamagedObject, match="more than 1 large files of packs"),
    ):
        indexed_packs(FolderFiles(walked, ".git/"), 20)


def test_packs_in_memory_are_as_large_together_as_a_bundle_at_most(
    work: UserRepository, files: FolderFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    work.git("gc", "--quiet")
    monkeypatch.setattr("verify.history.repositories.MAX_HISTORY", 1_000)

    with pytest.raises(Unreadable, match="its packs are larger than 1,000 bytes together"):
        indexed_packs(files, 20)


def test_all_packs_share_what_is_held_of_deltas(
    work: UserRepository, files: FolderFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = [Recent()]
    monkeypatch.setattr("verify.history.repositories.Recent", made.pop)
    for _ in range(2):
        work.commit("feat: more")
        work.git("repack", "--quiet")
    packs = indexed_packs(files, 20)
    for pack in packs:
        pack.close()

    assert (len(packs), made) == (2, [])
    assert packs[0]._recent is packs[1]._recent  # noqa: SLF001  # what bounds memory


def test_the_stock_is_another_one_once_something_is_added_or_packed(
    work: UserRepository, files: FolderFiles
) -> None:
    stocks = [stock_of(files)]
    work.commit("feat: more")
    stocks.append(stock_of(files))
    work.git("gc", "--quiet")
    stocks.append(stock_of(files))

    assert len(set(stocks)) == 3


def test_files_are_held_in_memory_up_to_a_bound_of_all_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("verify.history.files.MAX_HELD", 25)
    (tmp_path / "data").write_bytes(bytes(10))
    with folder_at(str(tmp_path)) as walked:
        files = FolderFiles(walked, "")
        readers = [files.reader("data") for _ in range(3)]
    held = [(reader.held, reader.read(10, 0)) for reader in readers]
    for reader in readers:
        reader.close()

    assert held == [(10, bytes(10)), (10, bytes(10)), (0, bytes(10))]


def test_what_was_held_longest_is_let_go_for_the_latest() -> None:
    recent = Recent()
    made = ("blob", bytes(MAX_RECENT // 4))
    for pack in range(5):
        recent.keep((pack, 12), made)

    assert [pack for pack in range(5) if recent.get((pack, 12))] == [1, 2, 3, 4]
    assert recent.bytes == MAX_RECENT
