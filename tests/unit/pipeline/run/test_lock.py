"""One run at a time, of an issue and in a work tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pipeline.run.lock import only_run
from pipeline.terminal.fault import Fault

if TYPE_CHECKING:
    from pathlib import Path


def test_a_second_run_of_an_issue_is_refused_while_the_first_continues(tmp_path: Path) -> None:
    folder, git = str(tmp_path / ".pipeline" / "ISSUE-7"), str(tmp_path)

    with (
        only_run(folder, git, "ISSUE-7"),
        pytest.raises(Fault) as caught,
        only_run(folder, git, "ISSUE-7"),
    ):
        raise AssertionError("both run")

    assert str(caught.value) == "another run of ISSUE-7 is in progress: wait for it, or stop it"


def test_a_run_of_another_issue_is_refused_in_the_same_work_tree_and_leaves_no_folder(
    tmp_path: Path,
) -> None:
    with (
        only_run(str(tmp_path / "ISSUE-7"), str(tmp_path), "ISSUE-7"),
        pytest.raises(Fault) as caught,
        only_run(str(tmp_path / "ISSUE-8"), str(tmp_path), "ISSUE-8"),
    ):
        raise AssertionError("both run")

    assert str(caught.value).startswith("a run of a different issue is in progress here")
    assert not (tmp_path / "ISSUE-8").exists()


def test_after_a_run_the_next_may_begin_and_no_empty_folder_is_left(tmp_path: Path) -> None:
    folder = tmp_path / ".pipeline" / "ISSUE-7"
    for _ in range(2):
        with only_run(str(folder), str(tmp_path), "ISSUE-7"):
            assert folder.is_dir()

    assert not (tmp_path / ".pipeline").exists()
