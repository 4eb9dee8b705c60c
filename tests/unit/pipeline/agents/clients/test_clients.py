"""How each client's agents say their model and that they only read."""

from __future__ import annotations

from typing import Any

import pytest

from pipeline.agents.clients import CLIENTS
from pipeline.agents.source import Agent
from pipeline.agents.toml_reading import read_toml
from pipeline.agents.yaml_reading import read_yaml
from pipeline.tiers import Selection

PLAIN = Agent(name="x-worker", description="Use: it", text="Prompt\n")
READS = Agent(name="x-reviewer", description="d", text="Prompt\n", reads_only=True)
LEADS = Agent(name="x-planner", description="d", text="Prompt\n", dispatches=True)
INHERITED = Selection()
CHOSEN = Selection(model="a/m-2.5", effort="high", fast=True)
SHELL_AND_READING = [*("read_file", "list_directory", "glob", "grep_search", "run_shell_command")]


def fields(client: str, agent: Agent, selection: Selection = INHERITED) -> dict[str, Any]:
    text = CLIENTS[client].agent(agent, selection)
    document = read_toml(text) if client == "codex" else read_yaml(text)
    known = ("name", "description", "developer_instructions")
    return {key: value for key, value in document.values.items() if key not in known}


@pytest.mark.parametrize(
    ("client", "expected"),
    [
        ("cursor", {"model": "a/m-2.5[effort=high,fast=true]"}),
        ("claude", {"model": "a/m-2.5", "effort": "high"}),
        ("opencode", {"mode": "subagent", "model": "a/m-2.5", "reasoningEffort": "high"}),
        ("codex", {"model": "a/m-2.5", "model_reasoning_effort": "high"}),
        ("gemini", {"model": "a/m-2.5"}),
        ("qwen", {"model": "a/m-2.5"}),
        ("copilot", {"model": "a/m-2.5"}),
    ],
)
def test_a_chosen_model_is_written_as_the_client_spells_it(
    client: str, expected: dict[str, Any]
) -> None:
    assert fields(client, PLAIN, CHOSEN) == expected


@pytest.mark.parametrize(
    ("client", "expected"),
    [
        ("cursor", {"model": "inherit"}),  # its readonly would also stop the tests
        ("claude", {"tools": "Read, Grep, Glob, Bash", "model": "inherit"}),
        ("codex", {"sandbox_mode": "read-only"}),
        ("gemini", {"tools": SHELL_AND_READING, "model": "inherit"}),
        ("qwen", {"tools": SHELL_AND_READING, "model": "inherit"}),
        ("copilot", {"tools": ["read", "search", "execute"]}),
    ],
)
def test_a_reviewer_keeps_the_shell_and_loses_the_editor(
    client: str, expected: dict[str, Any]
) -> None:
    assert fields(client, READS) == expected


def test_a_reviewer_in_opencode_asks_before_a_command_that_no_review_needs() -> None:
    permission = fields("opencode", READS)["permission"]

    assert permission["edit"] == "deny"
    assert list(permission["bash"].items()) == [
        ("*", "ask"),  # first: the last pattern that matches decides
        ("git status*", "allow"),
        ("git diff*", "allow"),
        ("git log*", "allow"),
        ("git show*", "allow"),
        ("git *--output*", "ask"),
        ("python3 pipeline/schema.py*", "allow"),
        ("npm test*", "allow"),
    ]


def test_the_planner_may_dispatch_in_opencode_also_as_a_subagent() -> None:
    assert fields("opencode", LEADS) == {"mode": "all", "permission": {"task": "allow"}}


@pytest.mark.parametrize(
    "prompt", ["Prompt\n", "It's ''' three\n", 'a \\ "b"\n', "\x7f\n", "a\r\nb\n", "'", "\n\nx"]
)
def test_a_prompt_survives_toml(prompt: str) -> None:
    agent = Agent(name="x-a", description='say "\x7f"', text=prompt)
    values = read_toml(CLIENTS["codex"].agent(agent, INHERITED)).values

    assert values == {"name": "x-a", "description": 'say "\x7f"', "developer_instructions": prompt}
