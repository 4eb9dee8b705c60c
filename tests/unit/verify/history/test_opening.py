"""Odd histories: each is asked within bounds, or refused in one clear line."""

from __future__ import annotations

import hashlib
import zlib
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from pipeline.files import MAX_BYTES, Unreadable
from tests.stubs.repositories import UserRepository, git
from verify.files import folder_at
from verify.history import BUNDLE
from verify.history.history import history_of, of_bundle
from verify.history.objects import BeyondLimits
from verify.history.work import changed, work_on
from verify.submission import open_folder

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from verify.files import Files
    from verify.history.history import History

    Opened = Callable[[Path], History]

BRANCH = "feature/issue-7-health"


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


def packed(work: UserRepository) -> list[Path]:
    """Return the pack and the index of a repository that has all in one."""
    work.git("gc", "--quiet", "--prune=now")
    files = [*(work.folder / ".git/objects/pack").glob("pack-*.*")]
    for file in files:
        file.chmod(0o644)
    return sorted(file for file in files if file.suffix in (".pack", ".idx"))


@pytest.mark.parametrize("which", [0, 1])
def test_a_damaged_pack_or_index_is_refused(
    which: int, work: UserRepository, history_in: Opened
) -> None:
    packed(work)[which].write_bytes(b"\0" * 2_000)

    assert refusal(work.folder, history_in) == (
        ".git cannot be read: a pack or its index is damaged"
    )


@pytest.mark.parametrize("kept", ["packed", "loose"])
def test_a_repository_of_more_bytes_than_are_read_is_refused(
    kept: str, work: UserRepository, history_in: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    if kept == "packed":
        packed(work)
    monkeypatch.setattr("verify.history.objects.MAX_HISTORY", 300)

    with pytest.raises(Unreadable, match=r"limits: its files are larger than 300 bytes together$"):
        history_in(work.folder).ancestors(work_id(work))


def test_the_digest_is_another_one_once_a_pack_has_other_bytes(
    work: UserRepository, history_in: Opened
) -> None:
    _, pack = packed(work)
    before = history_in(work.folder).digest
    data = bytearray(pack.read_bytes())
    data[20] ^= 1
    pack.write_bytes(data)

    assert history_in(work.folder).digest != before


def test_a_clone_that_was_made_with_a_filter_is_cut(
    work: UserRepository, history_in: Opened
) -> None:
    index, _ = packed(work)
    whole = history_in(work.folder).cut
    index.with_suffix(".promisor").touch()

    found = "the clone is partial, made with a filter"

    assert (whole, history_in(work.folder).cut) == ("", found)


class Recording:
    """The files of a submission; `asked` are the paths that were read."""

    def __init__(self, files: Files) -> None:
        self.root = files.root
        self.asked: list[str] = []
        self._files = files

    def read(self, path: str, limit: int = MAX_BYTES) -> bytes:
        self.asked.append(path)
        return self._files.read(path, limit)

    def is_file(self, path: str) -> bool:
        return self._files.is_file(path)

    def names(self, path: str, most: int = MAX_BYTES) -> list[str]:
        return self._files.names(path, most)

    def close(self) -> None:
        self._files.close()


CONFIG = """[core]\n\trepositoryformatversion = 1\n\tworktree = {0}\n[include]\n\tpath = {0}/config
[extensions]\n\tobjectFormat = sha256\n\trefStorage = reftable\n\tpartialClone = origin\n"""


@pytest.mark.parametrize("pointer", ["objects/info/alternates", "commondir", "gitdir", "config"])
def test_nothing_that_points_elsewhere_is_followed_or_read(
    pointer: str, work: UserRepository, tmp_path: Path
) -> None:
    elsewhere = UserRepository(tmp_path / "elsewhere")
    name = elsewhere.commit("feat: of another learner")
    with closing(folder_at(str(work.folder))) as plain:
        before = history_of(plain)
        assert before is not None
        expected = (before.branches, before.commit(work_id(work)))
    text = CONFIG if pointer == "config" else "{0}\n"
    file = work.folder / ".git" / pointer
    file.parent.mkdir(exist_ok=True)
    file.write_text(text.format(elsewhere.folder / ".git" / pointer.partition("/")[0]))
    with closing(folder_at(str(work.folder))) as folder:
        files = Recording(folder)
        history = history_of(files)
        assert history is not None
        assert history.find(name) == {}
        assert (history.branches, history.commit(work_id(work))) == expected

    assert f".git/{pointer}" not in files.asked
    assert not [path for path in files.asked if ".." in path or not path.startswith(".git/")]


def test_a_git_file_that_points_elsewhere_is_refused_unread(
    work: UserRepository, tmp_path: Path
) -> None:
    (tmp_path / "mallory").mkdir()
    (tmp_path / "mallory" / ".git").write_text(f"gitdir: {work.folder / '.git'}\n")
    with closing(folder_at(str(tmp_path / "mallory"))) as folder:
        files = Recording(folder)
        with pytest.raises(Unreadable) as refused:
            history_of(files)

    assert str(refused.value) == (
        ".git is a file that points to another repository, which is not read"
    )
    assert ".git" not in files.asked


def test_a_repository_of_sha_256_is_refused_by_name(tmp_path: Path, history_in: Opened) -> None:
    folder = tmp_path / "wide"
    folder.mkdir()
    git(folder, "init", "--quiet", "--template=", "--object-format=sha256", "-b", "main")
    who = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    git(folder, *who, "commit", "--quiet", "--allow-empty", "-m", "feat: wide")

    assert refusal(folder, history_in) == (
        ".git cannot be read: its ids are SHA-256, which is not read"
    )


def test_a_head_that_is_a_link_is_not_taken_for_no_history(
    work: UserRepository, history_in: Opened
) -> None:
    (work.folder / ".git" / "HEAD").rename(work.folder / "HEAD")
    (work.folder / ".git" / "HEAD").symlink_to(work.folder / "HEAD")

    assert refusal(work.folder, history_in) == ".git/HEAD is a link, not a regular file"


def test_a_reftable_is_refused_by_name(work: UserRepository, history_in: Opened) -> None:
    (work.folder / ".git" / "HEAD").write_text("ref: refs/heads/.invalid\n")

    assert refusal(work.folder, history_in) == (
        ".git cannot be read: its refs are a reftable, which is not read"
    )


def test_objects_of_another_repository_are_not_borrowed(
    work: UserRepository, tmp_path: Path, history_in: Opened
) -> None:
    folder = tmp_path / "mallory"
    git(tmp_path, "clone", "--quiet", "--shared", "--branch", BRANCH, str(work.folder), "mallory")
    history = history_in(folder)

    with pytest.raises(
        Unreadable, match=r"is missing: the repositories that this one borrows from are not read$"
    ):
        history.commit(work_id(work))
    assert history.find(work_id(work)) == {}
    assert history.cut


def test_a_branch_of_a_missing_commit_is_reported(work: UserRepository, history_in: Opened) -> None:
    (work.folder / ".git" / "refs" / "heads" / BRANCH).write_text("f" * 40 + "\n")
    history = history_in(work.folder)

    with pytest.raises(Unreadable, match=r"ffffffffffff is missing$"):
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

    with pytest.raises(BeyondLimits):
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
    "data",
    [
        b"",
        b"# v2 git bundle\n\n",
        b"# v2 git bundle\n\nPACK\0\0\0\2\0\0\0\1",
        b"# v2 git bundle\n\nPACK\0\0\0\2\0\0\0\1\x9f" + b"\xff" * 99,
        b"# v2 git bundle\n" + b"x" * (2 << 20),
    ],
)
def test_a_damaged_bundle_is_refused(data: bytes, tmp_path: Path, history_in: Opened) -> None:
    put(tmp_path, data)

    assert refusal(tmp_path, history_in) == (
        f"{BUNDLE} cannot be read: it is damaged, or not a git bundle"
    )


@pytest.mark.parametrize(
    ("bound", "most", "reason"),
    [
        ("history.MAX_PACKED", 8, "it has more than 8 objects"),
        ("objects.MAX_READ", 1 << 10, "a pack unpacks to more than 1 KiB"),
    ],
)
def test_a_bundle_beyond_the_limits_is_not_read(
    bound: str, most: int, reason: str, work: UserRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"verify.history.{bound}", most)
    work.git("bundle", "create", "--quiet", "whole", "--all")
    with pytest.raises(Unreadable) as refused:
        of_bundle((work.folder / "whole").read_bytes())

    assert str(refused.value) == (
        f"{BUNDLE} cannot be read: could not be read within the limits: {reason}"
    )


def put(folder: Path, data: bytes) -> None:
    """Put a bundle into a submission."""
    (folder / BUNDLE).parent.mkdir(parents=True)
    (folder / BUNDLE).write_bytes(data)


def test_a_bundle_that_is_too_large_is_not_read(tmp_path: Path, history_in: Opened) -> None:
    (tmp_path / ".pipeline").mkdir()
    with open(tmp_path / BUNDLE, "wb") as file:
        file.truncate(1 << 30)

    assert refusal(tmp_path, history_in) == (
        f"{BUNDLE} is larger than 32 MiB, the most that is read"
    )
