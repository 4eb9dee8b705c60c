"""A file that cannot be committed stops the work by its name, before the branch is made."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pipeline.publishing.files import changed_files
from pipeline.publishing.work import CannotPublish, Work
from tests.stubs.repositories import UserRepository

if TYPE_CHECKING:
    from pathlib import Path


def refusal(user: UserRepository, work: Work, *files: str) -> str:
    with pytest.raises(CannotPublish) as refused:
        changed_files(user.repository, replace(work, files=files), print)
    assert not refused.value.usage
    return str(refused.value)


def test_only_the_files_with_a_change_are_returned_and_the_others_told(
    worked: UserRepository, work: Work
) -> None:
    told: list[str] = []
    work = replace(work, files=("README.md", "src/page.py", "src/app.py"))

    assert changed_files(worked.repository, work, told.append) == ["src/page.py", "src/app.py"]
    assert told == ['as before, so not in the commit: "README.md"']


def test_nothing_to_commit_is_said(user: UserRepository, work: Work) -> None:
    assert refusal(user, work, "src/app.py") == 'nothing to commit: "src/app.py" as before'
    assert refusal(user, work) == "nothing to commit: no file was named"


def test_an_ignored_file_is_named_with_its_rule(user: UserRepository, work: Work) -> None:
    user.commit(**{".gitignore": "*.log\n.env*\n"})
    user.write(".env.local", "secret\n")

    assert refusal(user, work, ".env.local") == (
        '".env.local" is ignored by .gitignore:2 (.env*): git would not commit it'
    )


def test_an_ignored_file_with_an_odd_name_is_named_with_its_rule(
    user: UserRepository, work: Work
) -> None:
    user.commit(**{".gitignore": "*.log\n"})
    user.write(":(glob)*.log")

    assert refusal(user, work, ":(glob)*.log") == (
        '":(glob)*.log" is ignored by .gitignore:1 (*.log): git would not commit it'
    )


def test_a_tracked_file_is_committed_though_a_rule_ignores_it(
    user: UserRepository, work: Work
) -> None:
    user.write("kept.log")
    user.git("add", "kept.log")
    user.commit(**{".gitignore": "*.log\n"})
    user.write("kept.log", "more\n")

    assert changed_files(user.repository, replace(work, files=("kept.log",)), print) == ["kept.log"]


def test_a_missing_file_is_named(user: UserRepository, work: Work) -> None:
    assert refusal(user, work, "src/gone.py") == (
        '"src/gone.py" is not there, and git does not know it either'
    )


@pytest.mark.parametrize("folder", ["src", "fresh"])
def test_a_folder_is_refused(user: UserRepository, work: Work, folder: str) -> None:
    user.write("fresh/a.py")
    user.write("src/b.py")

    assert refusal(user, work, folder) == (
        f'"{folder}" is a folder: name the files in it, one by one'
    )


@pytest.mark.parametrize("path", ["../x", "/etc/passwd", "a/../../x", "", "./src/app.py", "C:/x"])
def test_a_path_that_leaves_the_repository_is_refused(
    user: UserRepository, work: Work, path: str
) -> None:
    assert refusal(user, work, path).endswith("is no path of a file inside the repository")


def test_a_file_beyond_a_link_is_refused(user: UserRepository, work: Work, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("x\n")
    (user.folder / "link").symlink_to(tmp_path)

    assert refusal(user, work, "link/secret") == (
        '"link/secret" lies beyond a symbolic link: name the file where it is'
    )


def test_a_link_is_committed_as_a_link(user: UserRepository, work: Work) -> None:
    (user.folder / "link").symlink_to("src")

    assert changed_files(user.repository, replace(work, files=("link",)), print) == ["link"]


def test_a_file_of_a_repository_inside_is_refused(user: UserRepository, work: Work) -> None:
    inner = UserRepository(user.folder / "inner")
    inner.write("a.py")

    assert refusal(user, work, "inner/a.py") == (
        '"inner/a.py" lies in a repository of its own (a submodule)'
    )


def test_a_file_of_gits_own_folder_is_refused(user: UserRepository, work: Work) -> None:
    assert refusal(user, work, ".git/config").endswith("is no path of a file inside the repository")
