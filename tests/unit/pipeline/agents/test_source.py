"""The neutral source is complete, portable and in agreement with the pipeline."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from pipeline.agents.clients import CLIENTS
from pipeline.agents.lint import lint_trees
from pipeline.agents.routing_rule import filled
from pipeline.agents.sections import section
from pipeline.agents.source import pack
from pipeline.agents.trees import File, tree
from pipeline.classifying.rules import RULES
from pipeline.tiers import CLIENTS as NAMES

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


@pytest.mark.parametrize("client", NAMES)
def test_an_exported_tree_lints_clean(client: str, tmp_path: Path) -> None:
    files = tree(CLIENTS[client], pack())
    for file in files:
        path = tmp_path / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(file.text, encoding="utf-8", newline="\n")
    checked = lint_trees(str(tmp_path))

    assert [each for each in checked if each.problems] == []
    assert {each.path for each in checked} == {file.path for file in files if not file.shared}


@pytest.mark.parametrize("client", NAMES)
def test_every_prompt_reaches_the_client_whole(client: str) -> None:
    files: dict[str, File] = {
        file.path: file for file in tree(CLIENTS[client], pack()) if not file.shared
    }
    path = CLIENTS[client].agent_path

    assert [
        agent.name
        for agent in pack().agents
        if agent.text not in files[path.format(name=agent.name)].text
    ] == []
