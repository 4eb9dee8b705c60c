"""A repository with a project and an issue, and runs of it with agents that are functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pytest

from pipeline.forges.base import PullRequest
from pipeline.git import Repository
from pipeline.running.assignment import Assignment
from pipeline.running.dispatching import Run
from pipeline.running.runner import run_issue
from tests.stubs.agents import ISSUE
from tests.stubs.repositories import UserRepository, git

if TYPE_CHECKING:
    from pathlib import Path

    from pipeline.forges.base import Change
    from pipeline.running.events import Event
    from tests.stubs.agents import Scripted


class RecordingForge:
    """A forge that opens one pull request for a branch and remembers each call."""

    def __init__(self) -> None:
        self.name = "recording"
        self.address = "https://git.example.org/pull/1"
        self.opened: dict[str, Change] = {}
        self.calls = 0

    def check(self, repository: Repository) -> None:
        assert repository.root

    def open(self, change: Change) -> PullRequest:
        self.calls += 1
        reused = change.branch in self.opened
        self.opened[change.branch] = change
        return PullRequest(url=self.address, reused=reused)


class Bench(NamedTuple):
    """One repository, the folder of the issue's artifacts, and what was told."""

    root: Path
    folder: Path
    about: Assignment
    forge: RecordingForge
    told: list[Event]

    def run(self, driver: Scripted, **options: object) -> int:
        """Run the issue and return the exit code."""
        return run_issue(
            Run(
                about=self.about,
                repository=Repository(str(self.root)),
                driver=driver,
                forge=self.forge,
                listen=self.told.append,
                **options,  # type: ignore[arg-type]  # fields of Run by name
            )
        )

    def git(self, *words: str) -> str:
        """Return what git prints in the repository."""
        return git(self.root, *words)

    @property
    def stop(self) -> list[str]:
        """The lines of the last stop."""
        stops = [event for event in self.told if event.what == "stopped"]
        return list((stops[-1].data or {})["lines"]) if stops else []

    @property
    def history(self) -> list[tuple[str, str]]:
        """What was told of the stages, without progress."""
        return [(e.what, e.stage) for e in self.told if e.stage and e.what != "progress"]


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """Return a committed repository whose project is `app/`."""
    user = UserRepository(tmp_path / "repository")
    root = user.folder
    (root / ".git" / "hooks").mkdir()
    user.commit("chore: x", **{"app/src/main.js": "// main\n", "README.md": "# A project\n"})
    about = Assignment(
        issue="ISSUE-7",
        task="add a GET /health endpoint",
        title="Add a health endpoint",
        text=ISSUE,
        criteria=(
            ("AC1_status", "`GET /health` answers 200."),
            ("AC2_shape", 'the body is `{"status": "ok"}`.'),
        ),
        root=str(root),
        target="app",
        tier="standard",
        reason="Anything else that follows patterns that are there",
    )
    return Bench(root, root / "app" / ".pipeline" / "ISSUE-7", about, RecordingForge(), [])
