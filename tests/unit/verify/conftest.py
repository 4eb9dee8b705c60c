"""Fakes and builders that the tests of the grading harness share."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from pipeline.protocol.issue import Issue
from verify.grading.artifacts import Context
from verify.grading.model import PASSED, Check, Exercise
from verify.selftest.mutants import Overlay

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from pipeline.files import Unreadable
    from pipeline.protocol.validate import Profile
    from pipeline.terminal.programs import Version
    from verify.learner.request import GradingRequest


class Memory(Overlay):
    """A submission in a table of bytes by path; `read_paths` tells what was read, in order."""

    def __init__(self, files: Mapping[str, bytes], unreadable: Mapping[str, Unreadable]) -> None:
        super().__init__("memory", files)
        self.read_paths: list[str] = []
        self._unreadable = unreadable

    def read(self, path: str) -> bytes:
        """Return the bytes at a path, or raise what the table holds against it."""
        self.read_paths.append(path)
        if path in self._unreadable:
            raise self._unreadable[path]
        return super().read(path)


def _exercise(
    *checks: Check,
    target: str | None = ".",
    issue: str | None = "ISSUE-7",
    profile: Profile = "core",
) -> Exercise:
    return Exercise(
        level="foundation",
        number=1,
        slug="toy",
        title="A toy",
        target=target,
        issue=issue,
        profile=profile,
        checks=checks or (Check(code="F01.1", title="anything", run=lambda _: PASSED, hint="-"),),
    )


def _bytes_of(content: Any) -> bytes:
    if isinstance(content, bytes):
        return content
    return (content if isinstance(content, str) else json.dumps(content, indent=2)).encode()


@pytest.fixture(autouse=True)
def progress_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """Return where progress is kept in a test: never in the file of whoever runs the tests."""
    file = tmp_path_factory.mktemp("record") / "progress.txt"
    monkeypatch.setattr("verify.learner.progress.FILE", str(file))
    return file


@pytest.fixture
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Grade in this process, which knows what a test replaces; a child may not be its fork."""

    def run_few(
        call: Callable[[GradingRequest], object], tasks: Sequence[GradingRequest], _: object
    ) -> Iterator[object]:
        return map(call, tasks)

    monkeypatch.setattr("verify.child.workers.run_few", run_few)


@pytest.fixture
def requests(monkeypatch: pytest.MonkeyPatch) -> list[GradingRequest]:
    """Return the requests that were to be carried out: each is noted and answered with 1."""
    noted: list[GradingRequest] = []

    def execute(request: GradingRequest) -> int:
        noted.append(request)
        return 1

    monkeypatch.setattr("verify.commands.check._carried_out", execute)
    return noted


@pytest.fixture
def console_on_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Let the shell find the console script, and nothing else; return its folder."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "verify").touch(mode=0o755)
    monkeypatch.setenv("PATH", str(folder))
    return folder


@pytest.fixture
def toy_exercise() -> Callable[..., Exercise]:
    """Return a builder of foundation 01 with checks of one's own, one that passes by default."""
    return _exercise


@pytest.fixture
def context_on() -> Callable[..., Context]:
    """Return a builder of attempts: files by path, as bytes, as a text, or as a value of JSON."""

    def build(
        files: Mapping[str, Any],
        *,
        exercise: Exercise | None = None,
        criteria: Sequence[str] | None = None,
        domains: Mapping[str, tuple[str, ...]] | None = None,
        unreadable: Mapping[str, Unreadable] | None = None,
        versions: dict[str, Version | None] | None = None,
    ) -> Context:
        table = {path: _bytes_of(content) for path, content in files.items()}
        issue = None
        if criteria is not None or domains is not None:
            rules = dict.fromkeys(criteria or (), "a rule")
            issue = Issue(id="ISSUE-7", title="Health", criteria=rules, domains=domains or {})
        host = (versions or {}).get
        return Context(exercise or _exercise(), Memory(table, unreadable or {}), issue, host)

    return build


@pytest.fixture
def plan() -> dict[str, Any]:
    """Return a valid plan of one implementation step and one test step."""
    return {
        "affected_files": ["src/health/routes.js", "test/health/routes.test.js"],
        "steps": [
            {"order": 1, "file": "src/health/routes.js", "description": "Write the route"},
            {"order": 2, "file": "test/health/routes.test.js", "description": "Cover it"},
        ],
        "acceptance_mapping": {"AC1_status": "test/health/routes.test.js"},
        "produced_by": "x-subplanner",
    }


@pytest.fixture
def worker_result() -> dict[str, Any]:
    """Return a valid worker result on the valid plan."""
    return {
        "status": "completed",
        "files_changed": ["src/health/routes.js", "test/health/routes.test.js"],
        "blockers": [],
        "summary": "Adds the health endpoint",
        "produced_by": "x-worker",
    }


@pytest.fixture
def git_result() -> dict[str, Any]:
    """Return a valid git result of ISSUE-7."""
    return {
        "branch": "feature/issue-7-health",
        "commit_sha": "3f1c9ab",
        "commit_message": "feat: add a health endpoint",
        "pr_url": "https://git.example.org/team/project/pull/7",
        "produced_by": "x-git",
    }
