"""A run is shown as a line for each stage, or as an event for each line of JSON."""

from __future__ import annotations

import io
import json
import re
import sys
import time
from dataclasses import replace

import pytest

from pipeline.run.context import Event
from pipeline.run.progress import Lines, json_line

BEGUN = Event(
    what="begun",
    issue="ISSUE-7",
    text="Add a health endpoint",
    data={
        "tier": "standard",
        "reason": "chosen with --tier",
        "agents": ["x-worker", "x-reviewer"],
        "target": "app",
        "jail": "agents work in a jail",
    },
)
DONE = Event(
    what="done", issue="ISSUE-7", stage="plan", role="x-subplanner", text="plan.json", seconds=2.04
)
KEPT = Event(what="kept", issue="I-1", stage="plan", role="x-subplanner", text="plan.json")
AGAIN = Event(what="again", issue="I-1", stage="review", role="x-reviewer", text="no verdict")
ENDED = Event(what="ended", issue="ISSUE-7", data={"code": 1})
STOPPED = Event(
    what="stopped",
    issue="ISSUE-7",
    text="no plan",
    data={"lines": ["no plan", "ask\x1b[31m again"], "code": 1},
)


LEFT = "! ended node, which an earlier run left running"
LAST_LINE = "refused requests: 1"


class Terminal(io.StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_stages_are_lines_and_a_stop_goes_to_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    view = Lines()
    for event in (BEGUN, KEPT, AGAIN, DONE, STOPPED, ENDED):
        view(event)
    view.close()

    out, err = capsys.readouterr()
    assert out.splitlines() == [
        "ISSUE-7: Add a health endpoint",
        "tier: standard (x-worker, x-reviewer)",
        "target project: app",
        "agents work in a jail",
        "",
        "= plan      x-subplanner     plan.json (kept)",
        "! review    x-reviewer       again: no verdict",
        "+ plan      x-subplanner     plan.json  2.0 s",
    ]
    assert err.splitlines() == ["pipeline: ISSUE-7 stopped: no plan", "  ask\\u{1b}[31m again"]


@pytest.mark.parametrize(
    ("is_verbose", "expected"),
    [
        (False, [LEFT, f"{LAST_LINE} (-v lists them)"]),
        (
            True,
            [
                LEFT,
                "x implement x-worker         refused: curl (not a command that this role needs)",
                LAST_LINE,
            ],
        ),
    ],
)
def test_p6_refusals_are_counted_in_the_last_line_and_listed_on_request(
    capsys: pytest.CaptureFixture[str],
    is_verbose: bool,  # noqa: FBT001  # a column of the table
    expected: list[str],
) -> None:
    view = Lines(is_verbose=is_verbose)
    text = "curl (not a command that this role needs)"
    view(Event(what="leftover", issue="ISSUE-7", text="node"))
    view(Event(what="refused", issue="ISSUE-7", stage="implement", role="x-worker", text=text))
    view(replace(ENDED, data={"code": 1}))

    assert capsys.readouterr().out.splitlines() == expected


def test_on_a_terminal_a_live_line_counts_and_is_wiped(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("COLUMNS", "60")
    view = Lines()

    view(Event(what="dispatched", issue="ISSUE-7", stage="plan", role="x-subplanner"))
    view(Event(what="progress", issue="ISSUE-7", stage="plan", role="x-subplanner", text="reads"))
    end = time.monotonic() + 60
    while screen.getvalue().count("\r") < 3 and time.monotonic() < end:  # it counts by itself
        time.sleep(0.02)
    view(DONE)
    view.close()

    drawn = re.sub(r"\d+ s", "N s", screen.getvalue()).split("\r")
    line = "~ plan      x-subplanner        N s"
    assert drawn[1] == f"{line}  \x1b[K"
    assert f"{line}  reads\x1b[K" in drawn
    assert len(drawn) > 4
    assert drawn[-1] == "\x1b[K"
    assert all(len(each) <= 59 + len("\x1b[K") for each in drawn)


def test_what_an_agent_says_drives_neither_a_terminal_nor_a_build(
    capsys: pytest.CaptureFixture[str],
) -> None:
    lines = ["\x1b[2Jno", "::error::x", "##[error]y"]
    stopped = Event(what="stopped", issue="ISSUE-7", text=lines[0], data={"lines": lines})

    Lines()(stopped)
    json_line(stopped)

    out, err = capsys.readouterr()
    assert err == (
        "pipeline: ISSUE-7 stopped: \\u{1b}[2Jno\n  \\u{3a}:error::x\n  #\\u{23}[error]y\n"
    )
    assert "##[" not in out
    assert json.loads(out)["lines"] == lines
