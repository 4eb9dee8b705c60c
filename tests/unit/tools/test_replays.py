"""Runs of the pipeline that pages quote (tools/generate.py --check makes them and compares)."""

from __future__ import annotations

import pytest

from tools import replays
from tools.replays import NotAsShipped, part


def test_nothing_is_run_on_a_sandbox_that_holds_somebodys_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(replays, "shipped", lambda: "other\n")

    with pytest.raises(NotAsShipped):
        part("run")
