"""Branches are listed as `git for-each-ref` lists them; the default one is the remote's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.stubs.repositories import git
from verify.history.history import Branches, of_bundle

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.stubs.repositories import UserRepository
    from verify.history.history import History

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
    told = git(clone, "for-each-ref", "--format=%(refname) %(objectname)", "refs/heads")
    told += "\n" + git(clone, "for-each-ref", "--format=%(refname) %(objectname)", "refs/remotes")
    history = history_in(clone)

    found = [f"{ref} {name}" for ref, name in history.branches.refs.items()]

    assert sorted(found) == sorted(line for line in told.split("\n") if "/HEAD " not in line)
    assert (history.branches.head, history.branches.main) == ("refs/heads/main", "main")


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
        (["topic"], "", ""),
        ([], "", ""),
    ],
)
def test_the_default_branch_is_the_remotes_else_a_usual_name(
    names: list[str], main: str, default: str
) -> None:
    refs = {f"refs/heads/{name}": ONE for name in names}

    assert Branches(refs, "", main).default() == default


def test_a_bundles_refs_are_its_branches(work: UserRepository) -> None:
    work.git("tag", "v1")
    work.git("bundle", "create", "--quiet", "whole", "--all")
    branches = of_bundle((work.folder / "whole").read_bytes()).branches

    assert (sorted(branches.refs), branches.head, branches.main) == (
        ["refs/heads/feature/issue-7-health", "refs/heads/main"],
        "",
        "",
    )
