"""Ancestors are found as `git merge-base --is-ancestor` finds them, in shallow clones as well."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pipeline.files import Unreadable
from tests.stubs.repositories import git
from verify.history.work import Work, work_on

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.stubs.repositories import UserRepository
    from verify.history.history import History

    Opened = Callable[[Path], History]


@pytest.fixture
def line(work: UserRepository) -> list[str]:
    """Return nine commits of a branch, the earliest first."""
    return [work.commit(f"chore: {number}") for number in range(9)]


def test_ancestors_are_held_and_later_commits_are_not(
    line: list[str], work: UserRepository, history_in: Opened
) -> None:
    history = history_in(work.folder)

    assert [name in history.ancestors(line[5]) for name in line] == [True] * 6 + [False] * 3


def test_between_two_commits_is_all_that_has_the_first_before_it(
    line: list[str], work: UserRepository, history_in: Opened
) -> None:
    history = history_in(work.folder)

    assert history.between(line[6], line[8]) == set(line[6:])
    assert history.between(line[8], line[6]) == set()


def shallow(work: UserRepository, folder: Path, depth: int) -> Path:
    words = ("--depth", f"{depth}", "--no-single-branch", work.folder.as_uri(), "clone")
    git(folder, "clone", "--quiet", *words)
    return folder / "clone"


def test_work_that_a_shallow_clone_has_is_found_with_its_beginning(
    line: list[str], work: UserRepository, tmp_path: Path, history_in: Opened
) -> None:
    work.git("switch", "--quiet", "-c", "feature/beside", line[7])
    tip = work.commit("feat: beside")
    work.git("switch", "--quiet", "main")
    work.git("reset", "--quiet", "--hard", line[8])
    history = history_in(shallow(work, tmp_path, 3))

    assert history.cut == "the clone is shallow (git fetch --unshallow)"
    assert work_on(history, "feature/beside", tip) == Work(tip, "main", (line[7],))


def test_work_whose_beginning_a_shallow_clone_lacks_is_refused(
    line: list[str], work: UserRepository, tmp_path: Path, history_in: Opened
) -> None:
    work.git("switch", "--quiet", "-c", "feature/beside", line[3])
    tip = work.commit("feat: beside")
    work.git("switch", "--quiet", "main")
    work.git("reset", "--quiet", "--hard", line[8])
    history = history_in(shallow(work, tmp_path, 2))

    with pytest.raises(Unreadable, match="does not have where the work begins: the clone is shal"):
        work_on(history, "feature/beside", tip)
