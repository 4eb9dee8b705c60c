"""A file that cannot be committed stops the work by its name, before the branch is made."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pipeline.publishing.files import changed_files
from pipeline.publishing.publish import CannotPublish, Work
from tests.stubs.repositories import UserRepository

if TYPE_CHECKING:
    from pathlib import Path

NO_PATH = "is no path of a file inside the repository"


def test_only_the_files_with_a_change_are_returned_and_the_others_told(
    worked: UserRepository, work: Work
) -> None:
    told: list[str] = []
    work = replace(work, files=("README.md", "src/page.py", "src/app.py"))

    assert changed_files(worked.repository, work, told.append) == ["src/page.py", "src/app.py"]
    assert told == ['as before, so not in the commit: "README.md"']


def test_a_tracked_file_that_a_rule_ignores_and_a_link_are_committed(
    user: UserRepository, work: Work
) -> None:
    user.write("kept.log")
    user.git("add", "kept.log")
    user.commit(**{".gitignore": "*.log\n"})
    user.write("kept.log", "more\n")
    (user.folder / "link").symlink_to("src")

    names = ["kept.log", "link"]
    assert changed_files(user.repository, replace(work, files=tuple(names)), print) == names


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ([], "nothing to commit: no file was named"),
        (["src/app.py"], 'nothing to commit: "src/app.py" as before'),
        (
            [".env.local"],
            '".env.local" is ignored by .gitignore:2 (.env*): git would not commit it',
        ),
        (
            [":(glob)*.log"],
            '":(glob)*.log" is ignored by .gitignore:1 (*.log): git would not commit it',
        ),
        (["src/gone.py"], '"src/gone.py" is not there, and git does not know it either'),
        (["src"], '"src" is a folder: name the files in it, one by one'),
        (["fresh"], '"fresh" is a folder: name the files in it, one by one'),
        (["../x"], f'"../x" {NO_PATH}'),
        (["/etc/passwd"], f'"/etc/passwd" {NO_PATH}'),
        (["a/../../x"], f'"a/../../x" {NO_PATH}'),
        ([""], f'"" {NO_PATH}'),
        ([".git/config"], f'".git/config" {NO_PATH}'),
        (["link/secret"], '"link/secret" lies beyond a symbolic link: name the file where it is'),
        (["inner/a.py"], '"inner/a.py" lies in a repository of its own (a submodule)'),
    ],
)
def test_a_file_that_cannot_be_committed_is_named_with_the_reason(
    user: UserRepository, work: Work, tmp_path: Path, files: list[str], said: str
) -> None:
    user.commit(**{".gitignore": "*.log\n.env*\n"})
    for name in (".env.local", ":(glob)*.log", "fresh/a.py", "src/b.py"):
        user.write(name)
    UserRepository(user.folder / "inner").write("a.py")
    (tmp_path / "secret").write_text("x\n")
    (user.folder / "link").symlink_to(tmp_path)

    with pytest.raises(CannotPublish) as refused:
        changed_files(user.repository, replace(work, files=tuple(files)), print)

    assert (str(refused.value), refused.value.usage) == (said, False)
