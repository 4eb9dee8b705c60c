"""What a remote prints and shows is read; nothing is guessed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pipeline.forges.pushed import option, request_at, request_in, web_address
from tests.stubs.repositories import git, remote_for, user_repository

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("remote", "address"),
    [
        ("https://forge.example/a/b.git", "https://forge.example/a/b"),
        ("https://forge.example/a/b/", "https://forge.example/a/b"),
        ("https://user:token@forge.example:8443/a/b", "https://forge.example:8443/a/b"),
        ("http://[::1]:3000/a/b.git", "http://[::1]:3000/a/b"),
        ("git@forge.example:a/b.git", ""),
        ("ssh://git@forge.example/a/b.git", ""),
        ("file:///srv/b.git", ""),
        ("/srv/b.git", ""),
        ("https://forge.example:port/a", ""),
        ("https://", ""),
    ],
)
def test_only_a_web_remote_tells_a_web_address(remote: str, address: str) -> None:
    assert web_address(remote) == address


@pytest.mark.parametrize(
    ("said", "address"),
    [
        ("remote:   https://f.example/a/pulls/5        \n", "https://f.example/a/pulls/5"),
        ("remote: http://localhost:3000/a/pulls/5 merges into main", "http://localhost:3000/a/pulls/5"),
        ("remote: https://f.example/a/pulls/5\nremote: https://f.example/a/pulls/6", "https://f.example/a/pulls/6"),
        ("https://f.example/a/pulls/5", ""),
        ("remote: https://f.example/a/pulls/new?x=5", ""),
        ("remote: https://f.example/a/pulls/5/files", ""),
        ("remote: https://f.example/a/issues/5", ""),
        ("remote: ftp://f.example/a/pulls/5", ""),
        ("", ""),
    ],
)  # fmt: skip
def test_the_address_is_the_last_that_the_remote_printed(said: str, address: str) -> None:
    assert request_in(said, "pulls") == address


def test_an_option_is_one_visible_line() -> None:
    assert option("title", " a\n\tb\r\nc \x00") == "title=a b c \\u{0}"
    assert len(option("x", "y" * 100_000)) == 20_000


def test_the_newest_request_of_a_commit_is_found(tmp_path: Path) -> None:
    user = user_repository(tmp_path / "project")
    remote = remote_for(user, tmp_path / "origin.git")
    sha = user.git("rev-parse", "main")
    for number in (9, 10, 2):
        git(remote, "update-ref", f"refs/pull/{number}/head", sha)

    assert request_at(user.repository, "origin", "refs/pull/*/head", sha) == "10"
    assert request_at(user.repository, "origin", "refs/pull/*/head", "0" * 40) == ""
    assert request_at(user.repository, "nowhere", "refs/pull/*/head", sha) == ""
