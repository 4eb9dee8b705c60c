"""A user's repository on the branch of an issue, and the change that it is."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from pipeline.forges.base import Change
from tests.stubs.repositories import UserRepository, user_repository

if TYPE_CHECKING:
    from pathlib import Path

BRANCH = "feature/issue-7-health"


@pytest.fixture
def user(tmp_path: Path) -> UserRepository:
    """Return a repository with a commit on the branch of ISSUE-7."""
    user = user_repository(tmp_path / "project")
    user.git("switch", "--quiet", "-c", BRANCH)
    user.commit("feat: add a health endpoint", **{"health.py": "ok = 1\n"})
    return user


def change(user: UserRepository, branch: str = BRANCH, **changes: Any) -> Change:
    """Return the change that a branch is."""
    whole = Change(
        repository=user.repository,
        issue="ISSUE-7",
        branch=branch,
        base="main",
        base_ref="refs/heads/main",
        sha=user.git("rev-parse", branch),
        title="feat: add a health endpoint",
        body="It says whether\n\nthe service is up.",
    )
    return replace(whole, **changes)
