"""The neutral source is complete, portable and in agreement with the pipeline."""

from __future__ import annotations

import json
import os

import pytest

from pipeline.agents.source import SOURCE, pack
from pipeline.front_matter import read_front_matter
from pipeline.tiers import ROUTING

TEXTS = sorted(
    os.path.relpath(os.path.join(folder, name), SOURCE)
    for folder, _, names in os.walk(SOURCE)
    for name in names
    if name.endswith(".md")
)


def test_the_pack_is_seven_agents_two_rules_and_a_skill() -> None:
    agents = [each.name for each in pack().agents]
    rules = [(each.name, each.always) for each in pack().rules]

    assert agents == [
        *("x-planner", "x-subplanner", "x-worker", "x-worker-fast"),
        *("x-reviewer", "x-reviewer-fast", "x-git"),
    ]
    assert rules == [("x-planner-first", True), ("x-tier-routing", False)]
    assert [each.name for each in pack().skills] == ["x-pipeline-artifact-io"]


@pytest.mark.parametrize("path", TEXTS)
def test_a_text_has_a_name_and_a_description_and_no_other_key(path: str) -> None:
    with open(os.path.join(SOURCE, path), encoding="utf-8") as file:
        read = read_front_matter(file.read())

    assert (list(read.fields), read.problems) == (["name", "description"], ())


def test_every_text_belongs_to_a_definition() -> None:
    with open(os.path.join(SOURCE, "pack.json"), encoding="utf-8") as file:
        traits = json.load(file)

    assert (
        sorted(
            [f"agents/{name}.md" for name in traits["agents"]]
            + [f"rules/{name}.md" for name in traits["rules"]]
            + [f"skills/{name}/SKILL.md" for name in traits["skills"]]
        )
        == TEXTS
    )


def test_the_planner_dispatches_and_the_reviewers_only_read() -> None:
    traits = {each.name: (each.reads_only, each.dispatches) for each in pack().agents}

    assert traits == {
        "x-planner": (False, True),
        "x-subplanner": (False, False),
        "x-worker": (False, False),
        "x-worker-fast": (False, False),
        "x-reviewer": (True, False),
        "x-reviewer-fast": (True, False),
        "x-git": (False, False),
    }


def test_every_agent_that_a_tier_routes_to_is_in_the_pack() -> None:
    routed = {agent for agents in ROUTING.values() for agent in agents}

    assert routed - {each.name for each in pack().agents} == set()


@pytest.mark.parametrize("name", ["x-planner", "x-planner-first"])
def test_the_delegation_tool_is_named_for_more_than_one_client(name: str) -> None:
    texts = {each.name: each.text for each in pack().agents}
    texts |= {each.name: each.text for each in pack().rules}
    words = " ".join(texts[name].split())

    assert (
        "the delegation tool (Task in Cursor, Agent in Claude Code, task in opencode, …)" in words
    )
    assert "`subagent_type`" in words


def test_the_git_agent_only_words_the_commit_where_the_runner_publishes() -> None:
    (git,) = (each for each in pack().agents if each.name == "x-git")
    title = "## When the prompt says that the pipeline's runner publishes\n"
    told = " ".join(git.text.partition(title)[2].partition("\n## ")[0].split())

    assert told == (
        "Git and `git-result.json` are then the runner's: change nothing, run no git command that "
        "changes anything, and answer only with the commit message, in a block that begins with "
        "the line ` ```text `."
    )


def test_no_placeholder_is_left_in_a_text() -> None:
    texts = [each.text for each in pack().agents]
    texts += [each.text for each in pack().rules]
    texts += [each.text for each in pack().skills]

    assert [text for text in texts if "{r" in text or text.startswith("\n")] == []
