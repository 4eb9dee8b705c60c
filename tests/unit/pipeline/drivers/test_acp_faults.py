"""Whatever a client does in place of its work is one clear fault."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from pipeline.drivers.acp.driver import Acp
from pipeline.drivers.base import DriverFault
from tests.stubs.scripted_client import a_turn

if TYPE_CHECKING:
    from pathlib import Path

    from tests.stubs.scripted_client import ScriptedClient


def nothing(_: str) -> None:
    """Hear a word about a turn."""


def fault_of(client: ScriptedClient, root: Path, script: dict[str, Any]) -> tuple[str, bool]:
    """Return the message of the fault that a script leads to, and whether nothing was begun."""
    with pytest.raises(DriverFault) as fault:
        client.driver(script).take(a_turn(root), nothing)
    return re.sub(r" \(its log: .*\)$", "", str(fault.value)), fault.value.usage


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("refusal", "refused the task: say it in other words, or choose another model"),
        ("tired", "stopped for a reason unknown here, tired"),
    ],
)
def test_only_the_agents_own_end_is_an_end(
    client: ScriptedClient, root: Path, reason: str, words: str
) -> None:
    script = {"turns": [[{"say": "I cannot"}, {"stop": reason}]]}

    assert fault_of(client, root, script) == (
        f"x-worker in qwen {words}; it said: I cannot",
        False,
    )


def test_an_answer_of_another_shape_is_not_the_protocols(
    client: ScriptedClient, root: Path
) -> None:
    message, _ = fault_of(client, root, {"turns": [[{"result": [1]}]]})

    assert message == (
        "qwen answered session/prompt with something that version 1 of the Agent Client Protocol "
        "does not know; another version of it may help: npm install -g @qwen-code/qwen-code"
    )


def test_a_client_that_dies_is_told_by_its_exit_code_and_its_last_words(
    client: ScriptedClient, root: Path
) -> None:
    script = {"turns": [[{"complain": "out of memory\x1b[0m"}, {"exit": 137}]]}

    assert fault_of(client, root, script) == (
        "qwen ended with exit code 137 in the middle: out of memory\\u{1b}[0m",
        False,
    )


def test_a_client_that_refuses_a_request_is_quoted(client: ScriptedClient, root: Path) -> None:
    error = {"code": -32603, "message": "Internal error", "data": {"details": "quota exceeded"}}

    assert fault_of(client, root, {"refuses": {"session/prompt": error}}) == (
        "qwen refused session/prompt: Internal error: quota exceeded",
        False,
    )


def test_another_version_of_the_protocol_is_refused(client: ScriptedClient, root: Path) -> None:
    message, usage = fault_of(client, root, {"version": 2})

    assert usage is True
    assert message == (
        "qwen speaks version 2 of the Agent Client Protocol, not 1: install another version of it "
        "(npm install -g @qwen-code/qwen-code)"
    )


NOT_LOGGED_IN = (
    "qwen is not logged in: run `qwen` once and log in, or set OPENAI_API_KEY and OPENAI_BASE_URL",
    True,
)


def test_a_client_that_is_not_logged_in_tells_how_to(client: ScriptedClient, root: Path) -> None:
    error = {"code": -32000, "message": "Authentication required"}

    assert fault_of(client, root, {"refuses": {"session/new": error}}) == NOT_LOGGED_IN
    assert client.heard("authenticate") == []


def test_a_client_is_logged_in_by_a_way_that_needs_nobody(
    client: ScriptedClient, root: Path
) -> None:
    error = {"code": -32000, "message": "Authentication required", "once": True}
    script = {"authMethods": ["browser", "openai"], "refuses": {"session/new": error}}
    client.driver(script).take(a_turn(root), nothing)

    assert client.heard("authenticate") == [{"methodId": "openai"}]


def test_a_login_that_fails_tells_how_to(client: ScriptedClient, root: Path) -> None:
    error = {"code": -32000, "message": "Authentication required"}
    refuses = {"session/new": error, "authenticate": {"code": 1, "message": "no key"}}

    script = {"authMethods": ["openai"], "refuses": refuses}
    assert fault_of(client, root, script) == NOT_LOGGED_IN


def test_a_program_that_is_not_there_is_named_with_what_installs_it(root: Path) -> None:
    driver = Acp("opencode", "no-such-opencode acp")
    with pytest.raises(DriverFault) as fault:
        driver.take(a_turn(root), nothing)
    driver.close()

    assert (str(fault.value), fault.value.usage) == (
        "no-such-opencode is not on PATH, which runs opencode: npm install -g opencode-ai",
        True,
    )


def test_a_client_that_writes_without_end_to_its_log_is_stopped(
    client: ScriptedClient, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pipeline.drivers.acp.process._LOG", 1_000)

    assert fault_of(client, root, {"turns": [[{"flood": 2_000}, {"sleep": 30}]]}) == (
        "qwen writes without end to its log",
        False,
    )


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            {"client": "emacs"},
            "no client emacs: --client is one of cursor, claude, codex, opencode, gemini, qwen",
        ),
        ({"client": "qwen", "command": "'"}, "--command ' cannot be read: no closing quotation"),
        (
            {"client": "qwen", "passed": ["GH_TOKEN"]},
            "GH_TOKEN is not passed to an agent: the pull request is opened by the runner alone",
        ),
        (
            {"client": "qwen", "passed": ["NO_SUCH_NAME"]},
            "NO_SUCH_NAME is to be passed to the agent, but is not set: export it, or leave it out",
        ),
    ],
)
def test_what_is_wrong_in_the_call_is_told_before_anything_starts(
    options: dict[str, Any], words: str
) -> None:
    with pytest.raises(DriverFault) as fault:
        Acp(**options)

    assert (str(fault.value), fault.value.usage) == (words, True)


def test_a_role_is_dispatched_only_where_the_client_can_find_it(
    client: ScriptedClient, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(root))
    driver = client.driver({})
    turn = a_turn(root, delegate="x-worker", role="x-planner", session="x-planner")
    with pytest.raises(DriverFault) as fault:
        driver.take(turn, nothing)
    (root / ".qwen/agents").mkdir(parents=True)
    (root / ".qwen/agents/x-worker.md").touch()
    driver.take(turn, nothing)

    assert fault.value.usage is True
    assert str(fault.value) == (
        'qwen has no definition of x-worker in ".qwen/agents", "~/.qwen/agents": '
        "run `pipeline agents export --ide qwen --to .`"
    )
