"""One big packed tar: read twice from front to back, its small files sent to the workers."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from pipeline.reading import DENIED, TOO_LARGE, Unreadable
from tests.stubs.archives import files_of, opened_source, tar_bytes, written, zip_bytes
from verify.sources import archive_packed, tar_packed
from verify.sources.base import Entry, UnusableSource
from verify.sources.tar_packed import PackedTarSource, SentFiles
from verify.submission import NoSubmission

if TYPE_CHECKING:
    from pathlib import Path

MEMBERS = (
    ("work/ada/", b""),
    ("work/ada/p", b"1"),
    ("work/ada/q", b"2" * 70_000),
    ("work/bob.zip", zip_bytes(("p", b"3"))),
    ("work/eve/p", b"4"),
)


def _packed(folder: Path, *members: tuple[str, bytes | int], packed: str = "gz") -> PackedTarSource:
    return PackedTarSource(written(folder / "all", tar_bytes(*members, packed=packed)))


@pytest.mark.parametrize("packed", ["gz", "xz"])
def test_learners_and_their_files(tmp_path: Path, packed: str) -> None:
    source = _packed(tmp_path, *MEMBERS, packed=packed)

    assert list(source.entries()) == [
        Entry("ada", "work/ada"),
        Entry("bob", "work/bob.zip"),
        Entry("eve", "work/eve"),
    ]
    assert files_of(source, "p") == {"ada": b"1", "bob": b"3", "eve": b"4"}


def test_zstandard_is_unpacked_too(tmp_path: Path) -> None:
    zstandard = pytest.importorskip("zstandard")
    path = written(tmp_path / "a.tar.zst", zstandard.compress(tar_bytes(*MEMBERS)))

    assert files_of(PackedTarSource(path), "p") == {"ada": b"1", "bob": b"3", "eve": b"4"}


def test_without_an_unpacker_for_zstandard_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path / "a.tar.zst", archive_packed.ZSTD + b"\0" * 100)
    monkeypatch.setitem(sys.modules, "zstandard", None)
    monkeypatch.setitem(sys.modules, "compression", None)

    with pytest.raises(UnusableSource) as unusable:
        PackedTarSource(path)

    assert str(unusable.value) == (
        f"{path} cannot be read: a .zst archive needs the package zstandard: "
        "python3 start.py cohort installs it"
    )


def test_some_are_sent_in_order_and_an_earlier_one_again(tmp_path: Path) -> None:
    source = _packed(tmp_path, *MEMBERS)
    inners = ["work/eve", "work/ada", "work/eve"]
    sent = [source.payload(inner) for inner in inners]
    source.close()

    assert [each.inner for each in sent] == inners
    assert [[file.path for file in each.files] for each in sent] == [["p"], ["p", "q"], ["p"]]


def test_a_file_too_large_to_be_read_is_not_sent(tmp_path: Path) -> None:
    source = _packed(tmp_path, ("ada/large", b"x" * (1 << 20) + b"y"), ("bob/p", b"1"))
    sent = source.payload("ada")

    assert [(file.size, file.content) for file in sent.files] == [((1 << 20) + 1, None)]
    with opened_source(source) as submissions, pytest.raises(Unreadable) as refused:
        submissions["ada"].read("large")
    assert refused.value.reason == TOO_LARGE


def test_the_largest_files_stay_behind_where_all_are_too_much(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("verify.sources.tar_packed.MAX_ARCHIVE_SENT", 100)
    files = (("ada/a", b"a" * 60), ("ada/b", b"b" * 50), ("ada/c", b"c" * 30), ("bob/p", b""))

    with opened_source(_packed(tmp_path, *files)) as submissions:
        ada = submissions["ada"]
        assert (ada.read("b"), ada.read("c")) == (b"b" * 50, b"c" * 30)
        with pytest.raises(Unreadable, match="the most that is taken of a submission") as refused:
            ada.read("a")
    assert refused.value.reason == DENIED


def test_a_learner_s_archive_too_large_to_be_sent_is_no_submission(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("verify.sources.tar_packed.MAX_ARCHIVE_SENT", 100)
    files = (("ada.zip", zip_bytes(("p", b"1" * 9))), ("bob/p", b""))

    told = "is an archive that cannot be read"
    with (
        opened_source(_packed(tmp_path, *files)) as submissions,
        pytest.raises(NoSubmission, match=told),
    ):
        submissions["ada"].read("p")


def test_mixed_learners_cannot_be_read_from_front_to_back(tmp_path: Path) -> None:
    source = _packed(tmp_path, ("ada/1", b""), ("bob/1", b""), ("ada/2", b""))

    with pytest.raises(UnusableSource) as unusable:
        list(source.entries())

    source.close()
    assert str(unusable.value) == (
        f"{tmp_path / 'all'} has the files of ada in several places: "
        "only a .zip or a plain .tar may be so mixed"
    )


@pytest.mark.parametrize("packed", ["gz", "xz"])
def test_an_archive_that_is_cut_short_is_unusable(tmp_path: Path, packed: str) -> None:
    content = tar_bytes(*MEMBERS, packed=packed)
    source = PackedTarSource(written(tmp_path / "all", content[: len(content) // 2]))

    with pytest.raises(UnusableSource) as unusable:
        list(source.entries())

    source.close()
    assert str(unusable.value) == (
        f"{tmp_path / 'all'} is damaged or cut short: it does not unpack"
    )


def test_nothing_that_is_packed_is_unusable(tmp_path: Path) -> None:
    with pytest.raises(UnusableSource, match=r"is not packed as \.gz, \.xz or \.zst$"):
        PackedTarSource(written(tmp_path / "all", b"text"))
    with pytest.raises(UnusableSource, match=r"cannot be read: No such file or directory$"):
        PackedTarSource(str(tmp_path / "none"))


def test_an_archive_without_submissions_is_unusable(tmp_path: Path) -> None:
    source = _packed(tmp_path, ("notes.txt", b""))

    with pytest.raises(UnusableSource, match="holds no submission"):
        list(source.entries())
    source.close()


def test_what_is_sent_is_plain(tmp_path: Path) -> None:
    source = _packed(tmp_path, *MEMBERS)
    sent = source.payload("work/eve")
    source.close()

    assert sent == SentFiles("work/eve", (tar_packed.Sent("p", "file", 1, b"4"),))
