"""The neutral source is complete, and each client's agents say what it means."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from pipeline.agents.clients import CLIENTS
from pipeline.agents.clients.base import Agent
from pipeline.agents.definitions import read_definition, read_toml
from pipeline.agents.export import File, section, tree
from pipeline.agents.lint import lint_trees
from pipeline.agents.source import filled, pack
from pipeline.classify.rules import RULES
from pipeline.tiers import Selection

if TYPE_CHECKING:
    from pathlib import Path


def test_no_placeholder_is_left_in_a_text() -> None:
    texts = [each.text for each in pack().agents]
    texts += [each.text for each in pack().rules]
    texts += [each.text for each in pack().skills]

    assert [text for text in texts if "{r" in text or text.startswith("\n")] == []


def test_the_rules_are_the_classifiers_in_their_order() -> None:
    items = re.split(r"\n(?=\d+\. )", filled("{rules}"))

    assert [" ".join(item.split()) for item in items] == [
        f"{number}. {rule.sentence}" for number, rule in enumerate(RULES, 1)
    ]


def test_the_instructions_are_one_shared_section_and_the_same_for_every_client() -> None:
    shared = {
        (file.path, file.text)
        for client in CLIENTS.values()
        for file in tree(client, pack())
        if file.shared
    }
    text = section(pack().rules)

    assert shared == {("AGENTS.md", text), ("CLAUDE.md", text), ("GEMINI.md", text)}


@pytest.mark.parametrize("client", CLIENTS)
def test_an_exported_tree_lints_clean(client: str, tmp_path: Path) -> None:
    files = tree(CLIENTS[client], pack())
    for file in files:
        path = tmp_path / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(file.text, encoding="utf-8", newline="\n")
    checked = lint_trees(str(tmp_path))

    assert [each for each in checked if each.problems] == []
    assert {each.path for each in checked} == {file.path for file in files if not file.shared}


@pytest.mark.parametrize("client", CLIENTS)
def test_every_prompt_reaches_the_client_whole(client: str) -> None:
    files: dict[str, File] = {
        file.path: file for file in tree(CLIENTS[client], pack()) if not file.shared
    }
    place = CLIENTS[client].places[0]

    assert [
        agent.name
        for agent in pack().agents
        if agent.text not in files[place.file(agent.name)].text
    ] == []


PLAIN = Agent(name="x-worker", description="Use: it", text="Prompt\n")
READS = Agent(name="x-reviewer", description="d", text="Prompt\n", reads_only=True)
LEADS = Agent(name="x-planner", description="d", text="Prompt\n", dispatches=True)
INHERITED = Selection()
CHOSEN = Selection(model="a/m-2.5", effort="high", fast=True)
SHELL_AND_READING = [*("read_file", "list_directory", "glob", "grep_search", "run_shell_command")]


def fields(client: str, agent: Agent, selection: Selection = INHERITED) -> dict[str, Any]:
    text = CLIENTS[client].agent(agent, selection)
    document = read_toml(text) if client in ("codex", "vibe") else read_definition(text)
    known = ("name", "description", "developer_instructions", "instructions")
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
        ("vibe", {"agent_type": "subagent", "active_model": "a/m-2.5"}),
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
        ("vibe", {"agent_type": "subagent", "disabled_tools": ["edit", "write_file"]}),
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
