"""Where work begins and ends, and the files that it changes, also in hostile histories."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from verify.submissions.history.faults import BeyondLimits
from verify.submissions.history.work import BranchWork, changes_of, work_on

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.stubs.repositories import UserRepository
    from verify.submissions.history.history import History

    Opened = Callable[[Path], History]
    Told = Callable[[str], tuple[BranchWork | None, History]]


BRANCH = "feature/issue-7-health"
MAIN = "refs/heads/main"


@pytest.fixture
def message(
    work: UserRepository, history_in: Opened
) -> Callable[[str], tuple[BranchWork | None, History]]:
    """Return what tells of the work that a commit belongs to, after the test has done its part."""

    def of(commit: str) -> tuple[BranchWork | None, History]:
        history = history_in(work.folder)
        return work_on(history, BRANCH, commit), history

    return of


@pytest.mark.parametrize("then", ["open", "merged"])
def test_a_line_that_only_a_merge_brought_in_is_shared_as_well(
    then: str, work: UserRepository, message: Told
) -> None:
    tip, base = work.git("rev-parse", BRANCH), work.git("merge-base", "main", BRANCH)
    tree = work.git("rev-parse", "main^{tree}")
    root = work.git("commit-tree", "-m", "chore: begin anew", tree)
    head = work.git("commit-tree", "-m", "Merge what was", "-p", root, "-p", base, tree)
    merge = ""
    if then == "merged":
        merge = head = work.git("commit-tree", "-m", "Merge", "-p", head, "-p", tip, tree)
    work.git("update-ref", MAIN, head)

    assert message(tip)[0] == BranchWork(tip, tip, "main", (base,), merge)


def test_a_branch_that_shares_nothing_is_work_from_its_first_commit(
    work: UserRepository, message: Told
) -> None:
    tip, tree = work.git("rev-parse", BRANCH), work.git("rev-parse", "main^{tree}")
    work.git("update-ref", MAIN, work.git("commit-tree", "-m", "chore: begin anew", tree))

    assert message(tip)[0] == BranchWork(tip, tip, "main", ("",))


def test_where_main_has_the_work_it_may_begin_at_any_of_the_nearest_commits(
    work: UserRepository, message: Told
) -> None:
    work.git("switch", "--quiet", BRANCH)
    tips = [work.commit(f"chore: {n}") for n in range(3)]
    work.git("update-ref", MAIN, tips[-1])
    found, history = message(tips[-1])
    assert found is not None
    bases = [base for base, _ in changes_of(history, found, tips[-1], [], most=9)]

    assert (found.bases, found.doubt) == (
        (),
        'git cannot tell where the work begins, because "main" already contains all or part of it',
    )
    assert bases == [*tips[1::-1], *work.git("rev-list", f"{tips[0]}^").split()]


@pytest.fixture
def both(work: UserRepository) -> tuple[str, str]:
    """Return two commits with every kind of change between them."""
    work.commit("chore: before", **{f"kept/{n}.txt": "k" for n in range(3)}, file="f")
    work.write("kept/run.sh").chmod(0o644)
    work.write("gone/deep/down.txt")
    work.write("old-name.txt", "the same\n" * 9)
    work.write("folder-then-file/a.txt")
    before = work.commit("chore: and before")
    (work.folder / "kept/run.sh").chmod(0o755)
    work.git("mv", "old-name.txt", "new-name.txt")
    work.git("rm", "-r", "--quiet", "gone", "folder-then-file", "file")
    work.write("folder-then-file", "now a file")
    work.write("file/below.txt", "now a folder")
    work.write("kept/\u00e9t\u00e9 [1].txt")
    os.symlink("run.sh", work.folder / "kept/link")
    return before, work.commit("feat: after")


def listed(work: UserRepository, *commits: str) -> list[str]:
    message = work.git("diff", "--name-only", "--no-renames", "-z", *commits)
    return sorted(message.rstrip("\0").split("\0"))


def test_every_kind_of_change_is_found(
    both: tuple[str, str], work: UserRepository, history_in: Opened
) -> None:
    history = history_in(work.folder)

    assert list(history.changes(*both)) == listed(work, *both)


def test_without_a_commit_before_every_file_is_new(
    both: tuple[str, str], work: UserRepository, history_in: Opened
) -> None:
    history = history_in(work.folder)
    nothing = work.git("hash-object", "-t", "tree", "/dev/null")

    assert list(history.changes("", both[1])) == listed(work, nothing, both[1])


def test_more_names_than_are_looked_at_are_beyond(
    both: tuple[str, str], work: UserRepository, history_in: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("verify.submissions.history.history.MAX_ENTRIES", 3)
    history = history_in(work.folder)

    with pytest.raises(BeyondLimits, match=r"it has changes in folders with over 3 names"):
        history.changes(*both)


def test_a_commit_has_a_file_at_a_path_or_not(
    both: tuple[str, str], work: UserRepository, history_in: Opened
) -> None:
    history = history_in(work.folder)
    there = ["kept/1.txt", "kept/link", "folder-then-file"]
    absent = ["kept", "kept/9.txt", "gone/deep/down.txt", "folder-then-file/a.txt"]

    assert [path for path in there + absent if history.has_file(both[1], path)] == there
