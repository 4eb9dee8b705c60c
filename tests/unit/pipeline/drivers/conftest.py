"""A scripted agent to be driven, ended after each test whatever has happened."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.stubs.scripted_client import ScriptedClient

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(autouse=True)
def _no_long_farewell(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no client take its time: those that hang here never end by themselves."""
    monkeypatch.setattr("pipeline.drivers.acp.connection._GRACE", 0.5)


@pytest.fixture(autouse=True)
def _no_litter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the logs that are kept after a fault stand in the test's own folder."""
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))


@pytest.fixture
def client(tmp_path: Path, root: Path) -> Iterator[ScriptedClient]:
    """Return the scripted agent; the drivers made of it are closed afterwards."""
    scripted = ScriptedClient(tmp_path / "agent", root)
    yield scripted
    for driver in scripted.drivers:
        driver.close()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a folder that stands for a repository with the project `app`."""
    folder = tmp_path / "repository"
    (folder / "app").mkdir(parents=True)
    return folder.resolve()
