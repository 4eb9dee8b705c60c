"""The user's git answers questions about the user's repository, and pushes from it."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from pipeline import git as module
from pipeline.git import GitFault, Repository, environment
from tests.stubs.repositories import UserRepository, remote_for, user_repository

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


@pytest.fixture
def user(tmp_path: Path) -> UserRepository:
    return user_repository(tmp_path / "project")


def test_head_is_the_branch_and_its_commit(user: UserRepository) -> None:
    sha = user.git("rev-parse", "HEAD")
    heads = [user.repository.status()[:2]]
    for words in (("-c", "feature/a"), ("--detach",)):
        user.git("switch", "--quiet", *words)
        heads.append(user.repository.status()[:2])

    assert heads == [("main", sha), ("feature/a", sha), ("", sha)]


def test_changes_name_every_path_that_is_not_as_committed(user: UserRepository) -> None:
    user.commit(**{"old.txt": "old\n", "gone.txt": "x\n", "kept.txt": "x\n", ".gitignore": "*.log"})
    user.write("src/app.py", "x = 2\n")
    user.git("mv", "old.txt", "new.txt")
    (user.folder / "gone.txt").unlink()
    user.git("rm", "--quiet", "--cached", "kept.txt")
    user.write("deep/er/ä.txt")
    user.write("a.log")
    (user.folder / os.fsdecode(b"caf\xe9")).write_text("x")

    assert user.repository.status().changes == {
        "src/app.py": ".M",
        "old.txt": "D.",
        "new.txt": "A.",
        "gone.txt": ".D",
        "kept.txt": "D.",
        "deep/er/ä.txt": "??",
        "caf\udce9": "??",
    }


def test_asking_takes_no_lock(user: UserRepository) -> None:
    os.utime(user.folder / "src" / "app.py", (1, 1))  # what a refresh would write down
    index = (user.folder / ".git" / "index").read_bytes()

    assert user.repository.status().changes == {}
    assert (user.folder / ".git" / "index").read_bytes() == index


def test_a_command_that_does_not_end_is_given_up(
    user: UserRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    user.hook("pre-commit", "sleep 3 <&- >&- 2>&-\n")
    monkeypatch.setattr(module, "SECONDS", 0.2)

    with pytest.raises(GitFault, match=r"^git commit did not finish within 0.2 seconds$"):
        user.repository.run("commit", "--allow-empty", "-m", "x")


def test_a_pathspec_is_a_name(user: UserRepository) -> None:
    assert user.repository.run("ls-files", "--", "README.md") == "README.md\n"
    assert user.repository.run("ls-files", "--", "*") == ""


def test_a_remote_that_looks_like_an_option_is_none(user: UserRepository, tmp_path: Path) -> None:
    remote_for(user, tmp_path / "origin.git")

    with pytest.raises(GitFault):
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


def test_a_push_whose_remote_left_too_early_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Hasty(2).push("origin", "refs/heads/a:refs/heads/a") == "To origin"

    monkeypatch.setattr("pipeline.git._PATIENCE", 0.15)
    with pytest.raises(GitFault):
        Hasty(9).push("origin", "refs/heads/a:refs/heads/a")


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


def test_no_program_of_the_work_tree_is_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    user = UserRepository(tmp_path / "repository")
    user.commit()
    for folder in (user.folder / "bin", tmp_path / "outside"):
        folder.mkdir()
        (folder / "git").write_text(f'#!/bin/sh\necho > "{folder}/ran"\nexec /usr/bin/git "$@"\n')
        (folder / "git").chmod(0o755)
    (tmp_path / "link").symlink_to(user.folder / "bin")
    monkeypatch.chdir(user.folder)
    inside = (user.folder / "bin", "bin", "", tmp_path / "link")
    monkeypatch.setenv("PATH", ":".join(map(str, (*inside, tmp_path / "outside", "/usr/bin"))))
    Repository(str(user.folder)).status()

    assert not (user.folder / "bin/ran").exists()
    assert (tmp_path / "outside/ran").exists()
