"""A driver is made by its name, from options that are for it."""

from __future__ import annotations

import builtins
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pipeline.agents.clients import CLIENTS
from pipeline.bootstrap import ROOT
from pipeline.drivers.acp.permissions import RULES
from pipeline.drivers.command import PLACEHOLDERS
from pipeline.drivers.environment import COMMON, FORGE_TOKENS
from pipeline.drivers.registry import DRIVERS, DriverOptions, driver
from pipeline.terminal.fault import Fault
from tests.stubs.scripted_client import a_turn

if TYPE_CHECKING:
    from tests.stubs.scripted_client import ScriptedClient


KNOWN = "cursor, claude, opencode, codex, gemini, qwen, copilot, vibe"


def fault_of(name: str, **options: Any) -> str:
    with pytest.raises(Fault) as fault:
        driver(DriverOptions(driver=name, **options))
    assert fault.value.code == 2
    return str(fault.value)


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        (
            "acp",
            {"client": "goose"},
            (
                f"--client goose: expected one of {KNOWN}, or any name with --client-command, "
                "the command that starts it as an Agent Client Protocol agent"
            ),
        ),
        (
            "acp",
            {"client": "goose", "client_command": "goose acp", "delegate": True},
            (
                "goose cannot run with --delegate: it is not known where it looks for agents; "
                "leave out --delegate"
            ),
        ),
        (
            "acp",
            {"client": "goose", "client_command": "goose 'acp"},
            "--client-command goose 'acp cannot be read: no closing quotation",
        ),
        ("acp", {"template": "agent"}, "--command cannot be used with --driver acp"),
        (
            *("command", {"commands": ["make"]}),
            "--allow-command cannot be used with --driver command",
        ),
        ("command", {"client": "qwen"}, "--client cannot be used with --driver command"),
        ("", {"client": "qwen", "template": "a"}, "--client cannot be used with --command"),
    ],
)
def test_an_option_that_is_for_another_driver_is_refused(
    name: str, options: dict[str, Any], words: str
) -> None:
    assert fault_of(name, **options) == words


def test_p1_a_client_that_would_wait_forever_does_not_delegate() -> None:
    assert fault_of("acp", client="opencode", delegate=True) == (
        "opencode cannot run with --delegate: it does not forward its subagents' "
        "questions, so the run would wait forever; leave out --delegate"
    )


def test_p7_a_client_whose_subagents_run_in_the_background_does_not_delegate() -> None:
    assert fault_of("acp", client="vibe", delegate=True) == (
        "vibe cannot run with --delegate: its subagents run in the background, and it has no call "
        "that waits for one; leave out --delegate"
    )


def test_a_template_alone_is_for_the_driver_command() -> None:
    assert driver(DriverOptions(template="agent")).name == "command"


def test_without_the_sdk_of_the_protocol_the_command_that_installs_it_is_reported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    usual = builtins.__import__

    def without_acp(name: str, *rest: Any) -> Any:
        if name == "pipeline.drivers.acp.driver":
            raise ModuleNotFoundError("No module named 'acp'", name="acp.connection")
        return usual(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without_acp)

    assert fault_of("acp", client="qwen") == (
        "--driver acp needs the Agent Client Protocol's SDK: run `python3 start.py headless`"
    )


@pytest.mark.parametrize("name", CLIENTS)
def test_a_profile_is_complete_and_hands_on_no_token_of_a_forge(name: str) -> None:
    profile = CLIENTS[name]
    texts = (profile.install, profile.login, profile.program)

    assert (profile.name, all(texts)) == (name, True)
    assert profile.definitions != ()
    assert set(FORGE_TOKENS).isdisjoint({*COMMON, *profile.keys, *profile.environment})


def test_the_agents_process_has_that_environment(
    client: ScriptedClient, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("GITHUB_TOKEN", "OPENAI_API_KEY", "OF_THE_USER"):
        monkeypatch.setenv(name, "secret")
    client.driver({}, passed=["OF_THE_USER"]).take(a_turn(root), client.tell)
    found = client.environment()

    assert sorted(name for name, value in found.items() if value == "secret") == [
        "OF_THE_USER",
        "OPENAI_API_KEY",
    ]


PAGE = Path(ROOT, "docs/reference/drivers.md").read_text("utf-8")
GUIDE = Path(ROOT, "docs/how-to/install-a-client.md").read_text("utf-8")
CELLS = [[cell.strip() for cell in line.split("|")[1:-1]] for line in PAGE.splitlines()]


@pytest.mark.parametrize("name", CLIENTS)
def test_every_client_has_its_section(name: str) -> None:
    section = GUIDE.partition(f"--client {name}`")

    assert section[1] != ""
    assert f"`{CLIENTS[name].definitions[0]}" in section[2].partition("\n## ")[0]


@pytest.mark.parametrize("text", [*DRIVERS, *RULES, *FORGE_TOKENS])
def test_every_name_of_the_tables_is_on_the_page(text: str) -> None:
    assert f"`{text}`" in PAGE


def test_every_placeholder_has_its_row() -> None:
    assert [cells[0] for cells in CELLS if cells and cells[0].startswith("`{")] == [
        f"`{{{name}}}`" for name in PLACEHOLDERS
    ]
