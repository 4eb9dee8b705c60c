"""Machines that have what a test says, and real repositories."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from pipeline.doctor import Machine
from pipeline.host import FixedHost

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from pipeline.host import Version

VERSIONS: dict[str, Version | None] = {
    "python": (3, 12),
    "node": (20, 9),
    "npm": (10, 1),
    "git": (2, 43),
}


@pytest.fixture
def machine() -> Callable[..., Machine]:
    """Return a function that makes a machine which has everything but what it is told."""

    def make(
        versions: Mapping[str, Version | None] | None = None,
        variables: Mapping[str, str] | None = None,
        programs: tuple[str, ...] = (),
        lacking: tuple[str, ...] = (),
    ) -> Machine:
        return Machine(
            host=FixedHost(VERSIONS | dict(versions or {})),
            environment=variables or {},
            find=lambda name: f"/bin/{name}" if name in programs else None,
            has_module=lambda name: name not in lacking,
        )

    return make


@pytest.fixture
def git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Return a function that runs git in an empty folder, with no settings but its own."""
    names = [f"GIT_{who}_{what}" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")]
    for name in (*names, "EMAIL", "GIT_CONFIG_COUNT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    (tmp_path / "gitconfig").write_text("[user]\n\tuseConfigOnly = true\n")

    def run_git(*words: str) -> None:
        subprocess.run(["git", "-C", str(tmp_path), *words], check=True, capture_output=True)

    return run_git
