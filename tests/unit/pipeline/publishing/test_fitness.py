"""What would mix others' changes into the work, or stop it, is found before an agent works."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pipeline.git.repository import Repository
from pipeline.publishing.publish import CannotPublish, Work, prepare, publish
from tests.stubs.repositories import UserRepository, git

if TYPE_CHECKING:
    from pathlib import Path

    from pipeline.forges.base import Forge

BRANCH = "feature/issue-202-page-through-the-list"
IDENTITY = ("GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL")


def refusal(repository: Repository, work: Work) -> str:
    with pytest.raises(CannotPublish) as refused:
        prepare(repository, work)
    assert refused.value.usage
    return str(refused.value)


def silent(line: str) -> None:
    assert line


def test_a_folder_in_no_repository_is_refused(
    tmp_path: Path, asked: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    folder = tmp_path / "plain"
    folder.mkdir()

    assert refusal(Repository(str(folder)), asked) == (
        f"{folder} is in no git repository: make one (git init) with a first commit"
    )


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path, asked: Work) -> None:
    assert "cannot change to" in refusal(Repository(str(tmp_path / "gone")), asked)


def test_a_bare_repository_is_refused(tmp_path: Path, asked: Work) -> None:
    git(tmp_path, "init", "--quiet", "--bare", "bare.git")
    folder = tmp_path / "bare.git"

    assert refusal(Repository(str(folder)), asked) == (
        f"{folder} is a bare repository, without files: run it in a clone"
    )


def test_a_folder_inside_a_repository_is_refused(user: UserRepository, asked: Work) -> None:
    folder = user.folder / "src"

    assert refusal(Repository(str(folder)), asked) == (
        f"{folder} is a folder of the repository {user.folder}: run it there"
    )


def test_a_link_to_a_repository_is_that_repository(
    user: UserRepository, asked: Work, tmp_path: Path
) -> None:
    (tmp_path / "link").symlink_to(user.folder)

    prepare(Repository(str(tmp_path / "link")), asked)


def test_a_target_that_is_a_submodule_is_refused(
    user: UserRepository, asked: Work, tmp_path: Path
) -> None:
    inner = UserRepository(tmp_path / "inner")
    inner.commit()
    allow = ("-c", "protocol.file.allow=always")
    user.git(*allow, "submodule", "--quiet", "add", str(inner.folder), "sandbox")
    user.commit("chore: add a submodule")

    assert refusal(user.repository, replace(asked, target="sandbox")) == (
        'the target "sandbox" is a repository of its own (a submodule): run it in there'
    )
    prepare(user.repository, asked)


@pytest.mark.parametrize(
    ("begun", "said"),
    [
        (
            ("merge", "side"),
            "a merge is under way: end it first (git merge --continue, or --abort)",
        ),
        (
            ("cherry-pick", "side"),
            "a cherry-pick is under way: end it first (git cherry-pick --continue, or --abort)",
        ),
        (
            ("revert", "HEAD~1"),
            "a revert is under way: end it first (git revert --continue, or --abort)",
        ),
    ],
)
def test_a_command_that_waits_for_its_user_is_ended_first(
    user: UserRepository, asked: Work, begun: tuple[str, ...], said: str
) -> None:
    conflicting(user)
    assert user.repository.attempt(*begun).returncode == 1

    assert refusal(user.repository, asked) == said


def test_a_rebase_is_ended_first(user: UserRepository, asked: Work) -> None:
    conflicting(user)
    assert user.repository.attempt("rebase", "side").returncode == 1

    assert refusal(user.repository, replace(asked, base="main")) == (
        "a rebase is under way: end it first (git rebase --continue, or --abort)"
    )


def test_a_bisection_is_ended_first(user: UserRepository, asked: Work) -> None:
    user.git("bisect", "start")

    assert "a bisection is under way" in refusal(user.repository, asked)


def conflicting(user: UserRepository) -> None:
    """Give `main` and `side` other contents of the same line."""
    user.git("branch", "side")
    user.commit("feat: one", **{"src/app.py": "x = 10\n"})
    user.commit("feat: two", **{"src/app.py": "x = 11\n"})
    user.git("switch", "--quiet", "side")
    user.commit("feat: three", **{"src/app.py": "x = 20\n"})
    user.git("switch", "--quiet", "main")


def test_files_in_conflict_are_settled_first(user: UserRepository, asked: Work) -> None:
    conflicting(user)
    user.write("src/app.py", "x = 12\n")
    user.git("stash", "--quiet")
    user.git("reset", "--quiet", "--hard", "side")
    assert user.repository.attempt("stash", "pop").returncode == 1

    assert refusal(user.repository, asked) == (
        'files are in conflict: "src/app.py"; settle that first (git status)'
    )


@pytest.mark.parametrize("change", ["new", "changed", "deleted", "deleted from the index"])
def test_staged_changes_of_others_are_refused_and_stay(
    worked: UserRepository, work: Work, forge: Forge, change: str
) -> None:
    if change in {"new", "changed"}:
        worked.write("README.md" if change == "changed" else "new.md", "mine\n")
        worked.git("add", "README.md" if change == "changed" else "new.md")
    else:
        worked.git("rm", "--quiet", *(["--cached"] * (change != "deleted")), "README.md")
    before = worked.git("ls-files", "--stage")
    name = "new.md" if change == "new" else "README.md"
    said = (
        f'there are staged changes that are not this issue\'s: "{name}"; commit them, or take them'
        " off the index (git restore --staged PATH)"
    )

    assert refusal(worked.repository, replace(work, files=())) == said
    with pytest.raises(CannotPublish) as refused:
        publish(worked.repository, forge, work, silent)

    assert str(refused.value) == said
    assert worked.git("ls-files", "--stage") == before
    assert worked.branches() == ["main"]


def test_what_the_worker_staged_itself_is_no_stop(
    worked: UserRepository, work: Work, forge: Forge
) -> None:
    worked.git("add", "src")

    assert publish(worked.repository, forge, work, silent).branch == BRANCH


def test_a_file_that_is_only_announced_to_git_is_no_stop(
    worked: UserRepository, work: Work, forge: Forge
) -> None:
    worked.write("plan.txt")
    worked.git("add", "--intent-to-add", "plan.txt")

    publish(worked.repository, forge, work, silent)

    assert worked.repository.changes() == {"plan.txt": ".A"}


def test_without_a_name_and_an_address_nothing_begins(
    user: UserRepository, asked: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    user.git("config", "--unset", "user.email")
    user.git("config", "user.useConfigOnly", "true")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    for name in (*IDENTITY, "EMAIL"):
        monkeypatch.delenv(name, raising=False)

    assert refusal(user.repository, asked) == (
        "git does not know whose commit it would be: set it (git config user.name NAME;"
        " git config user.email ADDRESS)"
    )


def test_a_branch_named_feature_leaves_no_room(user: UserRepository, asked: Work) -> None:
    user.git("branch", "feature")

    assert refusal(user.repository, asked) == (
        f'a branch "feature" leaves no room for "{BRANCH}": rename it (git branch -m feature other)'
    )
