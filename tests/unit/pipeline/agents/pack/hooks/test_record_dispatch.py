"""The hook notes what a client tells of its agents, beside the artifacts, and no more."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from pipeline.agents.clients import CLIENTS
from pipeline.agents.export import hook_files
from verify.grading.provenance import Dispatch, dispatches_in

if TYPE_CHECKING:
    from pathlib import Path

# as cursor.com/docs/hooks shows them
CURSOR_START = {
    "conversation_id": "conv-456",
    "hook_event_name": "subagentStart",
    "cursor_version": "1.7.2",
    "transcript_path": None,
    "model": "of-the-parent",
    "subagent_id": "abc-123",
    "subagent_type": "x-worker",
    "task": "Write the artifact sandbox/.pipeline/ISSUE-201/worker-result.json.",
    "parent_conversation_id": "conv-456",
    "tool_call_id": "tc-789",
    "subagent_model": "composer-2.5",
    "is_parallel_worker": False,
}
CURSOR_STOP = {
    "hook_event_name": "subagentStop",
    "cursor_version": "1.7.2",
    "subagent_type": "x-worker",
    "status": "completed",
    "task": "Write the artifact sandbox/.pipeline/ISSUE-201/worker-result.json.",
    "summary": "Done",
    "agent_transcript_path": None,
}
# as Claude Code 2.1 sent them
CLAUDE_START = {
    "session_id": "0f6",
    "transcript_path": "/nowhere/0f6.jsonl",
    "cwd": "/project",
    "hook_event_name": "SubagentStart",
    "agent_id": "a1b2",
    "agent_type": "x-subplanner",
}
CLAUDE_STOP = CLAUDE_START | {
    "hook_event_name": "SubagentStop",
    "stop_hook_active": False,
    "agent_transcript_path": "/nowhere/agent-a1b2.jsonl",
    "last_assistant_message": "The plan is written.",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a project with the pack's hook and a target project."""
    root = tmp_path / "project"
    script = hook_files(CLIENTS["cursor"])[0]
    (root / ".cursor" / "hooks").mkdir(parents=True)
    (root / "sandbox" / "src").mkdir(parents=True)
    (root / script.path).write_text(script.text)
    return root


def hooked(project: Path, message: Any, cwd: Path | None = None) -> None:
    """Have the client run the hook; whatever it meets, it ends well and says nothing odd."""
    data = message if isinstance(message, bytes) else json.dumps(message).encode()
    done = subprocess.run(
        [sys.executable, "-I", str(project / ".cursor" / "hooks" / "record-dispatch.py")],
        input=data,
        cwd=cwd or project,
        capture_output=True,
        check=False,
        timeout=240,
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, b"{}\n", b"")


def noted(project: Path) -> dict[str, list[dict[str, Any]]]:
    """Return the lines of every file of records, without the times."""
    found = {}
    for path in sorted(project.rglob("dispatch.jsonl")):
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        for line in lines:
            assert re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ", line.pop("time"))
        found[path.parent.relative_to(project).as_posix()] = lines
    return found


def test_what_cursor_tells_is_noted_where_the_task_says(project: Path) -> None:
    hooked(project, CURSOR_START)
    hooked(project, CURSOR_STOP)

    message = {"version": 1, "client": "cursor", "agent": "x-worker"}
    assert noted(project) == {
        "sandbox/.pipeline/ISSUE-201": [
            message | {"event": "start", "id": "abc-123", "model": "composer-2.5"},
            message | {"event": "stop", "status": "completed"},
        ]
    }


def test_what_claude_tells_is_noted_for_the_issue_that_the_transcript_names_last(
    project: Path, tmp_path: Path
) -> None:
    transcript = tmp_path / "0f6.jsonl"
    lines = [
        {"role": "user", "text": "work on issue ISSUE-9: something else"},
        {"role": "assistant", "text": "Done."},
        {"role": "user", "text": "work on issue ISSUE-201: limit\nwrite it to UTF-8"},
    ]
    transcript.write_text("".join(json.dumps(line) + "\n" for line in lines))
    (project / "sandbox" / ".pipeline" / "ISSUE-201").mkdir(parents=True)

    for message in (CLAUDE_START, CLAUDE_STOP):
        hooked(project, message | {"transcript_path": str(transcript)})

    line = {"version": 1, "client": "claude", "agent": "x-subplanner", "id": "a1b2"}
    assert noted(project) == {
        "sandbox/.pipeline/ISSUE-201": [line | {"event": "start"}, line | {"event": "stop"}]
    }


def test_without_any_name_it_is_noted_for_the_issue_that_changed_last(project: Path) -> None:
    for number, issue in enumerate((".pipeline/ISSUE-1", "sandbox/.pipeline/ISSUE-2")):
        (project / issue).mkdir(parents=True)
        (project / issue / "plan.json").write_text("{}")
        os.utime(project / issue / "plan.json", (1_000 - number, 1_000 - number))

    hooked(project, CLAUDE_STOP)

    assert list(noted(project)) == [".pipeline/ISSUE-1"]


@pytest.mark.parametrize(
    "task",
    [
        "write ../outside/.pipeline/ISSUE-7/plan.json",
        "write sandbox/../../outside/.pipeline/ISSUE-7/plan.json",
        "write " + "a/" * 5_000 + ".pipeline/ISSUE-7/plan.json",
    ],
)
def test_a_path_that_leads_out_of_the_project_is_not_followed(
    project: Path, tmp_path: Path, task: str
) -> None:
    (tmp_path / "outside").mkdir()

    hooked(project, CURSOR_START | {"task": task}, cwd=tmp_path)

    assert list(noted(tmp_path)) == ["project/.pipeline/ISSUE-7"]


@pytest.mark.parametrize("place", ["sandbox/.pipeline/ISSUE-201", "sandbox"])
def test_nothing_is_written_behind_a_link(project: Path, tmp_path: Path, place: str) -> None:
    (tmp_path / "elsewhere" / "ISSUE-201").mkdir(parents=True)
    if (project / place).exists():
        (project / "sandbox" / "src").rmdir()
        (project / "sandbox").rmdir()
    (project / place).parent.mkdir(parents=True, exist_ok=True)
    (project / place).symlink_to(tmp_path / "elsewhere")

    hooked(project, CURSOR_START)

    assert list((tmp_path / "elsewhere").rglob("dispatch.jsonl")) == []


def test_a_link_to_a_project_is_not_a_second_project(project: Path) -> None:
    (project / "sandbox" / ".pipeline" / "ISSUE-201").mkdir(parents=True)
    for name in ("a", "z"):
        (project / name).symlink_to(project / "sandbox")

    hooked(project, CURSOR_START | {"task": "work on issue ISSUE-201: limit"})

    assert list(noted(project)) == ["sandbox/.pipeline/ISSUE-201"]


def test_a_record_that_is_a_link_a_pipe_or_full_is_left_alone(
    project: Path, tmp_path: Path
) -> None:
    record = project / "sandbox" / ".pipeline" / "ISSUE-201" / "dispatch.jsonl"
    record.parent.mkdir(parents=True)
    record.symlink_to(tmp_path / "outside")
    hooked(project, CURSOR_START)
    record.unlink()
    os.mkfifo(record)
    hooked(project, CURSOR_START)
    record.unlink()
    record.write_bytes(b" " * ((1 << 20) - 10))
    hooked(project, CURSOR_START)

    assert not (tmp_path / "outside").exists()
    assert record.stat().st_size == (1 << 20) - 10


HOSTILE = [
    b"",
    b"\xff\xfe",
    b"[" * 100_000,
    b" " * (1 << 23),
    b'{"hook_event_name": "subagentStart"}',
    json.dumps(CURSOR_START | {"hook_event_name": "stop"}).encode(),
    json.dumps(CURSOR_START | {"subagent_type": ["x"]}).encode(),
]


@pytest.mark.parametrize("data", HOSTILE, ids=range(len(HOSTILE)))
def test_what_is_no_event_of_an_agent_is_passed_over(project: Path, data: bytes) -> None:
    hooked(project, data)

    assert noted(project) == {}


def test_a_hostile_event_is_one_short_line(project: Path) -> None:
    hooked(
        project,
        CURSOR_STOP
        | {
            "subagent_type": "x\n\x1b[31m\ud800" + "y" * 5_000,
            "status": {"a": 1},
            "subagent_id": 5,
            "agent_transcript_path": "/dev/zero",
        },
    )

    path = project / "sandbox" / ".pipeline" / "ISSUE-201" / "dispatch.jsonl"
    (line,) = noted(project)["sandbox/.pipeline/ISSUE-201"]
    assert line["agent"] == "x\n\x1b[31m?" + "y" * 92
    assert path.stat().st_size < 1_000
    assert dispatches_in(path.read_bytes()) == (Dispatch(line["agent"], 1, 1),)


@pytest.mark.parametrize("path", ["/dev/zero", "\0", 7])
def test_a_transcript_that_cannot_be_read_stops_nothing(project: Path, path: Any) -> None:
    hooked(project, CURSOR_START | {"task": "", "transcript_path": path})

    assert noted(project) == {}


@pytest.mark.skipif(os.name == "nt", reason="a shell closes the descriptors")
@pytest.mark.parametrize("ends", ["> /dev/full", ">&- <&- 2>&-"])
def test_whoever_listens_the_client_continues(project: Path, ends: str) -> None:
    if "full" in ends and not os.path.exists("/dev/full"):
        pytest.skip("the system has no full device")
    script = project / ".cursor" / "hooks" / "record-dispatch.py"
    done = subprocess.run(
        ["/bin/sh", "-c", f'"$0" "$1" {ends}', sys.executable, str(script)],
        input=json.dumps(CURSOR_STOP).encode(),
        capture_output=True,
        timeout=60,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, b"")
