"""A folder's door knows the history that came with it, through both ways of walking."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.stubs.repositories import UserRepository
from verify.submission import Folder, PortableFolder

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def work(tmp_path: Path) -> UserRepository:
    made = UserRepository(tmp_path / "alice")
    made.commit("feat: it", **{"src/app.py": "x = 1\n"})
    return made


@pytest.mark.parametrize("door", [Folder, PortableFolder])
def test_a_door_opens_a_history_once_and_closes_it(
    door: type[Folder], work: UserRepository
) -> None:
    with door(str(work.folder)) as submission:
        history = submission.history()
        again = submission.history()
        assert history is not None
        message = history.commit(work.git("rev-parse", "HEAD")).message

    with door(str(work.folder.parent)) as above:
        found = above.history() is None, above.history("alice/") is not None

    assert (again is history, message) == (True, "feat: it")
    assert found == (True, True)


def test_a_history_outlives_the_folders_that_are_let_go(work: UserRepository) -> None:
    work.commit("chore: many", **{f"f{n}.txt": f"{n}\n" for n in range(300)})  # in 200 folders
    with Folder(str(work.folder)) as submission:
        history = submission.history()
        assert history is not None
        name = work.git("rev-parse", "HEAD")

        assert history.commit(name).message == "chore: many"
        assert submission.read("src/app.py") == b"x = 1\n"
