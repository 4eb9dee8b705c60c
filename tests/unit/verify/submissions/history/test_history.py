"""A history is opened, bounded, and answers as git itself answers."""

from __future__ import annotations

import hashlib
import os
import zlib
from contextlib import closing
from typing import TYPE_CHECKING, BinaryIO

import pytest

from pipeline.files import DENIED, MAX_BYTES, Unreadable
from tests.stubs.repositories import UserRepository, git
from verify.submissions.files import folder_at
from verify.submissions.history.faults import BUNDLE, BeyondLimits
from verify.submissions.history.history import MAX_CHANGED, history_of, of_bundle
from verify.submissions.history.refs import Branches
from verify.submissions.history.work import BranchWork, work_on
from verify.submissions.submission import open_folder

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from verify.submissions.files import Files
    from verify.submissions.history.history import History

    Opened = Callable[[Path], History]


ONE, OTHER = "1" * 40, "2" * 40


@pytest.mark.parametrize("kept", ["loose", "packed", "both"])
def test_all_branches_are_found_however_git_keeps_them(
    kept: str, work: UserRepository, tmp_path: Path, history_in: Opened
) -> None:
    git(tmp_path, "clone", "--quiet", str(work.folder), "clone")
    clone = tmp_path / "clone"
    git(clone, "branch", "--quiet", "feature/a/b", "HEAD~1")
    git(clone, "tag", "v1")
    if kept != "loose":
        git(clone, "pack-refs", "--all")
    if kept == "both":
        git(clone, "branch", "--quiet", "-f", "feature/a/b", "HEAD")
    output = git(clone, "for-each-ref", "--format=%(refname) %(objectname)", "refs/heads")
    output += "\n" + git(clone, "for-each-ref", "--format=%(refname) %(objectname)", "refs/remotes")
    history = history_in(clone)

    found = [f"{ref} {name}" for ref, name in history.branches.refs.items()]

    assert sorted(found) == sorted(line for line in output.split("\n") if "/HEAD " not in line)
    assert history.branches.main == "main"


def test_a_branch_is_called_by_its_short_name_the_local_one_first_then_origins() -> None:
    branches = Branches(
        {
            "refs/remotes/fork/feature/x": "3" * 40,
            "refs/remotes/gone/feature/x": ONE,
            "refs/heads/feature/x": ONE,
            "refs/heads/x": OTHER,
            "refs/remotes/origin/feature/x": OTHER,
        }
    )

    assert branches.tips_of("feature/x") == [ONE, OTHER, "3" * 40]


@pytest.mark.parametrize(
    ("names", "main", "default"),
    [
        (["main", "master"], "", "main"),
        (["master", "topic"], "", "master"),
        (["main", "trunk"], "trunk", "trunk"),
        (["main"], "gone", "main"),
        (["topic"], "", "topic"),
        (["topic", "other"], "", ""),
        (["feature/a", "feature/b", "topic"], "", "topic"),
        (["feature/a", "main"], "feature/a", "main"),
        (["feature/a"], "", ""),
        ([], "", ""),
    ],
)
def test_the_default_branch_is_the_remotes_else_a_usual_name(
    names: list[str], main: str, default: str
) -> None:
    refs = {f"refs/heads/{name}": ONE for name in names}

    assert Branches(refs, main).default() == default


def test_a_bundles_refs_are_its_branches(work: UserRepository) -> None:
    work.git("tag", "v1")
    work.git("bundle", "create", "--quiet", "whole", "--all")
    branches = of_bundle((work.folder / "whole").read_bytes()).branches

    assert (sorted(branches.refs), branches.main) == (
        ["refs/heads/feature/issue-7-health", "refs/heads/main"],
        "",
    )


BRANCH = "feature/issue-7-health"


@pytest.mark.parametrize("digits", [7, 12, 40])
@pytest.mark.parametrize("kept", ["loose", "packed"])
def test_a_commit_is_found_by_its_id_also_abbreviated(
    digits: int, kept: str, work: UserRepository, history_in: Opened
) -> None:
    commit = work.git("rev-parse", BRANCH)
    if kept == "packed":
        work.git("gc", "--quiet")
    history = history_in(work.folder)

    assert history.find(commit[:digits].upper()) == {commit: "commit"}


def test_a_signed_commit_is_read(work: UserRepository, history_in: Opened) -> None:
    plain = work.git("cat-file", "commit", BRANCH)
    head, _, message = plain.partition("\n\n")
    signed = f"{head}\ngpgsig -----BEGIN SSH SIGNATURE-----\n U1NIU0lH\n \n author x\n{message}\n"
    signed = signed.replace(" author x\n", " -----END SSH SIGNATURE-----\n\n")
    name = work.git("hash-object", "-t", "commit", "-w", "--stdin", text=signed)
    history = history_in(work.folder)

    assert history.commit(name).message == message.strip()


def test_a_huge_message_is_refused_by_its_size(work: UserRepository, history_in: Opened) -> None:
    (work.folder / "message").write_text("feat: long\n\n" + 20_000 * "a line of words\n")
    work.git("commit", "--quiet", "--allow-empty", "-F", "message")
    history = history_in(work.folder)

    with pytest.raises(Unreadable, match="is larger than the limit of 256 KiB"):
        history.commit(work.git("rev-parse", "HEAD"))


def test_what_is_no_commit_is_reported(history: History, work: UserRepository) -> None:
    with pytest.raises(Unreadable, match=r"is not a commit$") as refused:
        history.commit(work.git("rev-parse", "main^{tree}"))

    assert refused.value.reason == DENIED


def test_the_digest_is_another_one_once_anything_was_committed(
    work: UserRepository, history_in: Opened
) -> None:
    digests = []
    for message in ("", "feat: one more"):
        if message:
            work.commit(message)
        history = history_in(work.folder)
        digests.append(history.digest)
    again = history_in(work.folder)

    assert digests[0] != digests[1] == again.digest


def test_the_digest_is_another_one_once_an_object_is_gone(
    work: UserRepository, history_in: Opened
) -> None:
    name = work.git("rev-parse", "main:README.md")
    before = history_in(work.folder)
    digest = before.digest
    (work.folder / ".git" / "objects" / name[:2] / name[2:]).unlink()
    after = history_in(work.folder)

    assert after.digest != digest


@pytest.mark.parametrize(
    ("bound", "most", "output"),
    [
        ("MAX_STEPS", 3, "reading its commits takes more than 3 steps"),
        ("MAX_COMMITS", 1, "it has more than 1 commits"),
    ],
)
def test_more_than_is_looked_through_is_beyond(
    bound: str,
    most: int,
    output: str,
    history: History,
    work: UserRepository,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(f"verify.submissions.history.history.{bound}", most)
    history.commit(work.git("rev-parse", "main"))

    with pytest.raises(BeyondLimits, match=f"^cannot be read within the limits: {output}$"):
        history.ancestors(work.git("rev-parse", BRANCH))


@pytest.fixture
def line(work: UserRepository) -> list[str]:
    """Return nine commits of a branch, the earliest first."""
    return [work.commit(f"chore: {number}") for number in range(9)]


def test_ancestors_are_held_and_later_commits_are_not(
    line: list[str], work: UserRepository, history_in: Opened
) -> None:
    history = history_in(work.folder)

    assert [name in history.ancestors(line[5]) for name in line] == [True] * 6 + [False] * 3


def test_between_two_commits_is_all_that_has_the_first_before_it(
    line: list[str], work: UserRepository, history_in: Opened
) -> None:
    history = history_in(work.folder)

    assert history.between(line[6], line[8]) == set(line[6:])
    assert history.between(line[8], line[6]) == set()


def shallow(work: UserRepository, folder: Path, depth: int) -> Path:
    words = ("--depth", f"{depth}", "--no-single-branch", work.folder.as_uri(), "clone")
    git(folder, "clone", "--quiet", *words)
    return folder / "clone"


def test_work_that_a_shallow_clone_has_is_found_with_its_beginning(
    line: list[str], work: UserRepository, tmp_path: Path, history_in: Opened
) -> None:
    work.git("switch", "--quiet", "-c", "feature/beside", line[7])
    tip = work.commit("feat: beside")
    work.git("switch", "--quiet", "main")
    work.git("reset", "--quiet", "--hard", line[8])
    history = history_in(shallow(work, tmp_path, 3))

    assert history.cut == "the clone is shallow"
    assert work_on(history, "feature/beside", tip) == BranchWork(tip, tip, "main", (line[7],))


def test_work_whose_beginning_a_shallow_clone_lacks_is_refused(
    line: list[str], work: UserRepository, tmp_path: Path, history_in: Opened
) -> None:
    work.git("switch", "--quiet", "-c", "feature/beside", line[3])
    tip = work.commit("feat: beside")
    work.git("switch", "--quiet", "main")
    work.git("reset", "--quiet", "--hard", line[8])
    history = history_in(shallow(work, tmp_path, 2))

    with pytest.raises(
        Unreadable, match="does not include the beginning of the work, because the clone is shal"
    ):
        work_on(history, "feature/beside", tip)


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
    monkeypatch.setattr("verify.submissions.history.objects.MAX_HISTORY", 300)

    with pytest.raises(Unreadable, match=r"limits: its files total more than 300 bytes$"):
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

    found = "the clone is partial (made with a filter)"

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

    def head(self, path: str) -> bytes:
        return self._files.head(path)

    def stream(self, path: str) -> BinaryIO:
        self.asked.append(path)
        return self._files.stream(path)

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
    asked = [path for path in files.asked if path != BUNDLE]  # read instead of a part
    assert not [path for path in asked if ".." in path or not path.startswith(".git/")]


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
        "the history of a work tree is in another folder, which is not read"
    )
    assert not [path for path in files.asked if str(work.folder) in path]


@pytest.mark.parametrize("content", ["", "x\n", " gitdir: ../a/.git\n", "ref: refs/heads/main\n"])
def test_g11_a_git_file_that_is_no_work_tree_s_is_a_fault(tmp_path: Path, content: str) -> None:
    (tmp_path / ".git").write_text(content)
    with closing(folder_at(str(tmp_path))) as files, pytest.raises(Unreadable) as refused:
        history_of(files)

    assert str(refused.value) == ".git is not a folder"


def test_a_repository_of_sha_256_is_refused_by_name(tmp_path: Path, history_in: Opened) -> None:
    folder = tmp_path / "wide"
    folder.mkdir()
    git(folder, "init", "--quiet", "--template=", "--object-format=sha256", "-b", "main")
    who = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    git(folder, *who, "commit", "--quiet", "--allow-empty", "-m", "feat: wide")

    assert refusal(folder, history_in) == (
        ".git cannot be read: its object ids are SHA-256, which is not supported"
    )


def test_a_reftable_is_refused_by_name(work: UserRepository, history_in: Opened) -> None:
    (work.folder / ".git" / "HEAD").write_text("ref: refs/heads/.invalid\n")

    assert refusal(work.folder, history_in) == (
        ".git cannot be read: its refs are in the reftable format, which is not supported"
    )


def test_objects_of_another_repository_are_not_borrowed(
    work: UserRepository, tmp_path: Path, history_in: Opened
) -> None:
    folder = tmp_path / "mallory"
    git(tmp_path, "clone", "--quiet", "--shared", "--branch", BRANCH, str(work.folder), "mallory")
    history = history_in(folder)

    with pytest.raises(
        Unreadable,
        match=r"is missing: it uses the objects of other repositories, which are not read$",
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
    found = history.changes(work.git("rev-parse", "main"), commit)

    assert MAX_CHANGED < len(found) <= MAX_CHANGED + width


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

    found = tuple(history.changes(result, commit))

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
    (tmp_path / BUNDLE).parent.mkdir()
    (tmp_path / BUNDLE).write_bytes(data)

    assert refusal(tmp_path, history_in) == (
        f"{BUNDLE} cannot be read: it is damaged, or not a git bundle"
    )


@pytest.mark.parametrize(
    ("bound", "most", "reason"),
    [
        ("history.MAX_PACKED", 8, "it has more than 8 objects"),
        ("history.MAX_UNPACKED", 1 << 10, "a pack unpacks to more than 1 KiB"),
        ("objects.MAX_READ", 1 << 6, "a pack unpacks to more than 64 bytes"),
    ],
)
def test_a_bundle_beyond_the_limits_is_not_read(
    bound: str, most: int, reason: str, work: UserRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"verify.submissions.history.{bound}", most)
    work.git("bundle", "create", "--quiet", "whole", "--all")
    with pytest.raises(Unreadable) as refused:
        of_bundle((work.folder / "whole").read_bytes())

    assert str(refused.value) == (f"{BUNDLE} cannot be read within the limits: {reason}")


def test_a_bundle_that_is_too_large_is_not_read(tmp_path: Path, history_in: Opened) -> None:
    (tmp_path / ".pipeline").mkdir()
    with open(tmp_path / BUNDLE, "wb") as file:
        file.truncate(1 << 30)

    assert refusal(tmp_path, history_in) == (f"{BUNDLE} is larger than the limit of 224 MiB")


def broken(work: UserRepository, how: str, ref: str) -> None:
    """Put something that is not a ref in place of one."""
    place = work.folder / ".git" / ref
    work.git("pack-refs", "--all")
    place.parent.mkdir(parents=True, exist_ok=True)
    if how == "a pipe":
        if place.is_dir():
            place.rmdir()
        os.mkfifo(place)
        return
    if how == "a folder":
        (work.folder / ".git" / "packed-refs").unlink()
        place.mkdir()
    elif how == "a ring of links":
        place.symlink_to(place.name)
    elif how == "a ring":
        place.write_text(f"ref: {ref}\n")
    else:
        place.write_bytes(b"\0garbage" * 9)


@pytest.mark.parametrize("how", ["a pipe", "a folder", "a ring of links", "a ring", "garbage"])
def test_t1_a_ref_that_cannot_be_read_is_not_an_absent_one(
    how: str, work: UserRepository, history_in: Opened
) -> None:
    broken(work, how, f"refs/heads/{BRANCH}")
    branches = history_in(work.folder).branches

    with pytest.raises(Unreadable, match=f'^"refs/heads/{BRANCH}" '):
        branches.tips_of(BRANCH)
    assert branches.tips_of("feature/never") == []


def test_t1_a_file_in_place_of_a_folder_of_refs_is_not_an_absent_one(
    work: UserRepository, history_in: Opened
) -> None:
    broken(work, "a pipe", "refs/heads/feature")

    with pytest.raises(Unreadable, match=r'^"refs/heads/feature" is a named pipe'):
        history_in(work.folder).branches.tips_of(BRANCH)
    (work.folder / ".git/refs/heads").rename(work.folder / "heads")
    (work.folder / ".git/refs/heads").write_text("garbage")
    assert refusal(work.folder, history_in) == (".git cannot be read: refs/heads is not a folder")


def test_a_broken_ref_of_another_branch_and_what_git_leaves_behind_are_nothing(
    work: UserRepository, history_in: Opened
) -> None:
    broken(work, "a pipe", "refs/heads/feature/other")
    for name in (".DS_Store", "main.lock"):
        (work.folder / ".git/refs/heads" / name).write_text("x")
    (work.folder / f".git/refs/heads/{BRANCH}").mkdir()
    branches = history_in(work.folder).branches

    assert (branches.default(), branches.tips_of(BRANCH)) == (
        "main",
        [work.git("rev-parse", BRANCH)],
    )


def test_packed_refs_with_anything_else_in_them_are_refused(
    work: UserRepository, history_in: Opened
) -> None:
    work.git("pack-refs", "--all")
    with open(work.folder / ".git/packed-refs", "a", encoding="utf-8") as file:
        file.write("garbage\n")

    assert refusal(work.folder, history_in) == (
        ".git cannot be read: packed-refs has a line that is not a ref"
    )
