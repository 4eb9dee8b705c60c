"""The user's git answers questions about the user's repository, and pushes from it."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from pipeline.git import repository as module
from pipeline.git.environment import environment
from pipeline.git.repository import CommandFailed, GitFault, Head, Repository
from pipeline.git.status import read_branch, read_status
from tests.stubs.repositories import (
    UserRepository,
    git,
    remote_for,
    user_repository,
    write_hook,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


@pytest.fixture
def user(tmp_path: Path) -> UserRepository:
    return user_repository(tmp_path / "project")


def test_the_toplevel_is_found_from_below(user: UserRepository) -> None:
    assert Repository.toplevel(str(user.folder / "src")) == str(user.folder)


def test_a_name_with_a_line_feed_at_its_end_is_kept(tmp_path: Path) -> None:
    folder = tmp_path / "odd\n"
    user_repository(folder)

    assert Repository.toplevel(str(folder)) == str(folder)


def test_no_repository_is_a_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    (tmp_path / "plain").mkdir()

    with pytest.raises(GitFault, match=r"^git rev-parse failed: fatal: not a git repository"):
        Repository.toplevel(str(tmp_path / "plain"))


def test_head_is_the_branch_and_its_commit(user: UserRepository) -> None:
    sha = user.git("rev-parse", "HEAD")
    assert user.repository.head() == Head("main", sha)

    user.git("switch", "--quiet", "-c", "feature/a")
    assert user.repository.head() == Head("feature/a", sha)

    user.git("switch", "--quiet", "--detach")
    assert user.repository.head() == Head("", sha)


def test_head_before_the_first_commit_has_no_hash(tmp_path: Path) -> None:
    assert UserRepository(tmp_path / "new").repository.head() == Head("main", "")


def test_a_branch_named_like_a_file_or_a_tag_is_no_confusion(user: UserRepository) -> None:
    user.git("tag", "src", user.commit("chore: more"))
    user.git("switch", "--quiet", "-c", "src", "HEAD~1")

    assert user.repository.head() == Head("src", user.git("rev-parse", "refs/heads/src"))


def test_changes_name_every_path_that_is_not_as_committed(user: UserRepository) -> None:
    user.commit(**{"old.txt": "old\n", "gone.txt": "x\n", "kept.txt": "x\n", ".gitignore": "*.log"})
    user.write("src/app.py", "x = 2\n")
    user.git("mv", "old.txt", "new.txt")
    (user.folder / "gone.txt").unlink()
    user.git("rm", "--quiet", "--cached", "kept.txt")
    user.write("deep/er/ä.txt")
    user.write("a.log")
    (user.folder / os.fsdecode(b"caf\xe9")).write_text("x")

    assert user.repository.changes() == {
        "src/app.py": ".M",
        "old.txt": "D.",
        "new.txt": "A.",
        "gone.txt": ".D",
        "kept.txt": "D.",
        "deep/er/ä.txt": "??",
        "caf\udce9": "??",
    }


def test_changes_do_not_depend_on_the_users_settings(user: UserRepository) -> None:
    user.git("config", "status.showUntrackedFiles", "no")
    user.git("config", "status.renames", "copies")
    user.write("new/file.txt")

    assert user.repository.changes() == {"new/file.txt": "??"}


def test_asking_takes_no_lock(user: UserRepository) -> None:
    os.utime(user.folder / "src" / "app.py", (1, 1))  # what a refresh would write down
    index = (user.folder / ".git" / "index").read_bytes()

    assert user.repository.changes() == {}
    assert (user.folder / ".git" / "index").read_bytes() == index


def test_the_diffstat_is_that_of_the_branch_alone(user: UserRepository) -> None:
    user.git("switch", "--quiet", "-c", "feature/a")
    tip = user.commit("feat: a", **{"src/app.py": "x = 2\ny = 3\n"})
    user.git("switch", "--quiet", "main")
    user.commit("feat: b", **{"b.txt": "b\n"})
    user.git("config", "diff.external", "false")

    assert user.repository.diffstat("refs/heads/main", tip) == (
        " src/app.py | 3 ++-\n 1 file changed, 2 insertions(+), 1 deletion(-)"
    )


def test_a_failure_is_one_visible_line(user: UserRepository) -> None:
    with pytest.raises(CommandFailed) as failed:
        user.repository.run("switch", "no\x1b[2J such")

    assert str(failed.value).startswith("git switch failed: fatal: invalid reference: no")
    assert str(failed.value).isprintable()


def test_a_command_that_does_not_end_is_given_up(
    user: UserRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    user.hook("pre-commit", "sleep 3 <&- >&- 2>&-\n")
    monkeypatch.setattr(module, "_SECONDS", 0.2)

    with pytest.raises(GitFault, match=r"^git commit did not end within 0.2 seconds$"):
        user.repository.run("commit", "--allow-empty", "-m", "x")


def test_a_pathspec_is_a_name(user: UserRepository) -> None:
    assert user.repository.run("ls-files", "--", "README.md") == "README.md\n"
    assert user.repository.run("ls-files", "--", "*") == ""
    assert user.repository.run("ls-files", "--", ":(glob)**") == ""


def test_a_push_returns_what_the_remote_said(user: UserRepository, tmp_path: Path) -> None:
    remote = remote_for(user, tmp_path / "origin.git")
    write_hook(remote, "post-receive", 'echo "got $GIT_PUSH_OPTION_COUNT: $GIT_PUSH_OPTION_0"\n')
    user.git("branch", "feature/a")

    said = user.repository.push(
        "origin", "refs/heads/feature/a:refs/heads/feature/a", options=("x=y z", "w")
    )

    assert "remote: got 2: x=y z" in said
    assert git(remote, "rev-parse", "feature/a") == user.git("rev-parse", "main")


@pytest.mark.parametrize("hook", ["pre-receive"])
def test_a_refused_push_tells_why(user: UserRepository, tmp_path: Path, hook: str) -> None:
    remote = remote_for(user, tmp_path / "origin.git")
    write_hook(remote, hook, "echo 'branches are closed'\nexit 1\n")
    user.git("branch", "feature/a")

    with pytest.raises(CommandFailed, match=r"git push to origin failed: .*branches are closed"):
        user.repository.push("origin", "refs/heads/feature/a:refs/heads/feature/a")


def test_a_remote_that_looks_like_an_option_is_none(user: UserRepository, tmp_path: Path) -> None:
    remote_for(user, tmp_path / "origin.git")

    with pytest.raises(CommandFailed):
        user.repository.push("--receive-pack=touch hacked #", "origin", "refs/heads/main")

    assert not (user.folder / "hacked").exists()


class Hasty(Repository):
    """A repository whose remote leaves too early, some times."""

    def __init__(self, times: int) -> None:
        super().__init__(".")
        self.left = times

    def attempt(
        self, *words: str, text: str = "", more: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        assert (words[0], text, more) == ("push", "", None)
        self.left -= 1
        code = -13 if self.left >= 0 else 0
        return subprocess.CompletedProcess(words, code, "", "To origin")


def test_a_push_whose_remote_left_too_early_is_tried_again() -> None:
    assert Hasty(2).push("origin", "refs/heads/a:refs/heads/a") == "To origin"

    with pytest.raises(CommandFailed):
        Hasty(9).push("origin", "refs/heads/a:refs/heads/a")


def test_what_names_another_repository_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_DIR", "/elsewhere/.git")
    monkeypatch.setenv("GIT_INDEX_FILE", "/elsewhere/index")
    monkeypatch.setenv("GIT_GLOB_PATHSPECS", "1")
    monkeypatch.setenv("GIT_AUTHOR_NAME", "A Tester")

    kept = environment()

    assert {"GIT_DIR", "GIT_INDEX_FILE", "GIT_GLOB_PATHSPECS"} & kept.keys() == set()
    assert kept["GIT_AUTHOR_NAME"] == "A Tester"
    assert kept["PATH"] == os.environ["PATH"]


def test_every_variable_that_git_calls_local_is_left_out_but_settings() -> None:
    local = subprocess.run(
        ["git", "rev-parse", "--local-env-vars"], capture_output=True, text=True, check=True
    ).stdout.split()
    settings = {"GIT_CONFIG", "GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT"}
    harmless = {"GIT_NO_REPLACE_OBJECTS", "GIT_REPLACE_REF_BASE"}
    with pytest.MonkeyPatch.context() as patch:
        for name in local:
            patch.setenv(name, "x")
        kept = environment()

    assert {name for name in local if name in kept} == settings | harmless


def test_what_is_asked_for_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")

    kept = environment({"GIT_DIR": "/here", "GIT_LITERAL_PATHSPECS": "0"})

    assert kept["GIT_DIR"] == "/here"
    assert kept["GIT_LITERAL_PATHSPECS"] == "0"
    assert kept["LC_ALL"] == "C"


HASH = "0" * 40


def entry(kind: str, state: str, path: str, more: str = "") -> str:
    modes = "100644 100644 100644 100644" if kind == "u" else "100644 100644 100644"
    hashes = f"{HASH} {HASH} {HASH}" if kind == "u" else f"{HASH} {HASH}"
    return f"{kind} {state} N... {modes} {hashes} {more}{path}\0"


def test_each_kind_of_entry_is_read() -> None:
    printed = (
        "# branch.oid (initial)\0"
        + entry("1", ".M", "a b")
        + entry("1", "A.", "c\nd")
        + entry("2", "R.", "new", "R100 ")
        + "old\0"
        + entry("u", "UU", "both")
        + "? fresh\0"
        + "! ignored\0"
    )

    assert read_status(printed) == {
        "a b": ".M",
        "c\nd": "A.",
        "new": "R.",
        "old": "D.",
        "both": "UU",
        "fresh": "??",
    }


def test_a_file_that_left_only_the_index_is_deleted_not_new() -> None:
    assert read_status(entry("1", "D.", "kept") + "? kept\0") == {"kept": "D."}


def test_nothing_printed_is_no_change() -> None:
    assert read_status("") == {}


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        ("# branch.oid 1234\0# branch.head main\0# branch.upstream o/main\0", ("main", "1234")),
        ("# branch.oid (initial)\0# branch.head main\0", ("main", "")),
        ("# branch.oid 1234\0# branch.head (detached)\0? a\0", ("", "1234")),
        ("? # branch.head not\0", ("", "")),
    ],
)
def test_the_branch_and_the_commit_stand_in_the_header(
    printed: str, expected: tuple[str, str]
) -> None:
    assert read_branch(printed) == expected
