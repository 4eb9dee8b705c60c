"""A history is read out of an archive as out of a folder: a `.git`, or a bundle."""

from __future__ import annotations

import io
import tarfile
import zipfile
from typing import TYPE_CHECKING

import pytest

from pipeline.reading import Unreadable
from tests.stubs.repositories import UserRepository
from verify.history import BUNDLE
from verify.sources.archive_bytes import MemoryBytes
from verify.sources.archive_opening import opened_archive
from verify.submission import open_folder

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from verify.submission import Submission


@pytest.fixture(params=["loose", "packed", "bundle"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Return a submission with a history of one commit."""
    work = UserRepository(tmp_path / "alice")
    work.commit("feat: it", **{"src/app.py": "x = 1\n"})
    if request.param == "loose":
        return work.folder
    if request.param == "packed":
        work.git("gc", "--quiet")
        return work.folder
    handed_in = tmp_path / "handed-in"
    (handed_in / ".pipeline").mkdir(parents=True)
    work.git("bundle", "create", "--quiet", str(handed_in / BUNDLE), "--all")
    return handed_in


def zipped(folder: Path, prefix: str) -> tuple[str, bytes]:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*")):
            archive.write(path, f"{prefix}{path.relative_to(folder).as_posix()}")
    return "alice.zip", made.getvalue()


def tarred(folder: Path, prefix: str) -> tuple[str, bytes]:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as archive:
        archive.add(folder, prefix.rstrip("/") or ".")
    return "alice.tar.gz", made.getvalue()


def door_of(name: str, data: bytes) -> Submission:
    return opened_archive("alice", name, MemoryBytes(data))


@pytest.mark.parametrize("prefix", ["", "project/"])
@pytest.mark.parametrize("packed", [zipped, tarred])
def test_an_archive_has_the_history_of_its_folder(
    packed: Callable[[Path, str], tuple[str, bytes]], prefix: str, folder: Path
) -> None:
    with open_folder(str(folder)) as plain:
        there = plain.history()
        assert there is not None
        expected = dict(there.branches.refs)
        (name,) = set(expected.values())
        message = there.commit(name).message
    door = door_of(*packed(folder, prefix))
    found = door.history()

    assert found is not None
    assert (dict(found.branches.refs), found.commit(name).message) == (expected, message)


def test_a_git_file_in_an_archive_is_told(tmp_path: Path) -> None:
    (tmp_path / ".git").write_text("gitdir: /elsewhere\n")

    with pytest.raises(Unreadable, match="is a file that points to another repository"):
        door_of(*zipped(tmp_path, "")).history()
