"""A repository with a project and an issue, runs of it, and a worker's files to publish."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import pytest

from pipeline.forges.base import Feedback, Forge, PullRequest
from pipeline.forges.local import Local
from pipeline.git import Repository
from pipeline.run.assignment import Assignment
from pipeline.run.branch import read_branch_state
from pipeline.run.context import Run
from pipeline.run.runner import run_issue
from pipeline.run.stages import publish as publishing
from tests.stubs.agents import ISSUE, Scripted
from tests.stubs.repositories import UserRepository, git, user_repository

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pipeline.drivers.base import Allowed
    from pipeline.forges.base import Change
    from pipeline.run.branch import BranchState
    from pipeline.run.context import Event
    from pipeline.run.stages.publish import Published


class RecordingForge(Forge):
    """A forge that opens one pull request for a branch and remembers each call."""

    def __init__(self) -> None:
        self.name = "recording"
        self.takes = ("draft", "labels", "reviewers")
        self.remote = ""
        self.address = "https://git.example.org/pull/1"
        self.opened: dict[str, Change] = {}
        self.calls = 0
        self.said = Feedback(state="open")

    def feedback(self, repository: Repository, address: str) -> Feedback:
        assert (repository.root, address) >= ("", self.address)
        return self.said

    def check(self, repository: Repository) -> None:
        assert repository.root

    def open(self, change: Change) -> PullRequest:
        self.calls += 1
        reused = change.branch in self.opened
        self.opened[change.branch] = change
        return PullRequest(url=self.address, reused=reused)


class Bench(NamedTuple):
    """One repository, the folder of the issue's artifacts, and the events of its runs."""

    root: Path
    folder: Path
    about: Assignment
    forge: RecordingForge
    events: list[Event]

    def run(self, driver: Scripted, **options: object) -> int:
        """Run the issue and return the exit code."""
        return run_issue(
            Run(
                about=self.about,
                repository=Repository(str(self.root)),
                driver=driver,
                listen=self.events.append,
                **{"forge": self.forge, **options},  # type: ignore[arg-type]  # fields of Run by name
            )
        )

    def git(self, *words: str) -> str:
        """Return what git prints in the repository."""
        return git(self.root, *words)

    @property
    def stop(self) -> list[str]:
        """The lines of the last stop."""
        stops = [event for event in self.events if event.what == "stopped"]
        return list((stops[-1].data or {})["lines"]) if stops else []

    @property
    def history(self) -> list[tuple[str, str]]:
        """The events of the stages, without progress."""
        return [(e.what, e.stage) for e in self.events if e.stage and e.what != "progress"]


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
        reason="Everything else is `standard`",
    )
    return Bench(root, root / "app" / ".pipeline" / "ISSUE-7", about, RecordingForge(), [])


TITLE = "Page through the list of notes"


@dataclass(frozen=True, kw_only=True)
class Work:
    """What is to be published, of an issue of its own."""

    issue: str = "ISSUE-202"
    title: str = TITLE
    files: tuple[str, ...] = ()
    message: str = ""
    base: str = ""
    branch: str = ""
    allowed: Allowed | None = None  # in a jail


def run_of(
    repository: Repository,
    work: Work,
    forge: Forge | None = None,
    tell: Callable[[str], None] = print,
) -> Run:
    """Return a run that publishes the work."""
    about = Assignment(
        issue=work.issue,
        task="page through the notes",
        title=work.title,
        text=ISSUE,
        criteria=(("AC1_size", "A page has 20 notes."),),
        root=repository.root,
        target=".",
        tier="standard",
        reason="chosen with --tier",
    )
    driver = Scripted()
    driver.allowed = work.allowed
    return Run(
        about=about,
        repository=repository,
        driver=driver,
        forge=forge or Local(),
        listen=lambda event: tell(event.text),
        base=work.base,
        branch=work.branch,
    )


def state_of(user: UserRepository, work: Work) -> BranchState:
    """Return the state of the work's branch."""
    return read_branch_state(run_of(user.repository, work))


def publish(
    user: UserRepository,
    work: Work,
    tell: Callable[[str], None] = print,
    forge: Forge | None = None,
) -> Published:
    """Publish as a run does after its review, without a server unless there is another forge."""
    repository = Repository(user.repository.root, hooks=work.allowed is None)
    run = run_of(repository, work, forge, tell)
    return publishing.publish(run, work.files, work.message, "Pages of 20.", None)


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
def work() -> Work:
    """Return the work that the worker has done."""
    return Work(files=("src/app.py", "src/page.py"), message="feat: page through the notes")
