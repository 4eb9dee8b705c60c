"""The system's notices about real folders, and looking now and then where it gives none."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import pytest

from verify.watching import notices as module
from verify.watching.notices import Notices

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LONG = 30.0  # s; a notice that does not come makes a test fail, not hang


@pytest.fixture
def notices() -> Iterator[Notices]:
    with Notices() as watched:
        yield watched


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Return the pauses that were made instead of waiting for a notice."""
    pauses: list[float] = []
    monkeypatch.setattr("verify.watching.notices.time.sleep", pauses.append)
    return pauses


def is_prompt(notices: Notices, folders: frozenset[str]) -> bool:
    """Tell whether a wait ends by a notice, long before its time."""
    start = notices.now()
    notices.wait(folders, LONG)
    return notices.now() - start < LONG / 2


def test_new_folders_are_looked_at_at_once_and_a_file_written_between_two_waits_is_told(
    notices: Notices, tmp_path: Path, slept: list[float]
) -> None:
    folders = frozenset({str(tmp_path)})
    at_once = is_prompt(notices, folders)
    (tmp_path / "plan.json").touch()

    assert at_once
    assert is_prompt(notices, folders)
    assert slept == []


def test_a_folder_that_was_removed_and_made_again_is_watched_again(
    notices: Notices, tmp_path: Path, slept: list[float]
) -> None:
    issue = tmp_path / "ISSUE-7"
    issue.mkdir()
    folders = frozenset({str(tmp_path), str(issue)})
    notices.wait(folders, LONG)
    shutil.rmtree(issue)
    issue.mkdir()
    notices.wait(folders, LONG)  # the notice of that
    notices.wait(folders, LONG)  # watches the new folder, and returns at once
    (issue / "plan.json").touch()

    assert is_prompt(notices, folders)
    assert slept == []


def test_a_subfolder_is_not_looked_into(notices: Notices, tmp_path: Path) -> None:
    (tmp_path / "node_modules").mkdir()
    folders = frozenset({str(tmp_path)})
    notices.wait(folders, LONG)
    (tmp_path / "node_modules" / "index.js").touch()
    start = notices.now()
    notices.wait(folders, 0.2)

    assert notices.now() - start > 0.15


@pytest.mark.parametrize("folders", [frozenset(), frozenset({"/missing/folder"})])
def test_where_nothing_can_be_watched_one_looks_now_and_then(
    notices: Notices, slept: list[float], folders: frozenset[str]
) -> None:
    for seconds in (LONG, LONG, 0.05):
        notices.wait(folders, seconds)

    assert slept == [module.POLL, 0.05]


def test_a_watcher_that_fails_is_done_without(
    notices: Notices, tmp_path: Path, slept: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Failing:
        def __init__(self, *_: Any, **__: Any) -> None:
            pass

        def watch(self, *_: Any) -> None:
            raise RuntimeError("no more")

        def close(self) -> None:
            pass

    monkeypatch.setattr("watchfiles._rust_notify.RustNotify", Failing)
    folders = frozenset({str(tmp_path)})
    for _ in range(3):
        notices.wait(folders, LONG)

    assert slept == [module.POLL]
