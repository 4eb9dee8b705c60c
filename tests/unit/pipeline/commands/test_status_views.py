"""What `pipeline status` prints of states, whatever their texts are."""

from __future__ import annotations

import dataclasses

from pipeline.commands.status_views import Row, details, table
from pipeline.state import IMPLEMENTING, READY, Artifact, State

DONE = State(
    issue="ISSUE-7",
    stage=READY,
    running=False,
    stopped="",
    next_step="review and merge https://git.example.org/pull/7",
    artifacts=(
        Artifact("plan.json", "absent"),
        Artifact("worker-result.json", "valid", {"produced_by": "x-worker-fast"}),
        Artifact("git-result.json", "valid", {"produced_by": "x-git"}),
    ),
    worker_status="completed",
    branch="feature/issue-7-health",
    commit_sha="0123abc",
    pr_url="https://git.example.org/pull/7",
)
STOPPED = State(
    issue="ISSUE-12",
    stage=IMPLEMENTING,
    running=False,
    stopped="worker-result.json is not valid",
    next_step="correct worker-result.json",
    artifacts=(Artifact("worker-result.json", "invalid", None, ("w.json:1:1: no",), 3),),
    notes=("git-result.json is there",),
)


def test_details_say_all_that_is_known() -> None:
    assert details([Row("sandbox", DONE), Row(".", STOPPED)]).splitlines() == [
        "ISSUE-7 in sandbox",
        "state               pull request ready for review",
        "plan.json           absent",
        "worker-result.json  valid, by x-worker-fast",
        "git-result.json     valid, by x-git",
        "worker              completed",
        "branch              feature/issue-7-health",
        "commit              0123abc",
        "pull request        https://git.example.org/pull/7",
        "next step           review and merge https://git.example.org/pull/7",
        "",
        "ISSUE-12 in .",
        "state               implementing, stopped",
        "worker-result.json  invalid",
        "  w.json:1:1: no",
        "  and 3 more problems",
        "stopped             worker-result.json is not valid",
        "note                git-result.json is there",
        "next step           correct worker-result.json",
    ]


def test_blockers_are_shown_and_beyond_twenty_counted() -> None:
    blocked = dataclasses.replace(STOPPED, blockers=tuple(map(str, range(23))))
    lines = details([Row(".", blocked)]).splitlines()

    assert [line for line in lines if line.startswith("blocker ")] == [
        f"blocker             {number}" for number in range(20)
    ]
    assert "                    and 3 more blockers" in lines


def test_hostile_text_drives_neither_a_terminal_nor_a_runner() -> None:
    hostile = dataclasses.replace(
        STOPPED,
        worker_status="\x1b[2J",
        branch="##[error]",
        blockers=("\n::error::x",),
    )
    rows = [Row("::error::", hostile)]
    shown = table(rows, of_many=True) + details(rows)

    assert "\x1b" not in shown
    assert "##[" not in shown
    assert not any(line.lstrip().startswith("::") for line in shown.splitlines())
