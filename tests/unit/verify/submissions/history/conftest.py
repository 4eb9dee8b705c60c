"""A learner's repository as the course has it: a main branch, and the work on one of its own."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from tests.stubs.repositories import UserRepository
from verify.submissions.submission import open_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from verify.submissions.history.history import History

BRANCH = "feature/issue-7-health"


@pytest.fixture(scope="session")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a repository whose branch adds `src/health.py` and changes `src/app.py`."""
    made = UserRepository(tmp_path_factory.mktemp("made") / "alice")
    made.commit("chore: begin", **{"README.md": "# It\n", "src/app.py": "x = 1\n"})
    made.git("switch", "--quiet", "-c", BRANCH)
    made.write("src/health.py", "ok = True\n")
    made.commit("feat: add a health endpoint\n\nRefs: ISSUE-7", **{"src/app.py": "x = 2\n"})
    made.git("switch", "--quiet", "main")
    made.commit("docs: more", **{"README.md": "# It is it\n"})
    return made.folder


@pytest.fixture
def work(made_once: Path, tmp_path: Path) -> UserRepository:
    """Return a copy of that repository."""
    shutil.copytree(made_once, tmp_path / "alice", symlinks=True)
    return UserRepository(tmp_path / "alice")


@pytest.fixture
def history_in() -> Iterator[Callable[[Path], History]]:
    """Return what opens the history of a submission in a folder, which has one."""
    doors = []

    def opened(folder: Path) -> History:
        doors.append(open_folder(str(folder)))
        found = doors[-1].history()
        assert found is not None
        return found

    yield opened
    for door in doors:
        door.close()


@pytest.fixture
def history(work: UserRepository, history_in: Callable[[Path], History]) -> History:
    """Return the history of the work."""
    return history_in(work.folder)
