"""Issues on disk: each test writes the artifacts that its sentence names."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PLAN = {
    "affected_files": ["src/health.js"],
    "steps": [{"order": 1, "file": "src/health.js", "description": "answer"}],
    "acceptance_mapping": {"AC1_status": "src/health.js"},
    "produced_by": "x-subplanner",
}
WORKER = {
    "status": "completed",
    "files_changed": ["src/health.js"],
    "blockers": [],
    "summary": "It answers.",
    "produced_by": "x-worker",
}
GIT = {
    "branch": "feature/issue-7-health",
    "commit_sha": "0123abc",
    "commit_message": "feat: answer",
    "pr_url": "https://git.example.org/pull/7",
    "produced_by": "x-git",
}
SAMPLES: dict[str, dict[str, Any]] = {
    "plan.json": PLAN,
    "worker-result.json": WORKER,
    "git-result.json": GIT,
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty target project, which is the working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def write(project: Path) -> Callable[..., Path]:
    """Return a function that writes one artifact of ISSUE-7, with changes; None drops a field."""

    def write_artifact(name: str, changes: dict[str, Any] | str | None = None) -> Path:
        path = project / ".pipeline" / "ISSUE-7" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(changes, str):
            path.write_text(changes, encoding="utf-8")
            return path
        value = {**SAMPLES[name], **(changes or {})}
        kept = {field: each for field, each in value.items() if each is not None}
        path.write_text(json.dumps(kept, indent=2), encoding="utf-8")
        return path

    return write_artifact
