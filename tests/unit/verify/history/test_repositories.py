"""What a repository has in store is opened and named, whatever it is packed in."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from verify.history.deltas import DamagedObject
from verify.history.files import FolderFiles
from verify.history.repositories import indexed_packs, stock_of
from verify.walking import walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.stubs.repositories import UserRepository


@pytest.fixture
def files(work: UserRepository) -> Iterator[FolderFiles]:
    found = FolderFiles(walk(str(work.folder)), ".git/", closes=True)
    yield found
    found.close()


def test_every_pack_is_opened(work: UserRepository, files: FolderFiles) -> None:
    for _ in range(2):
        work.commit("feat: more")
        work.git("repack", "--quiet")
    packs = indexed_packs(files, 20)
    tip = bytes.fromhex(work.git("rev-parse", "HEAD"))
    holding = [pack for pack in packs if pack.find(tip) is not None]
    told = [pack.object(pack.find(tip) or 0)[0] for pack in holding]
    for pack in packs:
        pack.close()

    assert (len(packs), told) == (2, ["commit"])


def test_a_damaged_index_is_told(work: UserRepository, files: FolderFiles) -> None:
    work.git("gc", "--quiet")
    (index,) = (work.folder / ".git" / "objects" / "pack").glob("*.idx")
    index.chmod(0o644)
    index.write_bytes(b"\0" * 2_000)

    with pytest.raises(DamagedObject, match="a pack's index is not of version 2"):
        indexed_packs(files, 20)


def test_very_many_packs_are_refused(
    work: UserRepository, files: FolderFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    work.git("gc", "--quiet")
    monkeypatch.setattr("verify.history.repositories.MAX_PACKS", 1)

    with pytest.raises(DamagedObject, match="it has too many packs"):
        indexed_packs(files, 20)


def test_the_stock_is_another_one_once_something_is_added_or_packed(
    work: UserRepository, files: FolderFiles
) -> None:
    stocks = [stock_of(files)]
    work.commit("feat: more")
    stocks.append(stock_of(files))
    work.git("gc", "--quiet")
    stocks.append(stock_of(files))

    assert len(set(stocks)) == 3
