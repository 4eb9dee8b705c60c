"""Repositories of every form, made by git itself, read without it: as its own checkout reads."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest

from pipeline.limits import MAX_BYTES
from pipeline.reading import Unreadable
from tests.stubs.repositories import UserRepository, git
from verify.sources.base import Entry, UnusableSource
from verify.sources.git_source import GitBackend, GitSource, is_git_place
from verify.submission import Folder, NoSubmission

if TYPE_CHECKING:
    from pathlib import Path

    from verify.submission import Submission

PATHS = [
    "plan.json",
    "sandbox/.pipeline/ISSUE-7/plan.json",
    "sandbox/été.json",
    "program",
    "missing.json",
    "missing/plan.json",
    "plan.json/plan.json",
    "link-to-file.json",
    "link-to-folder/plan.json",
    "sandbox",
    "large.json",
    "/plan.json",
    "sandbox/../plan.json",
    "sandbox//été.json",
    "./plan.json",
    "",
    "\0",
    "/".join(["a"] * 70),
]


@pytest.fixture
def work(tmp_path: Path) -> UserRepository:
    """Return a repository with a history, large and linked files, and a branch of its own."""
    made = UserRepository(tmp_path / "made" / "alice")
    for round_ in range(8):  # versions of a file: git packs them as deltas
        lines = "".join(f'{{"step": {n}}}\n' for n in range(200 * (round_ + 1)))
        made.write("plan.json", lines)
        made.commit(f"chore: round {round_}")
    made.write("sandbox/.pipeline/ISSUE-7/plan.json", '{"steps": []}')
    made.write("sandbox/été.json", "{}")
    made.write("program", "#!/bin/sh\n").chmod(0o755)
    made.write("large.json", " " * (MAX_BYTES + 1))
    os.symlink("plan.json", made.folder / "link-to-file.json")
    os.symlink("sandbox", made.folder / "link-to-folder")
    made.commit("feat: hand in")
    made.git("tag", "-a", "-m", "handed in", "handed-in")
    made.git("branch", "first", "HEAD~8")
    return made


def bundle(work: UserRepository, place: Path) -> str:
    work.git("bundle", "create", "--quiet", str(place / "alice.bundle"), "--all")
    return "alice.bundle"


def bare(work: UserRepository, place: Path) -> str:
    git(place, "clone", "--quiet", "--bare", "--no-local", str(work.folder), "alice.git")
    return "alice.git"


def loose(work: UserRepository, place: Path) -> str:
    shutil.copytree(work.folder, place / "alice", symlinks=True)
    return "alice"


def repacked(work: UserRepository, place: Path) -> str:
    work.git("repack", "-adfq", "--depth=200")
    work.git("pack-refs", "--all")
    return loose(work, place)


FORMS = [bundle, bare, loose, repacked]


def answers(door: Submission) -> dict[str, object]:
    return {path: (door.is_file(path), answer(door, path)) for path in PATHS}


def answer(door: Submission, path: str) -> object:
    try:
        return door.read(path)
    except Unreadable as error:
        return error.reason, str(error)


@pytest.mark.parametrize("form", FORMS)
def test_a_commit_answers_as_the_checkout_of_it_does(
    form: object, work: UserRepository, tmp_path: Path
) -> None:
    assert callable(form)
    place = tmp_path / "place"
    place.mkdir()
    name = form(work, place)
    with Folder(str(work.folder)) as checkout:
        expected = answers(checkout)
        names = [name for name in checkout.names("") if name != ".git"]
    with GitBackend(str(place)) as backend:
        door = backend.submission(name)
        found, tops = answers(door), door.names("")
        inner = door.names("sandbox")
        door.close()

    assert found == expected
    assert tops == names
    assert inner == [".pipeline", "été.json"]


def test_uncommitted_work_is_not_what_the_commit_holds(
    work: UserRepository, tmp_path: Path
) -> None:
    committed = (work.folder / "sandbox/été.json").read_bytes()
    work.write("sandbox/été.json", "changed")
    with GitBackend(str(tmp_path / "made")) as backend:
        door = backend.submission("alice")
        found = door.read("sandbox/été.json")
        door.close()

    assert found == committed == b"{}"


@pytest.mark.parametrize("ref", ["first", "refs/heads/first", "HEAD", "handed-in"])
@pytest.mark.parametrize("form", FORMS)
def test_a_ref_chooses_what_is_graded(
    form: object, ref: str, work: UserRepository, tmp_path: Path
) -> None:
    assert callable(form)
    place = tmp_path / "place"
    place.mkdir()
    form(work, place)
    source = GitSource(str(place), ref)
    (entry,) = source.entries()
    with GitBackend(source.container) as backend:
        door = backend.submission(source.payload(entry.inner))
        found = door.is_file("program")
        door.close()

    assert entry.inner.startswith(f"{ref}:alice")
    assert found is ("first" not in ref)


def test_a_branch_of_the_remote_is_found_by_its_short_name(
    work: UserRepository, tmp_path: Path
) -> None:
    git(tmp_path, "clone", "--quiet", "--no-local", str(work.folder), "clones/alice")
    with GitBackend(str(tmp_path / "clones")) as backend:
        door = backend.submission("first:alice")
        found = door.is_file("program")
        door.close()

    assert found is False


def test_a_file_of_the_work_tree_called_head_is_not_the_repositorys(
    work: UserRepository, tmp_path: Path
) -> None:
    work.write("HEAD", "ref: refs/heads/elsewhere\n")
    with GitBackend(str(tmp_path / "made")) as backend:
        door = backend.submission("alice")
        found = door.is_file("plan.json")
        door.close()

    assert found


def test_a_submodule_and_what_lies_in_it_are_no_files(work: UserRepository, tmp_path: Path) -> None:
    commit = work.git("rev-parse", "HEAD")
    work.git("update-index", "--add", "--cacheinfo", f"160000,{commit},module")
    work.git("commit", "--quiet", "-m", "feat: a submodule")
    with GitBackend(str(tmp_path / "made")) as backend:
        door = backend.submission("alice")
        told = []
        for path in ("module", "module/plan.json"):
            with pytest.raises(Unreadable) as refused:
                door.read(path)
            told.append((refused.value.reason, str(refused.value)))
        door.close()

    assert told == [
        ("not-regular", "is a submodule, not a regular file"),
        ("not-regular", "lies in a submodule, which is not part of the commit"),
    ]


@pytest.mark.parametrize("form", [loose, bundle])
def test_a_repository_with_sha_256_names_is_read(form: object, tmp_path: Path) -> None:
    assert callable(form)
    made, place = tmp_path / "made", tmp_path / "place"
    made.mkdir()
    place.mkdir()
    git(made, "init", "--quiet", "--object-format=sha256", "--initial-branch=main")
    git(made, "config", "user.name", "A Tester")
    git(made, "config", "user.email", "tester@example.org")
    (made / "plan.json").write_text("{}")
    git(made, "add", "--all")
    git(made, "commit", "--quiet", "-m", "feat: begin")
    work = UserRepository.__new__(UserRepository)
    work.folder = made
    name = form(work, place)
    with GitBackend(str(place)) as backend:
        door = backend.submission(name)
        found = door.read("plan.json")
        door.close()

    assert found == b"{}"


def test_entries_are_the_folders_and_bundles_sorted_without_their_suffixes(tmp_path: Path) -> None:
    for name in ("bob.git", "carol", ".hidden"):
        (tmp_path / name).mkdir()
    (tmp_path / "alice.bundle").touch()
    (tmp_path / "notes.txt").touch()
    os.symlink(tmp_path / "carol", tmp_path / "linked")

    assert list(GitSource(str(tmp_path)).entries()) == [
        Entry("alice", "alice.bundle"),
        Entry("bob", "bob.git"),
        Entry("carol", "carol"),
    ]


def test_classrooms_own_folder_tells_logins(tmp_path: Path) -> None:
    place = tmp_path / "hw1-submissions"
    for login in ("alice", "bob-b"):
        (place / f"hw1-{login}").mkdir(parents=True)

    assert list(GitSource(str(place), "main").entries()) == [
        Entry("alice", "main:hw1-alice", aliases=("hw1-alice",)),
        Entry("bob-b", "main:hw1-bob-b", aliases=("hw1-bob-b",)),
    ]


def test_a_beginning_that_all_names_share_gives_another_name_for_the_learner(
    tmp_path: Path,
) -> None:
    for login in ("alice", "al"):
        (tmp_path / f"hw-1-{login}.git").mkdir()

    assert list(GitSource(str(tmp_path)).entries()) == [
        Entry("hw-1-al", "hw-1-al.git", aliases=("al",)),
        Entry("hw-1-alice", "hw-1-alice.git", aliases=("alice",)),
    ]


def test_a_single_repository_or_bundle_is_a_place_of_its_own(
    work: UserRepository, tmp_path: Path
) -> None:
    bundle(work, tmp_path)
    container = str(tmp_path)

    assert list(GitSource(str(tmp_path / "alice.bundle")).entries()) == [
        Entry("alice", "alice.bundle")
    ]
    assert GitSource(str(tmp_path / "alice.bundle")).container == container
    assert list(GitSource(str(work.folder), "main").entries()) == [Entry("alice", "main:alice")]
    assert list(GitSource(str(work.folder / ".git")).entries()) == [Entry("alice", ".git")]


def test_a_place_of_git_is_one_of_bundles_and_bare_repositories_alone(
    work: UserRepository, tmp_path: Path
) -> None:
    place = tmp_path / "place"
    place.mkdir()
    empty = is_git_place(str(place))
    bundle(work, place)
    git(place, "clone", "--quiet", "--bare", str(work.folder), "bob.git")
    pure = is_git_place(str(place))
    single = is_git_place(str(place / "alice.bundle")), is_git_place(str(place / "bob.git"))
    (place / "carol").mkdir()

    assert (empty, pure, single) == (False, True, (True, True))
    assert is_git_place(str(place)) is False  # one learner's folder decides nothing for the others
    assert is_git_place(str(work.folder)) is False
    assert is_git_place(str(tmp_path / "missing")) is False


@pytest.mark.parametrize("ref", ["", "a b", "../main", "main^", "a:b", "/main", "a//b", "x\x1b[2J"])
def test_what_cannot_be_a_ref_is_refused_at_once(ref: str, tmp_path: Path) -> None:
    with pytest.raises(UnusableSource, match="cannot be the name of a branch or a tag"):
        GitSource(str(tmp_path), ref)


def test_a_ref_that_no_learner_has_is_misspelt_and_nobodys_zero(
    work: UserRepository, tmp_path: Path
) -> None:
    place = tmp_path / "place"
    place.mkdir()
    for name in ("alice", "bob", "carol"):
        work.git("bundle", "create", "--quiet", str(place / f"{name}.bundle"), "main")
    bad = GitSource(str(place), "mian")
    work.git("bundle", "create", "--quiet", str(place / "carol.bundle"), "main", "first")

    with pytest.raises(UnusableSource, match=r"has a branch or tag mian: is --ref misspelt\?$"):
        list(bad.entries())
    assert len(list(GitSource(str(place), "first").entries())) == 3  # one has it: it is a ref


def test_what_is_no_place_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("no bundle")

    with pytest.raises(UnusableSource, match=r"a\.txt is neither a folder nor a git bundle$"):
        GitSource(str(tmp_path / "a.txt"))
    with pytest.raises(UnusableSource, match=r"it does not exist$"):
        GitSource(str(tmp_path / "missing"))


@pytest.mark.parametrize(
    ("inner", "told"),
    [
        ("plain", "is no git repository: it has no HEAD, nor a folder .git with one"),
        ("gone", "cannot be read as a git repository: does not exist"),
        ("empty", "cannot be read as a git repository: it has no commit on the branch"),
        ("nowhere:alice", 'cannot be read as a git repository: it has no branch or tag "nowhere"'),
        ("text.bundle", "cannot be read as a git repository: it does not begin as a bundle of git"),
        ("part.bundle", "it holds a part of the history alone: `git bundle create NAME.bundle"),
        ("linked", "is a link, which is not followed"),
    ],
)
def test_what_cannot_be_opened_is_that_learners_outcome(
    inner: str, told: str, work: UserRepository, tmp_path: Path
) -> None:
    place = tmp_path / "made"
    (place / "plain").mkdir()
    (place / "empty").mkdir()
    git(place / "empty", "init", "--quiet", "--initial-branch=main")
    (place / "text.bundle").write_text("hello")
    work.git("bundle", "create", "--quiet", str(place / "part.bundle"), "first..main")
    os.symlink("alice", place / "linked")
    with GitBackend(str(place)) as backend, pytest.raises(NoSubmission) as refused:
        backend.submission(inner)

    assert told in str(refused.value)
    assert "\n" not in str(refused.value)
