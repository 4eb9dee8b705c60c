"""Which source a path or an address is, found out by what stands there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.stubs.archives import tar_bytes, written, zip_bytes
from verify.sources.backends import backend_of
from verify.sources.base import UnusableSource
from verify.sources.detect import source_of

if TYPE_CHECKING:
    from pathlib import Path

CHECK_OUT = "check out a commit of it into a folder, and name the folder around that"
WORK = (("ada/p", b"1"), ("bob/p", b"2"))


def test_a_zip_is_known_by_its_content(tmp_path: Path) -> None:
    source = source_of(written(tmp_path / "download", zip_bytes(*WORK)))
    payload = source.payload("bob")
    source.close()

    assert (source.kind, source.container) == ("zip", str(tmp_path / "download"))
    with backend_of(source.kind, source.container) as backend:
        assert backend.submission(payload).read("p") == b"2"


FOLDERS: dict[str, tuple[tuple[str, ...], str]] = {
    "folders": (("ada/p", "bob/p"), "folder"),
    "folders and a file": (("ada/p", "notes.txt"), "folder"),
    "folders and an archive": (("ada/p", "bob.zip"), "archives"),
    "archives": (("bob.tgz",), "archives"),
    "files of canvas": (("doe_1_2_p.json",), "archives"),
    "folders of moodle": (("Ada_1_assignsubmission_file_/p",), "archives"),
}


def test_a_folder_is_known_by_what_it_holds(tmp_path: Path) -> None:
    kinds = {}
    for case, (names, _) in FOLDERS.items():
        for name in names:
            (tmp_path / case / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / case / name).write_bytes(b"")
        kinds[case] = source_of(str(tmp_path / case)).kind

    assert kinds == {case: kind for case, (_, kind) in FOLDERS.items()}


def test_the_naming_is_passed_on(tmp_path: Path) -> None:
    path = written(tmp_path / "a.zip", zip_bytes(("hw-ada/p", b""), ("hw-bob/p", b"")))
    source = source_of(path, naming="classroom")

    assert [entry.learner for entry in source.entries()] == ["ada", "bob"]
    source.close()
    with pytest.raises(UnusableSource, match=r"^blackboard is no naming"):
        source_of(str(tmp_path), naming="blackboard")


def test_what_is_no_source_is_told_in_one_line(tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    text = written(tmp_path / "text.rar", b"Rar!\x1a\7\0")
    bare = tmp_path / "ada.git"
    for name in ("HEAD", "objects", "refs"):
        (bare / name).mkdir(parents=True)
    told = []
    packed = written(tmp_path / "all.tar.gz", tar_bytes(*WORK, packed="gz"))
    for path in (str(tmp_path / "no\n"), str(empty), text, packed, "/dev/null", str(bare)):
        with pytest.raises(UnusableSource) as unusable:
            source_of(path)
        told.append(str(unusable.value).partition(": expected")[0])

    assert told == [
        f"{tmp_path}/no\\u{{a}} does not exist",
        f"{empty} holds no submission",
        f"{text} is a .rar archive: unpack it, and name the folder of the submissions",
        f"{packed} is a .tar.gz archive: unpack it, and name the folder of the submissions",
        "/dev/null is neither a file nor a folder",
        f"{bare} is a bare git repository: {CHECK_OUT}",
    ]


def test_a_submission_named_in_place_of_its_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / ".pipeline").mkdir()
    with pytest.raises(UnusableSource) as unusable:
        source_of(str(tmp_path))

    assert str(unusable.value) == (
        f"{tmp_path} is one submission: it has a folder .pipeline of its own;"
        " name the folder around it, or a manifest .csv with its path"
    )


def test_a_project_is_not_taken_for_the_folder_of_its_learners(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / ".github").mkdir()
    with pytest.raises(UnusableSource) as unusable:
        source_of(str(tmp_path))

    assert str(unusable.value) == (
        f'{tmp_path} looks like one submission: it has ".github"; name the folder around it, or a'
        " manifest .csv with its path (where these are learners after all, add --naming plain)"
    )
    assert source_of(str(tmp_path), naming="plain").kind == "folder"


def test_an_unknown_kind_has_no_backend() -> None:
    with pytest.raises(LookupError, match=r"^no kind of source 'tape'$"):
        backend_of("tape", "/")
