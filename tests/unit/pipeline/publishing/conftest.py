"""A user's repository with a worker's files in it, and a forge to publish them to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pipeline.forges.local import Local
from pipeline.publishing.publish import Work
from tests.stubs.repositories import UserRepository, user_repository

if TYPE_CHECKING:
    from pathlib import Path

TITLE = "Page through the list of notes"


@pytest.fixture
def user(tmp_path: Path) -> UserRepository:
    """Return a repository with a commit on `main`."""
    return user_repository(tmp_path / "project")


@pytest.fixture
def worked(user: UserRepository) -> UserRepository:
    """Return that repository after a worker has changed one file and made another."""
    user.write("src/app.py", "x = 2\n")
    user.write("src/page.py", "size = 20\n")
    return user


@pytest.fixture
def asked() -> Work:
    """Return the work as it is known before a worker began."""
    return Work(issue="ISSUE-202", title=TITLE)


@pytest.fixture
def work() -> Work:
    """Return the work that the worker has done."""
    return Work(
        issue="ISSUE-202",
        title=TITLE,
        files=("src/app.py", "src/page.py"),
        message="feat: page through the notes",
        body="Pages of 20.",
        criteria=(("AC1_size", "A page has 20 notes."),),
    )


@pytest.fixture
def forge() -> Local:
    """Return the forge that needs no server."""
    return Local()
