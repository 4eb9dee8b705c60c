"""Where work begins and ends, in histories that are odd, large or hostile."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from verify.history.work import MAX_BASES, Work, work_on

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.stubs.repositories import UserRepository
    from verify.history.history import History

    Opened = Callable[[Path], History]
    Told = Callable[[str], tuple[Work | None, History]]

BRANCH = "feature/issue-7-health"
REF, MAIN = f"refs/heads/{BRANCH}", "refs/heads/main"


@pytest.fixture
def told(work: UserRepository, history_in: Opened) -> Callable[[str], tuple[Work | None, History]]:
    """Return what tells of the work that a commit belongs to, after the test has done its part."""

    def of(commit: str) -> tuple[Work | None, History]:
        history = history_in(work.folder)
        return work_on(history, BRANCH, commit), history

    return of


@pytest.mark.parametrize("then", ["open", "merged"])
def test_a_line_that_only_a_merge_brought_in_is_shared_as_well(
    then: str, work: UserRepository, told: Told
) -> None:
    tip, base = work.git("rev-parse", BRANCH), work.git("merge-base", "main", BRANCH)
    tree = work.git("rev-parse", "main^{tree}")
    root = work.git("commit-tree", "-m", "chore: begin anew", tree)
    head = work.git("commit-tree", "-m", "Merge what was", "-p", root, "-p", base, tree)
    merge = ""
    if then == "merged":
        merge = head = work.git("commit-tree", "-m", "Merge", "-p", head, "-p", tip, tree)
    work.git("update-ref", MAIN, head)

    assert told(tip)[0] == Work(tip, "main", (base,), merge)


def test_a_branch_that_shares_nothing_is_work_from_its_first_commit(
    work: UserRepository, told: Told
) -> None:
    tip, tree = work.git("rev-parse", BRANCH), work.git("rev-parse", "main^{tree}")
    work.git("update-ref", MAIN, work.git("commit-tree", "-m", "chore: begin anew", tree))

    assert told(tip)[0] == Work(tip, "main", ("",))


def test_of_too_many_commits_at_which_work_may_begin_none_is_looked_at(
    work: UserRepository, told: Told
) -> None:
    work.git("switch", "--quiet", BRANCH)
    tips = [work.commit(f"chore: {n}") for n in range(MAX_BASES)]
    work.git("update-ref", MAIN, tips[-1])
    found = told(tips[-1])[0]
    assert found is not None

    assert (found.bases, found.doubt) == (
        (),
        'git cannot tell where the work begins: "main" already has it, or a part of it',
    )
