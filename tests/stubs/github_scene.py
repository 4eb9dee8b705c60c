"""A small GitHub, a bare repository, and a branch that is to become a pull request there."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from pipeline.forges.base import Change
from pipeline.forges.github import GitHub
from pipeline.git import Repository
from pipeline.terminal.fault import Fault
from tests.stubs.github import GitHubStub
from tests.stubs.repositories import git, remote_for, user_repository

if TYPE_CHECKING:
    from pathlib import Path

    from typing_extensions import Self

BRANCH = "feature/issue-7-health"


def made(folder: Path) -> Path:
    """Fill a folder: `work` on a branch with one commit, not pushed yet, and its `bare.git`."""
    user = user_repository(folder / "work")
    remote_for(user, folder / "bare.git")
    user.git("remote", "set-url", "origin", "../bare.git")  # which the copy of a scene has too
    user.git("switch", "--quiet", "-c", BRANCH)
    user.commit("feat: add a health endpoint", **{"health.js": "health.js\n"})
    return folder


class Scene:
    """A change, where it is pushed to, the stub, and a forge that does not really wait.

    `template` is a folder that `made` has filled; the scene plays in a copy of it.
    """

    def __init__(self, template: Path, folder: Path) -> None:
        shutil.copytree(template, folder)
        self.bare = folder / "bare.git"
        self.work = folder / "work"
        self.waits: list[float] = []
        self.stub = GitHubStub(bare=self.bare)
        self.variables = self.stub.variables
        self.change = Change(
            repository=Repository(str(self.work)),
            issue="ISSUE-7",
            branch=BRANCH,
            base="main",
            base_ref="refs/heads/main",
            sha=git(self.work, "rev-parse", BRANCH),
            title="feat: add a health endpoint",
            body="It answers.\n",
        )

    def __enter__(self) -> Self:
        self.stub.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self.stub.__exit__()

    def forge(self, *, seconds: float = 5, remote: str = "origin") -> GitHub:
        """Return a forge that reads the scene's variables."""
        forge = GitHub(remote)
        forge.environment, forge.seconds = self.variables, seconds
        forge.pause = self.waits.append
        return forge

    def refused(self, change: Change | None = None, *, seconds: float = 5) -> str:
        """Return the line of the fault that opening ends with."""
        with pytest.raises(Fault) as caught:
            self.forge(seconds=seconds).open(change or self.change)
        assert caught.value.code == 1
        return self._one_line(caught.value)

    def not_ready(self, *, usage: bool = True, remote: str = "origin", seconds: float = 5) -> str:
        """Return the line of the fault that the check ends with."""
        with pytest.raises(Fault) as caught:
            self.forge(remote=remote, seconds=seconds).check(self.change.repository)
        assert caught.value.code == (2 if usage else 1)
        return self._one_line(caught.value)

    def _one_line(self, fault: Fault) -> str:
        assert str(fault).isprintable()
        assert self.stub.token not in f"{fault!r} {fault}"
        return str(fault)

    def asked(self) -> list[str]:
        """Return what was asked of the stub, without the repository's name."""
        return [
            f"{request.method} {request.path.removeprefix('/repos/octo/hello') or '/'}"
            for request in self.stub.requests
        ]
