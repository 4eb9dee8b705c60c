"""Runs of the pipeline that pages quote: the same on every machine, and real."""

from __future__ import annotations

import os
import re
import tempfile

import pytest

from tools import replays, shipped
from tools.replays import NotAsShipped, part

BRANCH = "feature/issue-202-page-through-the-list"
PARTS = (
    *("run", "again", "status", "git-result.json", "request", "commit"),
    *("events", "blocked", "changed", "project"),
)


@pytest.fixture(autouse=True)
def as_it_is_shipped() -> None:
    if shipped.shipped() != shipped.recorded() and not os.environ.get("CI"):
        pytest.skip("the sandbox holds work of your own; pages quote runs on it as it is shipped")


def test_a_run_is_shown_with_its_stages_and_without_its_seconds() -> None:
    lines = part("run").split("\n")

    assert lines[:3] == [
        "```console",
        f'$ .venv/bin/pipeline run "{replays.PROMPT}"',
        "ISSUE-202: Page through the list of notes",
    ]
    assert lines[6:9] == [
        "+ plan      x-subplanner     .pipeline/ISSUE-202/plan.json",
        "+ implement x-worker         .pipeline/ISSUE-202/worker-result.json",
        "+ review    x-reviewer       approved",
    ]
    assert lines[9].startswith(f"+ publish   x-git            {BRANCH} ")
    assert lines[10:] == ["", "The pull request is ready for review.", "```"]


def test_what_one_run_left_is_told_alike_by_all_that_quotes_it() -> None:
    (sha,) = re.findall(r'"commit_sha": "([0-9a-f]{40})"', part("git-result.json"))

    assert sha in part("status")
    assert f"commit `{sha}`." in part("request")
    assert sha[:12] in part("run")
    assert sha[:12] in part("again")
    assert f'"commit_sha": "{sha}"' in part("events")


def test_the_hashes_are_those_of_every_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    before = part("git-result.json")
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Somebody Else")
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2001-01-01T00:00:00+00:00")
    monkeypatch.setenv("GIT_DEFAULT_HASH", "sha256")
    replays.parts.cache_clear()

    assert part("git-result.json") == before


def test_a_request_is_quoted_up_to_its_checklist() -> None:
    lines = part("request").split("\n")

    assert lines[1] == "# feat(notes): page through the list of notes"
    assert [line[:11] for line in lines[7:-1]] == [f"- [ ] `AC{n}_" for n in range(1, 7)]


def test_a_run_that_stops_is_quoted_with_what_it_says_to_do() -> None:
    assert part("blocked").endswith(
        '  the worker\'s status is "blocked"\n'
        '  "the recorded change does not apply to sandbox/src/notes/store.js"\n'
        "  Clear what blocks it, then run the same command with --retry.\n```"
    )


@pytest.mark.parametrize("name", PARTS)
def test_no_part_tells_of_this_machine(name: str) -> None:
    shown = part(name)

    assert tempfile.gettempdir() not in shown
    assert re.findall(r"\d\.\d s$", shown, re.MULTILINE) == []


def test_there_is_no_other_part() -> None:
    with pytest.raises(LookupError):
        part("weather")


def test_on_a_sandbox_that_holds_somebodys_work_nothing_is_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(replays, "shipped", lambda: "other\n")

    with pytest.raises(NotAsShipped):
        part("run")
