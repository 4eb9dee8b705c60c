"""AGit pushes to a real repository whose `proc-receive` hook answers as Gitea does."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pipeline.forges.base import Change, ForgeFault, PullRequest
from pipeline.forges.gitea import Gitea
from tests.stubs import agit_server
from tests.stubs.repositories import (
    UserRepository,
    git,
    remote_for,
    user_repository,
    write_hook,
)

if TYPE_CHECKING:
    from pipeline.git.repository import Repository

BRANCH = "feature/issue-7-health"
FORGE = Gitea(remote="origin")


@pytest.fixture
def user(tmp_path: Path) -> UserRepository:
    made = user_repository(tmp_path / "project")
    remote = remote_for(made, tmp_path / "origin.git")
    git(remote, "config", "receive.procReceiveRefs", "refs/for")
    write_hook(remote, "proc-receive", f"exec {sys.executable} {Path(agit_server.__file__)}\n")
    made.git("switch", "--quiet", "-c", BRANCH)
    made.commit("feat: add a health endpoint", **{"health.py": "ok = 1\n"})
    return made


def change(user: UserRepository, repository: Repository | None = None) -> Change:
    return Change(
        repository=repository or user.repository,
        issue="ISSUE-7",
        branch=BRANCH,
        base="main",
        sha=user.git("rev-parse", BRANCH),
        title="feat: add a health endpoint",
        body="It says whether\n\nthe service is up.",
    )


def options_taken(tmp_path: Path) -> list[str]:
    return (tmp_path / "origin.git" / "push-options").read_text().splitlines()


def test_a_push_opens_a_pull_request_whose_address_is_read(
    user: UserRepository, tmp_path: Path
) -> None:
    opened = FORGE.open(change(user))

    assert opened == PullRequest(url="https://gitea.example/ana/notes/pulls/1")
    assert options_taken(tmp_path) == [
        f"topic={BRANCH}",
        "title=feat: add a health endpoint",
        "description=It says whether the service is up.",
    ]
    assert git(tmp_path / "origin.git", "for-each-ref", "--format=%(refname)").split() == [
        "refs/heads/main",
        "refs/pull/1/head",
    ]


def test_the_same_commit_again_is_the_same_pull_request(user: UserRepository) -> None:
    FORGE.open(change(user))

    assert FORGE.open(change(user)) == PullRequest(reused=True)


def test_the_same_commit_again_has_an_address_where_the_remote_has_one(
    user: UserRepository,
) -> None:
    FORGE.open(change(user))
    web = user.repository

    class OverHttp(type(web)):  # type: ignore[misc]  # a repository whose remote is a web address
        def attempt(self, *words: str, **rest: object) -> object:
            done = super().attempt(*words, **rest)
            if words[:2] == ("remote", "get-url"):
                done.stdout = "https://ana:secret@gitea.example:3000/ana/notes.git\n"
            return done

    again = FORGE.open(change(user, OverHttp(web.root)))

    assert again == PullRequest(url="https://gitea.example:3000/ana/notes/pulls/1", reused=True)


def test_a_new_commit_moves_the_pull_request(user: UserRepository, tmp_path: Path) -> None:
    FORGE.open(change(user))
    tip = user.commit("fix: more")

    assert FORGE.open(change(user)).url == "https://gitea.example/ana/notes/pulls/1"
    assert git(tmp_path / "origin.git", "rev-parse", "refs/pull/1/head") == tip


def test_a_title_of_many_lines_is_one_option(user: UserRepository, tmp_path: Path) -> None:
    FORGE.open(replace(change(user), title="a\nb\x1b[m", body=""))

    assert options_taken(tmp_path) == [f"topic={BRANCH}", "title=a b\\u{1b}[m"]


def test_a_missing_remote_is_said_before_any_work(user: UserRepository) -> None:
    with pytest.raises(ForgeFault) as refused:
        Gitea(remote="upstream").check(user.repository)

    assert refused.value.usage
    assert str(refused.value) == (
        'no remote is named "upstream": add it (git remote add upstream URL)'
    )
    FORGE.check(user.repository)


def test_a_remote_that_takes_no_options_is_said(user: UserRepository, tmp_path: Path) -> None:
    git(tmp_path / "origin.git", "config", "receive.advertisePushOptions", "false")

    with pytest.raises(ForgeFault) as refused:
        FORGE.open(change(user))

    assert str(refused.value).endswith("(the remote is no Gitea or Forgejo, or does not take AGit)")


def test_a_refused_push_is_quoted(user: UserRepository, tmp_path: Path) -> None:
    write_hook(tmp_path / "origin.git", "proc-receive", "exit 1\n")

    with pytest.raises(ForgeFault, match="git push to origin failed"):
        FORGE.open(change(user))
