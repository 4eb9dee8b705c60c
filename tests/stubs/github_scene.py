"""A small GitHub, a bare repository, and a branch that is to become a pull request there."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from pipeline.forges.base import Change, ForgeFault
from pipeline.forges.github import GitHub
from pipeline.git.repository import Repository
from tests.stubs.github import GitHubStub

if TYPE_CHECKING:
    from pathlib import Path

    from typing_extensions import Self

BRANCH = "feature/issue-7-health"
_IDENTITY = ("-c", "user.name=Tester", "-c", "user.email=tester@example.org")
_QUIET = ("-c", "commit.gpgsign=false", "-c", "init.defaultBranch=main")


def git(folder: Path, *words: str) -> str:
    """Run git in a folder and return what it printed."""
    command = ["git", *_IDENTITY, *_QUIET, "-C", str(folder), *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def made(folder: Path) -> Path:
    """Fill a folder: `work` on a branch with one commit, not pushed yet, and its `bare.git`."""
    bare, work = folder / "bare.git", folder / "work"
    bare.mkdir()
    work.mkdir()
    git(bare, "init", "--bare", "--quiet", "--template=")
    git(work, "init", "--quiet", "--template=", "--initial-branch=main")
    git(work, "remote", "add", "origin", "../bare.git")
    _commit(work, "README.md", "docs: begin")
    git(work, "push", "--quiet", "origin", "main")
    git(work, "checkout", "--quiet", "-b", BRANCH)
    _commit(work, "health.js", "feat: add a health endpoint")
    return folder


def _commit(work: Path, name: str, message: str) -> None:
    (work / name).write_text(f"{name}\n", encoding="utf-8")
    git(work, "add", "--", name)
    git(work, "commit", "--quiet", "-m", message)


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
        return GitHub(
            remote=remote,
            environment=self.variables,
            seconds=seconds,
            pause=self.waits.append,
            clock=lambda: 1_000.0,
        )

    def refused(self, change: Change | None = None, *, seconds: float = 5) -> str:
        """Return the line of the fault that opening ends with."""
        with pytest.raises(ForgeFault) as caught:
            self.forge(seconds=seconds).open(change or self.change)
        assert not caught.value.usage
        return self._one_line(caught.value)

    def not_ready(self, *, usage: bool = True, remote: str = "origin", seconds: float = 5) -> str:
        """Return the line of the fault that the check ends with."""
        with pytest.raises(ForgeFault) as caught:
            self.forge(remote=remote, seconds=seconds).check(self.change.repository)
        assert caught.value.usage is usage
        return self._one_line(caught.value)

    def _one_line(self, fault: ForgeFault) -> str:
        assert str(fault).isprintable()
        assert self.stub.token not in f"{fault!r} {fault}"
        return str(fault)

    def asked(self) -> list[str]:
        """Return what was asked of the stub, without the repository's name."""
        return [
            f"{request.method} {request.path.removeprefix('/repos/octo/hello') or '/'}"
            for request in self.stub.requests
        ]
