"""Odd histories: each is asked within bounds, or refused in one clear line."""

from __future__ import annotations

import hashlib
import os
import zlib
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from pipeline.reading import Unreadable
from tests.stubs.repositories import UserRepository, git
from verify.history.changes import changed
from verify.history.history import Beyond
from verify.history.places import BUNDLE
from verify.history.work import work_on
from verify.submission import open_folder

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from verify.history.history import History

    Opened = Callable[[Path], History]

BRANCH = "feature/issue-7-health"
OPEN = "/proc/self/fd"


def refusal(folder: Path, history_in: Opened) -> str:
    """Return why the history in a folder cannot be read."""
    with pytest.raises(Unreadable) as refused:
        history_in(folder)
    return str(refused.value)


def test_a_submission_without_a_history_has_none(tmp_path: Path) -> None:
    UserRepository(tmp_path / "above")  # git itself would find this one
    (tmp_path / "above" / "alice").mkdir()
    with open_folder(str(tmp_path / "above" / "alice")) as door:
        assert door.history() is None


def work_id(work: UserRepository) -> str:
    return (work.folder / ".git" / "refs" / "heads" / BRANCH).read_text().strip()


def test_very_many_branches_are_refused(
    work: UserRepository, history_in: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("verify.history.branches.MAX_BRANCHES", 3)
    for number in range(4):
        work.git("branch", "--quiet", f"b{number}")

    assert refusal(work.folder, history_in) == ".git cannot be read: it has more than 3 branches"


@pytest.mark.skipif(not os.path.isdir(OPEN), reason="only Linux lists what is open")
@pytest.mark.parametrize("nature", ["sound", "link", "loose", "pack"])
def test_no_file_stays_open(
    nature: str, work: UserRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("verify.history.files.MAX_HELD", 0)
    work.git("gc", "--quiet")
    if nature == "link":
        (work.folder / ".git/objects/ab").symlink_to(work.folder)
    if nature == "loose":
        work.commit("feat: more")
        monkeypatch.setattr("verify.history.repositories._MOST_LOOSE", 0)
    for end in ("pack", "idx") if nature == "pack" else ():
        (work.folder / f".git/objects/pack/z.{end}").write_bytes(b"PACK")
    before = os.listdir(OPEN)
    with open_folder(str(work.folder)) as door, suppress(Unreadable):
        door.history()

    assert len(os.listdir(OPEN)) == len(before)


def test_a_reftable_is_refused_by_name(work: UserRepository, history_in: Opened) -> None:
    (work.folder / ".git" / "HEAD").write_text("ref: refs/heads/.invalid\n")

    assert refusal(work.folder, history_in) == (
        ".git cannot be read: its refs are kept as a reftable"
    )


def test_objects_of_another_repository_are_not_borrowed(
    work: UserRepository, tmp_path: Path, history_in: Opened
) -> None:
    folder = tmp_path / "mallory"
    git(tmp_path, "clone", "--quiet", "--shared", "--branch", BRANCH, str(work.folder), "mallory")
    history = history_in(folder)

    with pytest.raises(Unreadable, match="the other repositories that this one borrows from"):
        history.commit(work_id(work))
    assert history.find(work_id(work)).commits == ()
    assert history.is_cut


def test_a_branch_of_a_missing_commit_is_told(work: UserRepository, history_in: Opened) -> None:
    (work.folder / ".git" / "refs" / "heads" / BRANCH).write_text("f" * 40 + "\n")
    history = history_in(work.folder)

    with pytest.raises(Unreadable, match=r"ffffffffffff is damaged or lacking: it is not there$"):
        work_on(history, BRANCH, work.git("rev-parse", "main"))


def bomb(work: UserRepository, width: int, depth: int) -> str:
    """Return a commit of a tree with `width ** depth` files."""
    entry, name = "100644 blob", work.git("rev-parse", "main:README.md")
    for _ in range(depth):
        lines = "".join(f"{entry} {name}\tf{n}\n" for n in range(width))
        name, entry = work.git("mktree", text=lines), "040000 tree"
    return work.git("commit-tree", "-m", "feat: bomb", "-p", "main", name)


@pytest.mark.parametrize(("width", "depth"), [(10, 12), (3000, 2)])
def test_a_tree_bomb_is_given_up(
    width: int, depth: int, work: UserRepository, history_in: Opened
) -> None:
    commit = bomb(work, width, depth)
    work.git("update-ref", f"refs/heads/{BRANCH}", commit)
    history = history_in(work.folder)

    with pytest.raises(Beyond):
        changed(history, work.git("rev-parse", "main"), commit)


def test_a_file_of_a_gigabyte_is_not_read(work: UserRepository, history_in: Opened) -> None:
    name = hashlib.sha1(b"blob %d\0" % (1 << 30), usedforsecurity=False).hexdigest()
    place = work.folder / ".git" / "objects" / name[:2] / name[2:]
    place.parent.mkdir(exist_ok=True)
    packer = zlib.compressobj(9)
    data = [packer.compress(b"blob %d\0" % (1 << 30))]
    data += [packer.compress(bytes(1 << 20)) for _ in range(64)]
    place.write_bytes(b"".join(data) + packer.flush())
    tree = work.git("mktree", "--missing", text=f"100644 blob {name}\tbig\n")
    commit = work.git("commit-tree", "-m", "feat: big", "-p", "main", tree)
    result = work.git("rev-parse", "main")
    history = history_in(work.folder)

    found = changed(history, result, commit)

    assert found == ("README.md", "big", "src/app.py")
    with pytest.raises(Unreadable, match="is larger than"):
        history.find(name)


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"# v2 git bundle\n\n", "a pack does not begin as one"),
        (b"# v2 git bundle\n\nPACK\0\0\0\2\0\0\0\1", "an entry of its pack lies beyond the end"),
        (b"# v2 git bundle\n\nPACK\0\0\0\2\0\0\0\1\x9f\xff", "a number in it does not end"),
    ],
)
def test_a_damaged_bundle_is_told(
    data: bytes, told: str, tmp_path: Path, history_in: Opened
) -> None:
    (tmp_path / ".pipeline").mkdir()
    (tmp_path / BUNDLE).write_bytes(data)

    line = refusal(tmp_path, history_in)

    assert line.startswith(BUNDLE)
    assert told in line


def test_a_bundle_that_is_too_large_is_not_read(tmp_path: Path, history_in: Opened) -> None:
    (tmp_path / ".pipeline").mkdir()
    with open(tmp_path / BUNDLE, "wb") as file:
        file.truncate(1 << 30)

    assert refusal(tmp_path, history_in) == (
        f"{BUNDLE} is larger than 32 MiB, the most that is read"
    )
