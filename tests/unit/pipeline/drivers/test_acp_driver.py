"""A turn over the Agent Client Protocol: prompted, told of, ended, with nothing left running."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

from pipeline.bootstrap import ROOT
from pipeline.drivers import groups
from pipeline.drivers.base import DriverFault, Reply
from tests.stubs.scripted_client import a_turn

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.stubs.scripted_client import ScriptedClient


def nothing(_: str) -> None:
    """Hear a word about a turn."""


def a_call(**fields: Any) -> dict[str, Any]:
    return {"update": {"sessionUpdate": "tool_call", "toolCallId": "1", **fields}}


def gone(process: int, seconds: float = 30) -> bool:
    """Tell whether a process ends within a while; one that only awaits its burial has ended."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            with open(f"/proc/{process}/stat", "rb") as file:
                if file.read().rpartition(b")")[2].split()[0] == b"Z":
                    return True
        except FileNotFoundError:
            return True
        time.sleep(0.02)
    return False


def wait_for(condition: Callable[[], bool]) -> None:
    """Wait until something is the case."""
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_the_prompt_reaches_the_agent_in_the_repository_and_its_last_words_come_back(
    client: ScriptedClient, root: Path
) -> None:
    turn = [{"say": "I look"}, a_call(title="Read a.js"), {"say": "app"}, {"say": "roved\n"}]
    driver = client.driver({"turns": [turn]})

    assert driver.take(a_turn(root), nothing) == Reply(text="approved")
    assert client.heard("session/new") == [{"cwd": str(root), "mcpServers": []}]
    assert client.heard("session/prompt") == [
        {"sessionId": "session-1", "prompt": [{"type": "text", "text": "Do the work."}]}
    ]


def test_cursor_is_told_that_model_and_effort_may_be_options_of_their_own(
    client: ScriptedClient, root: Path
) -> None:
    client.driver({}, "cursor").take(a_turn(root), nothing)
    offered = client.heard("initialize")[0]["clientCapabilities"]

    assert offered["_meta"] == {"parameterizedModelPicker": True}


def test_tool_calls_are_told_by_their_titles_safe_and_short(
    client: ScriptedClient, root: Path
) -> None:
    long = a_call(title="\x1b[2J" + "x" * 100)
    more = {**long["update"], "sessionUpdate": "tool_call_update", "status": "completed"}
    client.driver({"turns": [[long, {"update": more}]]}).take(a_turn(root), client.told.append)

    assert client.told == ["\\u{1b}[2J" + "x" * 62 + "…"]


def test_turns_of_one_session_go_on_in_one_conversation_and_others_in_their_own(
    client: ScriptedClient, root: Path
) -> None:
    driver = client.driver({"turns": [[{"say": "one"}], [{"say": "two"}], [{"say": "three"}]]})
    replies = [
        driver.take(a_turn(root, session=name, role=name), nothing).text
        for name in ("x-worker", "x-reviewer", "x-worker")
    ]

    assert replies == ["one", "two", "three"]
    assert [each["sessionId"] for each in client.heard("session/prompt")] == [
        "session-1",
        "session-2",
        "session-1",
    ]
    assert len(client.heard("initialize")) == 1


def test_what_is_unknown_in_the_stream_is_passed_over(client: ScriptedClient, root: Path) -> None:
    turn = [
        {"print": "Loading the settings"},
        {"print": "{}"},
        {"update": {"sessionUpdate": "something_new", "content": 7}},
        {"update": {"sessionUpdate": "agent_message_chunk", "content": {"type": "image"}}},
        {"update": "nothing"},
        {"say": "done"},
    ]

    assert client.driver({"turns": [turn]}).take(a_turn(root), nothing) == Reply(text="done")


def test_a_question_to_a_person_is_refused_and_the_turn_goes_on(
    client: ScriptedClient, root: Path
) -> None:
    turn = [{"request": {"method": "cursor/ask_question", "params": {}}}]
    reply = client.driver({"turns": [turn]}).take(a_turn(root), nothing)

    assert '"code": -32601' in reply.text


def test_an_answer_is_kept_up_to_a_limit(client: ScriptedClient, root: Path) -> None:
    turn = [{"say": "x" * 90_000}, {"say": "y" * 90_000}]
    reply = client.driver({"turns": [turn]}).take(a_turn(root), nothing)

    assert reply.text == "x" * 10_000 + "y" * 90_000


def test_nothing_of_the_client_is_left_when_the_driver_is_closed(
    client: ScriptedClient, root: Path
) -> None:
    driver = client.driver({"turns": [[{"start": 60}]]})
    driver.take(a_turn(root), nothing)
    driver.close()
    client.drivers.clear()

    assert gone(client.started())


def test_a_turn_that_takes_too_long_ends_with_all_that_runs_in_it(
    client: ScriptedClient, root: Path
) -> None:
    driver = client.driver({"turns": [[{"start": 60}, {"sleep": 60}]]}, seconds=3.0)

    with pytest.raises(DriverFault, match=r"^x-worker in qwen did not end within 3 seconds") as it:
        driver.take(a_turn(root), nothing)
    assert it.value.usage is False
    assert gone(client.started())


def test_the_client_starts_anew_after_a_fault(client: ScriptedClient, root: Path) -> None:
    driver = client.driver({"turns": [[{"exit": 3}]]})
    with pytest.raises(DriverFault):
        driver.take(a_turn(root), nothing)
    (client.folder / "script.json").write_text('{"turns": [[{"say": "again"}]]}')

    assert driver.take(a_turn(root), nothing).text == "again"


def test_ctrl_c_cancels_the_turn_and_ends_the_client(client: ScriptedClient, root: Path) -> None:
    driver = client.driver({"turns": [[{"start": 60}, {"hear": "session/cancel"}]]})
    began = client.folder / "started.pid"

    def press() -> None:
        wait_for(began.exists)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=press).start()
    with pytest.raises(KeyboardInterrupt):
        driver.take(a_turn(root), nothing)

    assert gone(client.started())
    assert client.heard("session/cancel") == [{"sessionId": "session-1"}]


def test_a_client_ends_by_itself_when_the_run_is_killed(client: ScriptedClient, root: Path) -> None:
    client.driver({"turns": [[{"sleep": 0.3}]]})
    code = (
        "import sys; from pathlib import Path; "
        "from tests.stubs.scripted_client import PROGRAM, a_turn; "
        "from pipeline.drivers.acp.driver import Acp; "
        "driver = Acp('qwen', f'{sys.executable} {PROGRAM} {sys.argv[1]}'); "
        "driver.take(a_turn(Path(sys.argv[2])), print)"
    )
    words = [sys.executable, "-c", code, str(client.folder), str(root)]
    run = subprocess.Popen(words, cwd=ROOT)
    heard = client.folder / "heard.jsonl"
    wait_for(lambda: heard.exists() and "session/prompt" in heard.read_text())
    (agent,) = groups.descendants(run.pid)
    run.kill()
    run.wait()

    assert gone(agent)


def test_the_log_goes_when_all_went_well_and_is_named_when_not(
    client: ScriptedClient, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(logs))
    driver = client.driver({"turns": [[{"complain": "all well"}], [{"exit": 1}]]})
    driver.take(a_turn(root), nothing)
    with pytest.raises(DriverFault) as fault:
        driver.take(a_turn(root), nothing)
    (log,) = logs.iterdir()
    driver.take(a_turn(root), nothing)
    driver.close()
    client.drivers.clear()

    assert str(fault.value).endswith(f"in the middle: all well (its log: {log})")
    assert list(logs.iterdir()) == [log]
