"""One big .zip: whose its members are, for every platform that hands one out."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from tests.stubs.archives import files_of, opened_source, written, zip_bytes
from verify.sources.base import Entry, UnusableSource
from verify.sources.zip_source import ArchiveReplaced, ZipBackend, ZipSource
from verify.submission import NoSubmission

if TYPE_CHECKING:
    from pathlib import Path


def _entries(path: str, naming: str = "") -> list[Entry]:
    source = ZipSource(path, naming)
    entries = list(source.entries())
    source.close()
    return entries


def test_one_folder_around_all_is_passed_over_and_noise_with_it(tmp_path: Path) -> None:
    path = written(
        tmp_path / "all.zip",
        zip_bytes(
            ("task/ada/.pipeline/p.json", b"1"),
            ("__MACOSX/task/ada/._p.json", b"noise"),
            ("task/.DS_Store", b"noise"),
            ("task/bob.zip", zip_bytes((".pipeline/p.json", b"2"), ("__MACOSX/x", b""))),
        ),
    )

    assert _entries(path) == [Entry("ada", "task/ada"), Entry("bob", "task/bob.zip")]
    assert files_of(ZipSource(path), ".pipeline/p.json") == {"ada": b"1", "bob": b"2"}


def test_the_only_folder_is_a_learner_s_if_it_has_hidden_ones(tmp_path: Path) -> None:
    path = written(
        tmp_path / "all.zip", zip_bytes(("ada/.pipeline/p", b"1"), ("ada/sandbox/p", b"2"))
    )

    assert _entries(path) == [Entry("ada", "ada")]


def test_mixed_learners_are_put_together_in_the_archive_s_own_order(tmp_path: Path) -> None:
    path = written(
        tmp_path / "all.zip",
        zip_bytes(("bob/1", b"2"), ("ada/1", b"1"), ("bob/2", b"4"), ("ada/2", b"3"), ("x", b"")),
    )

    assert _entries(path) == [Entry("bob", "bob"), Entry("ada", "ada")]
    assert files_of(ZipSource(path), "1") == {"ada": b"1", "bob": b"2"}
    assert files_of(ZipSource(path), "2") == {"ada": b"3", "bob": b"4"}


def test_a_download_of_canvas(tmp_path: Path) -> None:
    work = zip_bytes(("work/.pipeline/p.json", b"1"))
    path = written(
        tmp_path / "submissions.zip",
        zip_bytes(
            ("doejane_12_345_work.zip", work),
            ("doejane_LATE_12_400_work-1.zip", work),
            ("roe_7_346_p.json", b"2"),
            ("roe_7_347_q.json", b"3"),
        ),
    )
    digits = "0" * 17

    assert _entries(path) == [
        Entry("doejane_12", "doejane_12_345_work.zip", f"{digits}345", ("12",)),
        Entry("doejane_12", "doejane_LATE_12_400_work-1.zip", f"{digits}400", ("12",)),
        Entry("roe_7", "roe_7", "", ("7",)),
    ]
    with opened_source(ZipSource(path)) as submissions:
        assert submissions["doejane_12"].read(".pipeline/p.json") == b"1"
        assert submissions["roe_7"].names("") == ["p.json", "q.json"]
        assert submissions["roe_7"].read("q.json") == b"3"


def test_a_download_of_moodle(tmp_path: Path) -> None:
    work = zip_bytes(("p.json", b"1"))
    path = written(
        tmp_path / "course.zip",
        zip_bytes(
            ("Ada L_1_assignsubmission_file_/work.zip", work),
            ("Ada L_1_assignsubmission_file_/notes.pdf", b""),
            ("Ada L_1_assignsubmission_onlinetext/onlinetext.html", b""),
            ("Bob_2_assignsubmission_file_/p.json", b"2"),
            ("Bob_3_assignsubmission_file_work.zip", work),
        ),
    )

    assert _entries(path) == [
        Entry("Ada L_1", "Ada L_1", "", ("Ada L", "1", "Participant 1")),
        Entry("Bob_2", "Bob_2", "", ("2", "Participant 2")),  # two are called Bob
        Entry("Bob_3", "Bob_3", "", ("3", "Participant 3")),
    ]
    assert files_of(ZipSource(path), "p.json") == {"Ada L_1": b"1", "Bob_2": b"2", "Bob_3": b"1"}


def test_a_download_of_moodle_with_one_learner_is_no_folder_around_all(tmp_path: Path) -> None:
    path = written(
        tmp_path / "all.zip", zip_bytes(("Ada_1_assignsubmission_file_/task/p.json", b"1"))
    )

    assert [entry.learner for entry in _entries(path)] == ["Ada_1"]
    assert [entry.learner for entry in _entries(path, "moodle")] == ["Ada_1"]


def test_classroom_s_folder_around_all_names_the_assignment(tmp_path: Path) -> None:
    path = written(
        tmp_path / "x.zip",
        zip_bytes(("hw-submissions/hw-ada/p", b"1"), ("hw-submissions/hw-bo/p", b"2")),
    )

    assert _entries(path) == [
        Entry("ada", "hw-submissions/hw-ada", "", ("hw-ada",)),
        Entry("bo", "hw-submissions/hw-bo", "", ("hw-bo",)),
    ]
    assert files_of(ZipSource(path), "p") == {"ada": b"1", "bo": b"2"}


def test_a_folder_and_an_archive_of_one_learner_are_two_attempts(tmp_path: Path) -> None:
    path = written(
        tmp_path / "all.zip", zip_bytes(("ada/p", b"1"), ("ada.zip", zip_bytes(("p", b"2"))))
    )

    assert _entries(path) == [Entry("ada", "ada", "ada"), Entry("ada", "ada.zip", "ada.zip")]


def test_an_archive_that_is_gone_or_damaged_later_is_the_machine_s_fault(tmp_path: Path) -> None:
    path = str(tmp_path / "all.zip")
    with pytest.raises(UnusableSource, match="No such file or directory"):
        ZipSource(path)
    with pytest.raises(FileNotFoundError), ZipBackend(path):
        pass
    written(path, b"no zip")
    with pytest.raises(OSError, match="is not a whole"), ZipBackend(path):
        pass


def test_a_learner_with_too_long_a_listing_is_no_submission(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path / "all.zip", zip_bytes(("ada/p" * 40, b"1"), ("bob/p", b"2")))
    monkeypatch.setattr("verify.sources.zip_directory.MAX_ARCHIVE_LISTING", 200)

    with opened_source(ZipSource(path)) as submissions:
        assert submissions["bob"].read("p") == b"2"
        with pytest.raises(NoSubmission, match="lists its files in more than"):
            submissions["ada"].read("p")


def test_an_archive_beside_other_work_is_a_file(tmp_path: Path) -> None:
    work = zip_bytes(("p", b"1"))
    beside = ("sandbox/q", "plan.json", "other.zip")
    members = [
        (f"l{n}/{name}", data)
        for n, b in enumerate(beside)
        for name, data in (("work.zip", work), (b, b"2"))
    ]
    path = written(tmp_path / "all.zip", zip_bytes(*members, ("bob/work.zip", work)))

    with opened_source(ZipSource(path)) as submissions:
        assert [submissions[f"l{n}"].read("work.zip") for n in range(3)] == [work] * 3
        assert submissions["bob"].read("p") == b"1"


@pytest.mark.parametrize("then", ["replaced", "touched"])
def test_an_archive_that_is_another_one_by_now_is_our_fault_and_nobodys_zero(
    tmp_path: Path, then: str
) -> None:
    path = written(tmp_path / "all.zip", zip_bytes(("ada/a", b"1"), ("bob/a", b"2")))
    source = ZipSource(path)
    payload = source.payload("bob")
    source.close()
    with ZipBackend(path) as backend:
        before = backend.submission(payload).read("a")
    if then == "replaced":
        written(path, zip_bytes(("bob/a", b"3"), ("eve/a", b"4"), ("ada/a", b"5")))
    else:
        os.utime(path, ns=(1, 1))

    assert before == b"2"
    with ZipBackend(path) as backend, pytest.raises(ArchiveReplaced, match="was replaced"):
        backend.submission(payload)
