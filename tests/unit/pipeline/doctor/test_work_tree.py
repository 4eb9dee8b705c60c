"""The repository, asked of real ones."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pipeline.doctor.work_tree import work_tree

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pytest

    Git = Callable[..., None]

    Found = tuple[str, str, str]


def found(path: Path) -> dict[str, Found]:
    """Return how each finding stands, what was found, and the advice."""
    findings = work_tree(str(path), has_git=True)
    return {each.code: (each.standing, each.found, each.advice) for each in findings}


def test_an_empty_repository_wants_a_commit_a_name_and_no_remote(git: Git, tmp_path: Path) -> None:
    git("init")

    assert found(tmp_path) == {
        "repository": (
            "missing",
            f"{os.path.realpath(tmp_path)}, without a commit",
            'make a first commit: git commit --allow-empty -m "chore: begin"',
        ),
        "identity": (
            "missing",
            "git has no user.name or no user.email",
            'git config --global user.name "…" and git config --global user.email …',
        ),
        "remote": (
            "note",
            "none",
            "the forge local needs none; for the others: git remote add origin ADDRESS",
        ),
    }


def test_a_repository_with_all_of_it_is_well_and_shows_no_address(git: Git, tmp_path: Path) -> None:
    git("init")
    git("config", "user.name", "Ada \x1b[2J")
    git("config", "user.email", "ada@example.org")
    git("commit", "--allow-empty", "-m", "chore: begin")
    git("remote", "add", "origin", "https://me:s3cr3t@git.example.org/a/b")

    assert found(tmp_path) == {
        "repository": ("ok", os.path.realpath(tmp_path), ""),
        "identity": ("ok", r"Ada \u{1b}[2J <ada@example.org>", ""),
        "remote": ("ok", '"origin"', ""),
    }


def test_a_bare_repository_is_no_place_to_work(git: Git, tmp_path: Path) -> None:
    git("init", "--bare")

    assert found(tmp_path)["repository"][:2] == ("missing", "a bare repository, without files")


def test_a_name_of_the_environment_will_do(
    git: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git("init")
    for who in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{who}_NAME", "Ada")
        monkeypatch.setenv(f"GIT_{who}_EMAIL", "ada@example.org")

    assert found(tmp_path)["identity"] == ("ok", "Ada <ada@example.org>", "")
