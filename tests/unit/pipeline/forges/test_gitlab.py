"""Pushes with options to a real repository whose hook prints what GitLab prints."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pipeline.forges.base import Change, ForgeFault, PullRequest
from pipeline.forges.gitlab import GitLab, described
from tests.stubs.repositories import (
    UserRepository,
    git,
    remote_for,
    user_repository,
    write_hook,
)

if TYPE_CHECKING:
    from pathlib import Path

    from pipeline.git.repository import Repository

BRANCH = "feature/issue-7-health"
FORGE = GitLab(remote="origin")
ADDRESS = "https://gitlab.example/team/notes/-/merge_requests/7"
# Records the options, shows the request's head as GitLab does, prints the lines of its hook.
HOOK = f"""
count=${{GIT_PUSH_OPTION_COUNT:-0}}
i=0
while [ $i -lt $count ]; do
  eval "printf '%s\\n' \\"\\$GIT_PUSH_OPTION_$i\\"" >> push-options
  i=$((i + 1))
done
read old new name
git update-ref refs/merge-requests/7/head $new
echo
echo "View merge request for ${{name#refs/heads/}}:"
echo "  {ADDRESS}"
echo
"""


@pytest.fixture
def user(tmp_path: Path) -> UserRepository:
    made = user_repository(tmp_path / "project")
    remote = remote_for(made, tmp_path / "origin.git")
    write_hook(remote, "post-receive", HOOK)
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


def test_a_push_opens_a_merge_request_whose_address_is_read(
    user: UserRepository, tmp_path: Path
) -> None:
    opened = FORGE.open(change(user))

    assert opened == PullRequest(url=ADDRESS)
    assert (tmp_path / "origin.git" / "push-options").read_text().splitlines() == [
        "merge_request.create",
        "merge_request.target=main",
        "merge_request.title=feat: add a health endpoint",
        "merge_request.description=It says whether\\n\\nthe service is up.",
    ]
    assert git(tmp_path / "origin.git", "rev-parse", BRANCH) == user.git("rev-parse", BRANCH)


def test_a_new_commit_is_pushed_to_the_merge_request_that_is_there(user: UserRepository) -> None:
    FORGE.open(change(user))
    user.commit("fix: more")

    assert FORGE.open(change(user)).url == ADDRESS


def test_a_push_of_nothing_new_has_no_address_to_read(user: UserRepository) -> None:
    FORGE.open(change(user))

    assert FORGE.open(change(user)) == PullRequest(reused=True)


def test_a_push_of_nothing_new_finds_the_address_where_the_remote_has_one(
    user: UserRepository,
) -> None:
    FORGE.open(change(user))
    there = user.repository

    class OverHttp(type(there)):  # type: ignore[misc]  # a repository whose remote is a web address
        def attempt(self, *words: str, **rest: object) -> object:
            done = super().attempt(*words, **rest)
            if words[:2] == ("remote", "get-url"):
                done.stdout = "https://gitlab.example/team/notes.git\n"
            return done

    assert FORGE.open(change(user, OverHttp(there.root))) == PullRequest(url=ADDRESS, reused=True)


def test_what_a_hook_of_the_users_prints_is_no_address(
    user: UserRepository, tmp_path: Path
) -> None:
    write_hook(tmp_path / "origin.git", "post-receive", "exit 0\n")
    user.hook("pre-push", f"echo {ADDRESS}8 >&2\n")

    assert FORGE.open(change(user)) == PullRequest()


def test_an_invitation_to_open_a_request_is_no_address(
    user: UserRepository, tmp_path: Path
) -> None:
    invitation = "echo '  https://gitlab.example/t/n/-/merge_requests/new?merge_request=1'\n"
    write_hook(tmp_path / "origin.git", "post-receive", invitation)

    assert FORGE.open(change(user)) == PullRequest()


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("a\nb\r\nc", "a\\nb\\nc"),
        ("say\n/merge\n  /close", "say\\n&#47;merge\\n  &#47;close"),
        ("/approve", "&#47;approve"),
        ("x \\n/merge", "x &#92;n/merge"),
        ("", ""),
    ],
)
def test_a_body_is_one_line_that_commands_nothing(body: str, line: str) -> None:
    assert described(body) == line


def test_a_title_is_one_line_and_no_longer_than_its_field(
    user: UserRepository, tmp_path: Path
) -> None:
    FORGE.open(replace(change(user), title="a\n" * 300, body=""))

    options = (tmp_path / "origin.git" / "push-options").read_text().splitlines()
    assert options[2] == "merge_request.title=" + " ".join("a" * 128)
    assert len(options) == 3


def test_a_missing_remote_is_said_before_any_work(user: UserRepository) -> None:
    with pytest.raises(ForgeFault) as refused:
        GitLab(remote="upstream").check(user.repository)

    assert refused.value.usage
    assert str(refused.value) == (
        'no remote is named "upstream": add it (git remote add upstream URL)'
    )
    FORGE.check(user.repository)


def test_a_remote_that_takes_no_options_is_said(user: UserRepository, tmp_path: Path) -> None:
    git(tmp_path / "origin.git", "config", "receive.advertisePushOptions", "false")

    with pytest.raises(ForgeFault) as refused:
        FORGE.open(change(user))

    assert str(refused.value).endswith(
        "(the remote is no GitLab, or its administrator has switched push options off)"
    )


def test_a_refused_push_is_quoted_and_nothing_is_forced(
    user: UserRepository, tmp_path: Path
) -> None:
    FORGE.open(change(user))
    user.git("commit", "--quiet", "--amend", "-m", "feat: another")

    with pytest.raises(ForgeFault) as refused:
        FORGE.open(change(user))

    assert "non-fast-forward" in str(refused.value) or "fetch first" in str(refused.value)
    assert git(tmp_path / "origin.git", "rev-parse", BRANCH) != user.git("rev-parse", BRANCH)
