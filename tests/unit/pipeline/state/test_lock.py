"""Whether a run goes on: asked without disturbing it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from filelock import FileLock

from pipeline.state.lock import hold_of

if TYPE_CHECKING:
    from pathlib import Path


def test_no_lock_file_is_made_by_asking(tmp_path: Path) -> None:
    assert hold_of(str(tmp_path)) == "absent"
    assert list(tmp_path.iterdir()) == []


def test_a_lock_file_that_a_run_left_behind_is_free(tmp_path: Path) -> None:
    (tmp_path / "run.lock").write_text("")

    assert hold_of(str(tmp_path)) == "free"


def test_a_lock_that_a_run_holds_is_held_and_stays_so(tmp_path: Path) -> None:
    path = tmp_path / "run.lock"
    with FileLock(path) as lock:
        assert (hold_of(str(tmp_path)), hold_of(str(tmp_path))) == ("held", "held")
        assert lock.is_locked

    assert hold_of(str(tmp_path)) == "free"


def test_asking_leaves_the_lock_to_the_next_run(tmp_path: Path) -> None:
    path = tmp_path / "run.lock"
    path.write_text("")
    hold_of(str(tmp_path))

    with FileLock(path, timeout=0) as lock:
        assert lock.is_locked


def test_a_link_in_the_place_of_the_lock_is_none(tmp_path: Path) -> None:
    (tmp_path / "run.lock").symlink_to("/dev/null")

    assert hold_of(str(tmp_path)) == "absent"
