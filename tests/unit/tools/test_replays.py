"""Runs of the pipeline that pages quote: the same on every machine, and real."""

from __future__ import annotations

import os
import re
import tempfile

import pytest

from tools import replays, shipped
from tools.replays import NotAsShipped, part

PARTS = (
    *("run", "again", "status", "git-result.json", "request", "commit"),
    *("events", "blocked", "changed", "project"),
)


@pytest.fixture
def _as_it_is_shipped() -> None:
    if shipped.shipped() != shipped.recorded() and not os.environ.get("CI"):
        pytest.skip("the sandbox holds work of your own; pages quote runs on it as it is shipped")


@pytest.mark.slow  # the pages show what the runs say: tools/generate.py --check compares them
@pytest.mark.usefixtures("_as_it_is_shipped")
def test_the_runs_agree_and_are_those_of_every_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    before = {name: part(name) for name in PARTS}
    (sha,) = re.findall(r'"commit_sha": "([0-9a-f]{40})"', before["git-result.json"])
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Somebody Else")
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2001-01-01T00:00:00+00:00")
    monkeypatch.setenv("GIT_DEFAULT_HASH", "sha256")
    replays.parts.cache_clear()
    told = "\n".join(before.values())

    assert {name: part(name) for name in PARTS} == before
    assert all(sha in before[name] for name in ("status", "request", "events"))
    assert all(sha[:12] in before[name] for name in ("run", "again"))
    assert tempfile.gettempdir() not in told
    assert re.findall(r"\d\.\d s$", told, re.MULTILINE) == []


def test_nothing_is_run_on_a_sandbox_that_holds_somebodys_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(replays, "shipped", lambda: "other\n")

    with pytest.raises(NotAsShipped):
        part("run")
