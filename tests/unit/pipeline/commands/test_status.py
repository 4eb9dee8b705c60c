"""What `pipeline status` prints of states, whatever their texts are."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from pipeline.commands.status import details, table
from pipeline.run.artifacts import StageArtifact
from pipeline.run.status import State

if TYPE_CHECKING:
    import pytest

STOPPED = State(
    project=".",
    issue="ISSUE-12",
    state="implementing",
    running=False,
    stopped="worker-result.json is not valid",
    next_step="correct worker-result.json",
    artifacts=(StageArtifact("worker-result.json", "invalid", None, ("w.json:1:1: no",), 3),),
)


def test_of_many_problems_and_blockers_the_first_are_shown() -> None:
    blocked = dataclasses.replace(STOPPED, blockers=tuple(map(str, range(23))))
    lines = details([blocked]).splitlines()

    assert [line for line in lines if line.startswith("blocker ")] == [
        f"blocker             {number}" for number in range(20)
    ]
    assert "  and 3 more problems" in lines


def test_hostile_text_drives_neither_a_terminal_nor_a_runner() -> None:
    hostile = dataclasses.replace(
        STOPPED,
        project="::error::",
        worker_status="\x1b[2J",
        branch="##[error]",
        blockers=("\n::error::x",),
    )
    shown = table([hostile]) + details([hostile])

    assert "\x1b" not in shown
    assert "##[" not in shown
    assert not any(line.lstrip().startswith("::") for line in shown.splitlines())


def test_i31_on_a_narrow_terminal_an_issue_is_two_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    ready = dataclasses.replace(STOPPED, stopped="", branch="feature/" + "x" * 60)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "80")

    assert table([STOPPED, ready]).splitlines() == [
        "ISSUE-12 in .: implementing, stopped",
        "  correct worker-result.json",
        "ISSUE-12 in .: implementing",
        "  correct worker-result.json",
    ]
    monkeypatch.setenv("COLUMNS", "200")
    assert len(table([STOPPED, ready]).splitlines()) == 3
