"""Ancestors are found as `git merge-base --is-ancestor` finds them, without reading all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pipeline.reading import Unreadable
from tests.stubs.repositories import git

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.stubs.repositories import UserRepository
    from verify.history.history import History

    Opened = Callable[[Path], History]

DAY = 86_400


@pytest.fixture
def line(work: UserRepository, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return nine commits of a branch, three days apart, the earliest first."""
    made = []
    for number in range(9):
        when = f"{1_700_000_000 + number * 3 * DAY} +0000"
        monkeypatch.setenv("GIT_COMMITTER_DATE", when)
        made.append(work.commit(f"chore: {number}"))
    return made


def test_ancestors_are_held_and_later_commits_are_not(
    line: list[str], work: UserRepository, history_in: Opened
) -> None:
    history = history_in(work.folder)

    assert [history.past(line[5]).holds(name) for name in line] == [True] * 6 + [False] * 3


def test_a_date_hides_no_ancestor(
    line: list[str], work: UserRepository, history_in: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    work.git("switch", "--quiet", "--detach", line[4])
    for seconds in (900, 800, 1000):
        monkeypatch.setenv("GIT_COMMITTER_DATE", f"@{seconds} +0000")
        early = work.commit("feat: in 1970")
    history = history_in(work.folder)

    assert [history.past(early).holds(name) for name in line] == [True] * 5 + [False] * 4


def test_what_came_through_a_commit_is_all_that_has_it_before_it(
    line: list[str], work: UserRepository, history_in: Opened
) -> None:
    history = history_in(work.folder)

    assert history.past(line[8]).through(line[6]) == set(line[6:])
    assert history.past(line[6]).through(line[8]) == set()


def test_where_a_part_is_missing_a_no_is_refused_and_a_yes_is_not(
    line: list[str], work: UserRepository, tmp_path: Path, history_in: Opened
) -> None:
    url = work.folder.as_uri()
    git(tmp_path, "clone", "--quiet", "--depth", "2", "--no-single-branch", url, "clone")
    history = history_in(tmp_path / "clone")
    past = history.past(line[8])
    branch = git(tmp_path / "clone", "rev-parse", "origin/feature/issue-7-health")

    assert past.holds(line[7])
    with pytest.raises(Unreadable, match="the clone is shallow"):
        past.holds(branch)


def test_a_no_is_certain_where_all_that_is_missing_comes_before_the_other_commit(
    line: list[str], work: UserRepository, tmp_path: Path, history_in: Opened
) -> None:
    work.git("switch", "--quiet", "-c", "beside", line[7])
    side = work.commit("feat: beside")
    words = ("--depth", "3", "--no-single-branch", work.folder.as_uri(), "clone")
    git(tmp_path, "clone", "--quiet", *words)
    history = history_in(tmp_path / "clone")

    assert history.is_cut
    assert not history.past(line[8]).holds(side)
    assert not history.past(side).holds(line[8])
