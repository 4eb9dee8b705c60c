"""A folder's door knows the history that came with it, through both ways of walking."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.stubs.repositories import UserRepository
from verify.folder import Folder, PortableFolder
from verify.submission import Rooted, open_folder

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def work(tmp_path: Path) -> UserRepository:
    made = UserRepository(tmp_path / "alice")
    made.commit("feat: it", **{"src/app.py": "x = 1\n"})
    return made


@pytest.mark.parametrize("folder", [Folder, PortableFolder])
def test_a_history_is_opened_once_at_the_root_or_the_top(
    folder: type[Folder], work: UserRepository
) -> None:
    work.commit("docs: it", **{"deep/project/plan.json": "{}\n"})
    with Rooted(folder(str(work.folder)), ["plan.json"]) as submission:
        history = submission.history()
        again = submission.history()
        assert history is not None
        message = history.commit(work.git("rev-parse", "HEAD")).message

    assert (again is history, message, submission.place) == (True, "docs: it", "deep/project/")


def test_a_history_outlives_the_folders_that_are_let_go(work: UserRepository) -> None:
    work.commit("chore: many", **{f"f{n}.txt": f"{n}\n" for n in range(300)})  # in 200 folders
    with open_folder(str(work.folder)) as submission:
        history = submission.history()
        assert history is not None
        name = work.git("rev-parse", "HEAD")

        assert history.commit(name).message == "chore: many"
        assert submission.read("src/app.py") == b"x = 1\n"
