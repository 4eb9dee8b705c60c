"""What is checked out settles base and branch; where it cannot, one line says what to do."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pipeline.publishing.publish import CannotPublish, Work, committed, prepare
from pipeline.publishing.standing import base_key, look
from tests.stubs.repositories import UserRepository, remote_for

if TYPE_CHECKING:
    from pathlib import Path

BRANCH = "feature/issue-202-page-through-the-list"


def refusal(user: UserRepository, work: Work) -> str:
    with pytest.raises(CannotPublish) as refused:
        prepare(user.repository, work)
    assert refused.value.usage
    return str(refused.value)


def test_the_base_is_the_branch_that_is_checked_out(user: UserRepository, asked: Work) -> None:
    user.git("switch", "--quiet", "-c", "develop")

    standing = look(user.repository, asked)

    assert (standing.branch, standing.base) == (BRANCH, "develop")
    assert (standing.base_ref, standing.tip, standing.ours) == ("refs/heads/develop", "", "")


def test_a_feature_branch_of_no_issue_is_a_base_like_any_other(
    user: UserRepository, asked: Work
) -> None:
    user.git("switch", "--quiet", "-c", "feature/paging")

    assert look(user.repository, asked).base == "feature/paging"


def test_the_branch_of_another_issue_is_no_base_unless_it_is_named(
    user: UserRepository, asked: Work
) -> None:
    other = "feature/issue-303-roles"
    user.git("switch", "--quiet", "-c", other)

    assert refusal(user, asked) == (
        f'"{other}" is checked out, the branch of ISSUE-303, not of ISSUE-202: switch to the base'
        " (git switch main), or build on that branch (--base)"
    )
    prepare(user.repository, replace(asked, base=other))


def test_on_the_issues_branch_the_base_is_that_of_origin(
    user: UserRepository, asked: Work, tmp_path: Path
) -> None:
    remote_for(user, tmp_path / "origin.git")
    user.git("branch", "master")
    user.git("switch", "--quiet", "-c", BRANCH)

    assert look(user.repository, asked).base == "main"


@pytest.mark.parametrize("name", ["main", "master", "trunk"])
def test_on_the_issues_branch_the_base_is_the_only_usual_one(
    user: UserRepository, asked: Work, name: str
) -> None:
    user.git("config", "init.defaultBranch", "trunk")
    user.git("switch", "--quiet", "-c", BRANCH)
    user.git("branch", "-m", "main", name)

    assert look(user.repository, asked).base == name


def test_two_usual_bases_are_a_question(user: UserRepository, asked: Work) -> None:
    user.git("branch", "master")
    user.git("switch", "--quiet", "-c", BRANCH)

    assert refusal(user, asked) == (
        f'the base of "{BRANCH}" is not known (found "main", "master"): name it (--base main)'
    )


def test_no_usual_base_is_a_question(user: UserRepository, asked: Work) -> None:
    user.git("branch", "-m", "main", BRANCH)

    assert refusal(user, asked) == (
        f'the base of "{BRANCH}" is not known (there is no main or master): name it (--base main)'
    )


def test_the_base_that_was_settled_once_stays_unless_another_is_named(
    user: UserRepository, asked: Work
) -> None:
    user.git("branch", "develop")
    user.git("switch", "--quiet", "-c", BRANCH)
    user.git("config", base_key(BRANCH), "develop")

    assert look(user.repository, asked).base == "develop"
    assert look(user.repository, replace(asked, base="main")).base == "main"


def test_a_base_may_be_one_of_origin_only(
    user: UserRepository, asked: Work, tmp_path: Path
) -> None:
    remote_for(user, tmp_path / "origin.git")
    user.git("branch", "-m", "main", "mine")

    standing = look(user.repository, replace(asked, base="main"))

    assert (standing.base, standing.base_ref) == ("main", "refs/remotes/origin/main")


@pytest.mark.parametrize("base", ["nowhere", "HEAD", "main~0"])
def test_a_base_that_is_no_branch_is_refused(user: UserRepository, asked: Work, base: str) -> None:
    assert "branch" in refusal(user, replace(asked, base=base))


@pytest.mark.parametrize("name", ["-x", "@{-1}", "a..b", "a b", "feature/", "x\ny"])
def test_a_base_that_git_takes_for_no_branch_is_refused(
    user: UserRepository, asked: Work, name: str
) -> None:
    user.git("switch", "--quiet", "-c", "develop")  # so that @{-1} is a branch

    assert refusal(user, replace(asked, base=name)).endswith(
        "is no branch name (git check-ref-format)"
    )


@pytest.mark.parametrize("name", ["-x", "main", "feature/", "feature/a.b", "feature/a/b"])
def test_a_branch_that_the_artifact_could_not_name_is_refused(
    user: UserRepository, asked: Work, name: str
) -> None:
    assert refusal(user, replace(asked, branch=name)) == (
        f'"{name}" is not feature/<slug>, such as feature/issue-7-health'
    )


def test_a_base_that_is_another_commit_is_refused_before_the_work(
    user: UserRepository, asked: Work
) -> None:
    user.git("branch", "old")
    user.commit("chore: more")

    assert refusal(user, replace(asked, base="old")) == (
        'the base "old" is another commit than the one that is checked out: switch to it first'
        " (git switch old)"
    )


def test_a_detached_head_is_refused_unless_the_base_is_that_commit(
    user: UserRepository, asked: Work
) -> None:
    user.git("switch", "--quiet", "--detach")

    assert refusal(user, asked) == (
        "HEAD is detached: switch to a branch (git switch main) or name the base (--base main)"
    )
    prepare(user.repository, replace(asked, base="main"))


def test_a_repository_without_a_commit_is_refused(tmp_path: Path, asked: Work) -> None:
    user = UserRepository(tmp_path / "new")

    assert refusal(user, asked) == (
        "the repository has no commit yet: make a first commit"
        " (git commit --allow-empty -m 'chore: begin')"
    )


def test_a_branch_of_that_name_with_other_commits_is_refused(
    user: UserRepository, asked: Work
) -> None:
    user.git("switch", "--quiet", "-c", BRANCH)
    sha = user.commit("feat: something of mine")

    message = (
        f'the branch "{BRANCH}" has commits, and none says \'Refs: ISSUE-202\' ("{sha[:10]}"):'
        " rename it (git branch -m), or name another (--branch)"
    )
    assert refusal(user, asked) == message
    user.git("switch", "--quiet", "main")
    assert refusal(user, asked) == message
    prepare(user.repository, replace(asked, branch="feature/issue-202-again"))


def test_a_commit_that_refers_to_another_issue_is_not_ours(
    user: UserRepository, asked: Work
) -> None:
    user.git("switch", "--quiet", "-c", BRANCH)
    user.commit("feat: more\n\nRefs: ISSUE-2")

    assert "none says 'Refs: ISSUE-202'" in refusal(user, asked)
    assert committed(user.repository, asked) == ""


def test_a_commit_that_the_base_has_is_not_the_works(user: UserRepository, asked: Work) -> None:
    user.commit("feat: before\n\nRefs: ISSUE-202")
    user.git("switch", "--quiet", "-c", BRANCH)

    assert committed(user.repository, asked) == ""


def test_asking_for_the_commit_outside_a_repository_is_refused(tmp_path: Path, asked: Work) -> None:
    user = UserRepository(tmp_path / "new")

    with pytest.raises(CannotPublish):
        committed(user.repository, asked)
