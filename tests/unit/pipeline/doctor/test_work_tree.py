"""The repository, asked of real ones."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from pipeline.doctor.work_tree import work_tree

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Git = Callable[..., None]

WHO = ("-c", "user.name=N", "-c", "user.email=n@example.org")


def found(path: Path, code: str) -> tuple[str, str, str]:
    """Return how a finding stands, what was found, and the advice."""
    (finding,) = (each for each in work_tree(str(path), has_git=True) if each.code == code)
    return finding.standing, finding.found, finding.advice


def test_a_repository_with_a_commit_is_well(git: Git, tmp_path: Path) -> None:
    git("init")
    git(*WHO, "commit", "--allow-empty", "-m", "chore: begin")

    assert found(tmp_path, "repository") == ("ok", os.path.realpath(tmp_path), "")


def test_a_repository_without_a_commit_wants_one(git: Git, tmp_path: Path) -> None:
    git("init")

    assert found(tmp_path, "repository") == (
        "missing",
        f"{os.path.realpath(tmp_path)}, without a commit",
        'make a first commit: git commit --allow-empty -m "chore: begin"',
    )


@pytest.mark.usefixtures("git")
def test_a_folder_in_no_repository_wants_one(tmp_path: Path) -> None:
    assert found(tmp_path, "repository") == (
        "missing",
        "the project is in no git repository",
        'git init, then a first commit: git commit --allow-empty -m "chore: begin"',
    )


def test_a_bare_repository_is_no_place_to_work(git: Git, tmp_path: Path) -> None:
    git("init", "--bare")

    assert found(tmp_path, "repository")[:2] == ("missing", "a bare repository, without files")


def test_without_a_name_git_commits_nothing(git: Git, tmp_path: Path) -> None:
    git("init")

    assert found(tmp_path, "identity") == (
        "missing",
        "git has no user.name or no user.email",
        'git config --global user.name "…" and git config --global user.email …',
    )


def test_a_name_of_the_repository_will_do(git: Git, tmp_path: Path) -> None:
    git("init")
    git("config", "user.name", "Ada \x1b[2J")
    git("config", "user.email", "ada@example.org")

    assert found(tmp_path, "identity") == ("ok", r"Ada \u{1b}[2J <ada@example.org>", "")


def test_a_name_of_the_environment_will_do(
    git: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git("init")
    for who in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{who}_NAME", "Ada")
        monkeypatch.setenv(f"GIT_{who}_EMAIL", "ada@example.org")

    assert found(tmp_path, "identity") == ("ok", "Ada <ada@example.org>", "")


def test_a_remote_is_named_without_its_address(git: Git, tmp_path: Path) -> None:
    git("init")
    git("remote", "add", "origin", "https://me:s3cr3t@git.example.org/a/b")

    assert found(tmp_path, "remote") == ("ok", '"origin"', "")


def test_a_missing_remote_is_a_note(git: Git, tmp_path: Path) -> None:
    git("init")

    assert found(tmp_path, "remote")[:2] == ("note", "none")


def test_without_git_nothing_is_asked(tmp_path: Path) -> None:
    findings = work_tree(str(tmp_path), has_git=False)

    assert [(each.code, each.standing, each.found) for each in findings] == [
        ("repository", "note", "not asked: that takes git"),
        ("identity", "note", "not asked: that takes git"),
    ]


def test_a_git_that_is_gone_is_a_finding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    assert found(tmp_path, "repository")[:2] == (
        "missing",
        "git is not on PATH: install it (https://git-scm.com)",
    )
