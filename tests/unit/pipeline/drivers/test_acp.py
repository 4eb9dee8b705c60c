"""The driver `acp` against a scripted agent: turns, options, faults; nothing is left running."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from pipeline.agents.clients import CLIENTS
from pipeline.bootstrap import ROOT, called_as
from pipeline.drivers import processes
from pipeline.drivers.acp.driver import Acp
from pipeline.drivers.acp.options import Option, meant, options_of
from pipeline.drivers.base import Reply
from pipeline.drivers.reports import RateLimited
from pipeline.terminal.fault import Fault
from pipeline.tiers import Selection
from tests.stubs.scripted_client import a_turn, choice, gone, wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.stubs.scripted_client import ScriptedClient

MODELS = choice("model", "small(openai)", "large(openai)")
STRONG = Selection(model="large")
LEFT = {"sessionUpdate": "config_option_update", "configOptions": [MODELS]}
LEFT_ITS_MODEL = (
    'qwen was asked to use the model "large(openai)", but reports "small(openai)"; '
    'it offers "small(openai)", "large(openai)"'
)
NO_QUOTA = {"code": -32603, "message": "Internal error", "data": {"details": "quota exceeded"}}
UNAUTHENTICATED = {"code": -32000, "message": "Authentication required"}
NOT_LOGGED_IN = (
    "qwen is not logged in: run `qwen` once and log in, or set OPENAI_API_KEY and OPENAI_BASE_URL"
)
UNKNOWN = "is not valid in version 1 of the Agent Client Protocol"


def a_call(**fields: Any) -> dict[str, Any]:
    return {"update": {"sessionUpdate": "tool_call", "toolCallId": "1", **fields}}


def with_options(*each: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return a script whose sessions have options."""
    return {"session": {"configOptions": list(each)}, **more}


def chosen(client: ScriptedClient) -> list[tuple[str, str, str | bool]]:
    """Return what the client was asked to set: session, option, value."""
    sent = client.heard("session/set_config_option")
    return [(each["sessionId"], each["configId"], each["value"]) for each in sent]


def test_the_prompt_reaches_the_agent_in_the_repository_and_its_last_words_come_back(
    client: ScriptedClient,
) -> None:
    turn = [
        {"say": "I look"},
        {"print": "Loading the settings"},
        {"update": {"sessionUpdate": "something_new", "content": 7}},
        {"update": "nothing"},
        a_call(title="\x1b[2J" + "x" * 100),
        {"say": "app"},
        {"say": "roved\n"},
        {"start": 60},
    ]
    driver = client.driver({"turns": [turn]}, "cursor")

    assert driver.take(a_turn(client.root), client.tell) == Reply(text="approved")
    assert client.heard("session/new") == [{"cwd": str(client.root), "mcpServers": []}]
    assert client.heard("session/prompt") == [
        {"sessionId": "session-1", "prompt": [{"type": "text", "text": "Do the work."}]}
    ]
    assert client.messages == ["\\u{1b}[2J" + "x" * 62 + "…"]
    offered = client.heard("initialize")[0]["clientCapabilities"]
    assert offered["fs"] == {"readTextFile": False, "writeTextFile": False}
    assert offered["terminal"] is False
    assert offered["_meta"] == {"parameterizedModelPicker": True}  # Cursor's way to offer efforts
    driver.close()
    client.drivers.clear()
    assert gone(client.started())


def test_turns_of_one_session_continue_in_one_conversation_with_a_model_of_its_own(
    client: ScriptedClient,
) -> None:
    turns = [[{"say": "one"}], [{"say": "two"}], [{"say": "three"}]]
    driver = client.driver(with_options(MODELS, turns=turns))

    replies = [
        driver.take(
            a_turn(client.root, session=name, role=name, selection=Selection(model=model)),
            client.tell,
        )
        for name, model in (("x-worker", "small"), ("x-reviewer", "large"), ("x-worker", "small"))
    ]

    small, large = "small(openai)", "large(openai)"
    assert [(reply.text, reply.model) for reply in replies] == [
        *(("one", small), ("two", large), ("three", small))
    ]
    assert [each["sessionId"] for each in client.heard("session/prompt")] == [
        *("session-1", "session-2", "session-1")
    ]
    assert chosen(client) == [("session-1", "model", small), ("session-2", "model", large)]
    assert len(client.heard("initialize")) == 1


def test_a_question_to_a_person_is_refused_and_the_turn_continues(client: ScriptedClient) -> None:
    turn = [{"request": {"method": "cursor/ask_question", "params": {}}}]

    reply = client.taken({"turns": [turn]})

    assert '"code": -32601' in reply.text


def test_an_answer_is_kept_up_to_a_limit(client: ScriptedClient) -> None:
    turn = [{"say": "x" * 90_000}, {"say": "y" * 90_000}]

    reply = client.taken({"turns": [turn]})

    assert reply.text == "x" * 10_000 + "y" * 90_000


@pytest.mark.slow
def test_a_turn_that_takes_too_long_ends_with_all_that_runs_in_it(client: ScriptedClient) -> None:
    driver = client.driver({"turns": [[{"start": 60}, {"sleep": 60}]]}, seconds=3.0)

    with pytest.raises(Fault, match=r"^x-worker in qwen did not finish within 3 seconds") as it:
        driver.take(a_turn(client.root), client.tell)
    assert it.value.code == 1
    assert gone(client.started())


@pytest.fixture
def _interruptible() -> Iterator[None]:
    """Let Ctrl-C interrupt, which a shell has switched off for what it runs in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("_interruptible")
def test_ctrl_c_cancels_the_turn_and_ends_the_client(client: ScriptedClient) -> None:
    driver = client.driver({"turns": [[{"start": 60}, {"hear": "session/cancel"}]]})
    began = client.folder / "started.pid"

    def press() -> None:
        wait_for(began.exists)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=press).start()
    with pytest.raises(KeyboardInterrupt):
        driver.take(a_turn(client.root), client.tell)

    assert gone(client.started())
    assert client.heard("session/cancel") == [{"sessionId": "session-1"}]


def test_a_client_ends_by_itself_when_the_run_is_killed(client: ScriptedClient) -> None:
    client.driver({"turns": [[{"hear": "session/cancel"}]]})
    code = (
        "import sys; from pathlib import Path; "
        "from tests.stubs.scripted_client import PROGRAM, a_turn; "
        "from pipeline.drivers.acp.driver import Acp; "
        "from pipeline.agents.clients.base import Profile; "
        "words = (sys.executable, str(PROGRAM), sys.argv[1]); "
        "profile = Profile(name='mine', argv=words, install='', login=''); "
        "driver = Acp(profile, seconds=60); "
        "driver.take(a_turn(Path(sys.argv[2])), print)"
    )
    words = [sys.executable, "-c", code, str(client.folder), str(client.root)]
    run = subprocess.Popen(words, cwd=ROOT)
    heard = client.folder / "heard.jsonl"
    wait_for(lambda: heard.exists() and "session/prompt" in heard.read_text())
    (agent,) = processes.descendants(run.pid)

    run.kill()
    run.wait()

    assert gone(agent.pid)


def test_after_a_fault_the_client_starts_anew_and_its_log_is_kept(
    client: ScriptedClient, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(logs))
    turns = [[{"complain": "all well"}], [{"exit": 1}]]
    driver = client.driver({"turns": turns})
    driver.take(a_turn(root), client.tell)
    with pytest.raises(Fault) as fault:
        driver.take(a_turn(root), client.tell)
    (log,) = logs.iterdir()
    driver.take(a_turn(root), client.tell)
    driver.close()
    client.drivers.clear()

    assert str(fault.value).endswith(f": all well (the client's log: {log})")
    assert list(logs.iterdir()) == [log]


@pytest.mark.parametrize(
    ("script", "selection", "said"),
    [
        (
            {"turns": [[{"say": "I cannot"}, {"stop": "refusal"}]]},
            Selection(),
            (
                "x-worker in qwen refused the task: rephrase it, or choose a different model;"
                " the agent said: I cannot"
            ),
        ),
        (
            {"turns": [[{"result": [1]}]]},
            Selection(),
            (
                f"qwen sent an answer to session/prompt that {UNKNOWN}: try a different release "
                "of the client (docs/how-to/install-a-client.md lists the tested releases)"
            ),
        ),
        (
            {"turns": [[{"complain": "out of memory\x1b[0m"}, {"exit": 137}]]},
            Selection(),
            "qwen unexpectedly ended with exit code 137: out of memory\\u{1b}[0m",
        ),
        (
            {"refuses": {"session/prompt": NO_QUOTA}},
            Selection(),
            "qwen refused session/prompt: Internal error: quota exceeded",
        ),
        (
            {"turns": [[{"flood": 2_000}, {"sleep": 30}]]},
            Selection(),
            "qwen wrote more than 1,000 bytes to its log",
        ),
        (with_options(MODELS, confirms={"model": "small(openai)"}), STRONG, LEFT_ITS_MODEL),
        (with_options(MODELS, turns=[[{"update": LEFT}]]), STRONG, LEFT_ITS_MODEL),
    ],
)
def test_whatever_a_client_does_in_place_of_its_work_is_one_fault(
    client: ScriptedClient,
    monkeypatch: pytest.MonkeyPatch,
    script: dict[str, Any],
    selection: Selection,
    said: str,
) -> None:
    monkeypatch.setattr("pipeline.drivers.acp.connection.MAX_LOG", 1_000)

    with pytest.raises(Fault) as fault:
        client.taken(script, selection=selection)

    assert re.sub(r" \(the client's log: .*\)$", "", str(fault.value)) == said
    assert fault.value.code == 1


@pytest.mark.parametrize(
    ("script", "selection", "said"),
    [
        (
            {"version": 2},
            Selection(),
            (
                "qwen speaks version 2 of the Agent Client Protocol, not 1: install a release"
                " of qwen that speaks version 1"
                " (docs/how-to/install-a-client.md lists the tested releases)"
            ),
        ),
        ({"refuses": {"session/new": UNAUTHENTICATED}}, Selection(), NOT_LOGGED_IN),
        (
            {
                "authMethods": ["openai"],
                "refuses": {
                    "session/new": UNAUTHENTICATED,
                    "authenticate": {"code": 1, "message": "no key"},
                },
            },
            Selection(),
            NOT_LOGGED_IN,
        ),
        (
            with_options(MODELS),
            Selection(model="huge"),
            (
                'qwen does not offer the model "huge": it offers "small(openai)", "large(openai)"; '
                "choose one with --model x-worker=ID"
            ),
        ),
        (
            {},
            STRONG,
            (
                'qwen does not let you choose a model, but x-worker needs "large": '
                "leave out --model and choose it in the client's settings, or update the client"
            ),
        ),
    ],
)
def test_a_client_that_cannot_be_used_is_reported_with_what_helps(
    client: ScriptedClient, script: dict[str, Any], selection: Selection, said: str
) -> None:
    with pytest.raises(Fault) as fault:
        client.taken(script, selection=selection)

    assert re.sub(r" \(the client's log: .*\)$", "", str(fault.value)) == said
    assert fault.value.code == 2


def test_a_client_is_logged_in_by_a_way_that_needs_no_one(client: ScriptedClient) -> None:
    error = {**UNAUTHENTICATED, "once": True}
    script = {"authMethods": ["browser", "openai"], "refuses": {"session/new": error}}

    client.taken(script)

    assert client.heard("authenticate") == [{"methodId": "openai"}]


def test_a_program_that_is_not_there_is_named_with_what_installs_it(client: ScriptedClient) -> None:
    driver = Acp(replace(CLIENTS["opencode"], argv=("no-such-opencode", "acp")), seconds=20)

    with pytest.raises(Fault) as fault:
        driver.take(a_turn(client.root), client.tell)
    driver.close()

    assert (str(fault.value), fault.value.code) == (
        "no-such-opencode, which runs opencode, is not on PATH: npm install -g opencode-ai",
        2,
    )


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            {"passed": ["GH_TOKEN"]},
            "--pass-env GH_TOKEN is not allowed because only the runner opens the pull request",
        ),
        (
            {"passed": ["NO_SUCH_NAME"]},
            (
                "NO_SUCH_NAME cannot be passed to an agent because it is not set: export it, "
                "or leave out --pass-env"
            ),
        ),
    ],
)
def test_what_is_wrong_in_the_call_is_reported_before_anything_starts(
    options: dict[str, Any], words: str
) -> None:
    with pytest.raises(Fault) as fault:
        Acp(CLIENTS["qwen"], seconds=20, **options)

    assert (str(fault.value), fault.value.code) == (words, 2)


def test_a_role_is_dispatched_only_where_the_client_can_find_it(
    client: ScriptedClient, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(root))
    driver = client.driver({})
    turn = a_turn(root, delegate="x-worker", role="x-planner", session="x-planner")
    with pytest.raises(Fault) as fault:
        driver.take(turn, client.tell)

    (root / ".qwen/agents").mkdir(parents=True)
    (root / ".qwen/agents/x-worker.md").touch()
    driver.take(turn, client.tell)

    assert (str(fault.value), fault.value.code) == (
        (
            'qwen has no definition of x-worker in ".qwen/agents", "~/.qwen/agents": '
            f"run `{called_as('pipeline')} agents export --ide qwen --to {root}`"
        ),
        2,
    )


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("claude", ".claude/agents/x-worker.md"),
        ("codex", ".codex/agents/x-worker.toml"),
        ("copilot", ".github/agents/x-worker.agent.md"),
    ],
)
def test_p7_the_definition_that_is_exported_for_a_client_is_found(
    client: ScriptedClient, root: Path, name: str, path: str
) -> None:
    driver = client.driver({}, name)
    turn = a_turn(root, delegate="x-worker", role="x-planner", session="x-planner")
    with pytest.raises(Fault, match=f"{name} has no definition of x-worker"):
        driver.take(turn, client.tell)

    (root / path).parent.mkdir(parents=True)
    (root / path).touch()

    assert CLIENTS[name].places[0].file("x-worker") == path
    assert driver.take(turn, client.tell).text == client.taken({}).text


def test_the_older_way_is_taken_where_there_is_no_other(client: ScriptedClient) -> None:
    offered = [{"modelId": model, "name": model} for model in ("gemini-a", "gemini-b")]
    modes = {"currentModeId": "plan", "availableModes": [{"id": "plan"}, {"id": "default"}]}
    models = {"currentModelId": "gemini-a", "availableModels": offered}
    script = {"session": {"models": models, "modes": modes}}

    turn = a_turn(client.root, selection=Selection(model="gemini-b"))
    reply = client.driver(script, "gemini").take(turn, client.tell)

    assert client.heard("session/set_mode") == [{"sessionId": "session-1", "modeId": "default"}]
    assert client.heard("session/set_model") == [{"sessionId": "session-1", "modelId": "gemini-b"}]
    assert reply.model == "gemini-b"


def test_a_mode_is_set_for_what_the_role_may_do(client: ScriptedClient) -> None:
    script = with_options(choice("mode", "agent-full-access", "agent", "read-only"))
    driver = client.driver(script, "codex")

    driver.take(a_turn(client.root), client.tell)
    driver.take(a_turn(client.root, session="x-git", role="x-git", writes="nothing"), client.tell)

    assert chosen(client) == [("session-1", "mode", "agent"), ("session-2", "mode", "read-only")]


@pytest.mark.parametrize(
    ("option", "selection", "value"),
    [
        (choice("thought_level", "low", "high"), Selection(effort="high"), "high"),
        (choice("effort", "low", "high", category=None), Selection(effort="high"), "high"),
        (
            {"id": "fast", "name": "Fast", "type": "boolean", "currentValue": False},
            Selection(fast=True),
            True,
        ),
    ],
)
def test_effort_and_pace_are_set_by_the_options_category_or_else_its_id(
    client: ScriptedClient,
    option: dict[str, Any],
    selection: Selection,
    value: str | bool,  # noqa: FBT001  # a value of the protocol
) -> None:
    client.taken(with_options(option), selection=selection)

    assert chosen(client) == [("session-1", option["id"], value)]


def test_an_effort_that_is_not_offered_is_reported_and_left(client: ScriptedClient) -> None:
    turn = a_turn(client.root, selection=Selection(effort="high", fast=True))

    client.driver(with_options(choice("thought_level", "low"))).take(turn, client.tell)

    assert chosen(client) == []
    assert client.messages == [
        "qwen does not offer the effort high; the turn continues without it",
        "qwen does not offer the fast variant; the turn continues without it",
    ]


def test_config_options_are_known_by_category_before_id_and_before_the_older_way() -> None:
    answer = {
        "models": {"currentModelId": "old", "availableModels": [{"modelId": "old"}]},
        "configOptions": [
            {"id": "model", "category": "other", "currentValue": "wrong"},
            {
                "id": "llm",
                "category": "model",
                "currentValue": "new",
                "options": [7, {"name": "nameless"}, {"value": "new", "name": "New"}],
            },
        ],
    }

    assert options_of(answer) == {"model": Option(id="llm", current="new", offered={"new": "New"})}


@pytest.mark.parametrize(
    "answer",
    [
        {"configOptions": None, "models": None, "modes": None},
        {"configOptions": "none", "models": [], "modes": 7},
        {"configOptions": [7, {}, {"id": ["model"], "category": {"of": "mine"}}]},
    ],
)
def test_what_is_not_as_the_protocol_says_is_left_out(answer: dict[str, Any]) -> None:
    assert options_of(answer) == {}


@pytest.mark.parametrize(
    ("asked", "value"),
    [
        ("claude-opus[1m]", "claude-opus[1m]"),
        ("Opus", "opus"),
        ("gpt", "gpt(openai)"),
        ("composer", "composer[fast=false]"),
        ("comp", None),
    ],
)
def test_a_model_is_meant_by_its_value_its_name_or_its_id(asked: str, value: str | None) -> None:
    values = ("claude-opus[1m]", "opus", "gpt(openai)", "composer[fast=false]", "composer[]")
    offered = {each: each.title() for each in values}

    assert meant(Option(id="model", current="", offered=offered), asked) == value


ASKS = "https://agentclientprotocol.com/protocol/session-modes#agent"


@pytest.mark.parametrize(
    ("offered", "expected"), [(("yolo", "build", "ask"), "ask"), (("plan", ASKS), ASKS)]
)
def test_p9_an_unknown_client_gets_a_mode_of_those_that_it_offers_and_that_asks(
    client: ScriptedClient, offered: tuple[str, ...], expected: str
) -> None:
    modes = {"currentModeId": "yolo", "availableModes": [{"id": each} for each in offered]}
    reply = client.taken({"session": {"modes": modes}}, "mine")

    assert reply == Reply(text="")
    assert [each["modeId"] for each in client.heard("session/set_mode")] == [expected]


def test_p9_a_client_whose_modes_all_act_without_asking_is_refused(client: ScriptedClient) -> None:
    modes = {"currentModeId": "yolo", "availableModes": [{"id": "yolo"}]}
    with pytest.raises(Fault) as fault:
        client.taken({"session": {"modes": modes}}, "mine")

    assert str(fault.value) == 'mine does not offer the mode "default": it offers "yolo"'


def test_i31_a_client_whose_model_takes_no_requests_says_so_by_its_code(
    client: ScriptedClient,
) -> None:
    full = {"code": 429, "message": "Try again later."}
    driver = client.driver({"refuses": {"session/prompt": full}, "turns": [[]]}, "gemini")
    with pytest.raises(RateLimited) as fault:
        driver.take(a_turn(client.root), client.tell)

    assert (fault.value.lines, fault.value.code) == (
        ("gemini refused session/prompt: Try again later.",),
        1,
    )
