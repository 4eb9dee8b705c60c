"""The neutral source of the pack: texts with a name and a description, traits outside of them.

A definition's front matter holds `name` and `description` only, the two keys that every client
takes. What else a role needs is in `pack/pack.json`, and its model in `pipeline/routing.json`.
"""

from __future__ import annotations

import json
import os
import textwrap
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from pipeline.agents.clients.base import Agent, Rule
from pipeline.agents.definitions import read_definition
from pipeline.classify.rules import RULES
from pipeline.tiers import ROUTING

if TYPE_CHECKING:
    from collections.abc import Iterator

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "pack")
_WIDTH = 110


class Pack(NamedTuple):
    """The whole pack, in the order of `pack.json`; a skill is a rule that is asked for."""

    agents: tuple[Agent, ...]
    rules: tuple[Rule, ...]
    skills: tuple[Rule, ...]


@cache
def pack() -> Pack:
    """Return the pack as it is shipped, with the routing table in its rule."""
    with open(os.path.join(SOURCE, "pack.json"), encoding="utf-8") as file:
        traits: dict[str, dict[str, dict[str, Any]]] = json.load(file)
    return Pack(
        agents=tuple(Agent(**each) for each in _read(traits, "agents", "{}.md")),
        rules=tuple(Rule(**each) for each in _read(traits, "rules", "{}.md")),
        skills=tuple(Rule(**each) for each in _read(traits, "skills", "{}/SKILL.md")),
    )


def _read(
    traits: dict[str, dict[str, dict[str, Any]]], folder: str, path: str
) -> Iterator[dict[str, Any]]:
    for name, more in traits[folder].items():
        with open(os.path.join(SOURCE, folder, path.format(name)), encoding="utf-8") as file:
            read = read_definition(file.read())
        yield {**read.values, "text": filled(read.body.lstrip("\n")), **more}


def filled(text: str) -> str:
    """Return a text of the pack with its lines `{rules}` and `{routing}` replaced."""
    return text.replace("{rules}", "\n".join(_rules())).replace("{routing}", "\n".join(_table()))


def _rules() -> list[str]:
    return [
        textwrap.fill(f"{number}. {rule.sentence}", _WIDTH, subsequent_indent="   ")
        for number, rule in enumerate(RULES, 1)
    ]


def _table() -> list[str]:
    rows = [
        f"| `{tier}` | {', '.join(f'`{agent}`' for agent in agents)} | {_plan(agents)} |"
        for tier, agents in ROUTING.items()
    ]
    return ["| tier | agents | plan |", "| --- | --- | --- |", *rows]


def _plan(agents: tuple[str, ...]) -> str:
    """Say who writes the plan for a tier: its own subplanner, or the planner."""
    if "x-subplanner" in agents:
        return "`plan.json`, always by `x-subplanner`"
    if "x-worker" in agents:
        return "`plan.json`, which `x-planner` may write"
    return "a short `plan.json`, by `x-planner`"
