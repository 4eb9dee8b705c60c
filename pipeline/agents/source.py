"""The neutral source of the pack: texts with a name and a description; their traits are elsewhere.

A definition's front matter holds `name` and `description` only, the two keys that every client
takes. What else a role needs is in `pack/pack.json`, and its model in `pipeline/routing.json`.
"""

from __future__ import annotations

import json
import os
import textwrap
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from pipeline.agents.clients.base import Agent, PackRule
from pipeline.agents.definitions import read_definition
from pipeline.classify.rules import RULES
from pipeline.tiers import ROUTING

if TYPE_CHECKING:
    from collections.abc import Iterator

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "pack")


class Pack(NamedTuple):
    """The whole pack, in the order of `pack.json`; a skill is a rule that is read on request."""

    agents: tuple[Agent, ...]
    rules: tuple[PackRule, ...]
    skills: tuple[PackRule, ...]


@cache
def pack() -> Pack:
    """Return the pack as it is shipped, with the routing table in its rule."""
    with open(os.path.join(SOURCE, "pack.json"), encoding="utf-8") as file:
        traits = json.load(file)
    return Pack(
        agents=tuple(Agent(**fields) for fields in _read(traits, "agents", "{}.md")),
        rules=tuple(PackRule(**fields) for fields in _read(traits, "rules", "{}.md")),
        skills=tuple(PackRule(**fields) for fields in _read(traits, "skills", "{}/SKILL.md")),
    )


def _read(traits: Any, folder: str, path: str) -> Iterator[dict[str, Any]]:
    for name, more in traits[folder].items():
        with open(os.path.join(SOURCE, folder, path.format(name)), encoding="utf-8") as file:
            read = read_definition(file.read())
        yield {**read.values, "text": filled(read.body.lstrip("\n")), **more}


def filled(text: str) -> str:
    """Return a text of the pack with its lines `{rules}` and `{routing}` replaced."""
    rules = [
        textwrap.fill(f"{number}. {rule.sentence}", 110, subsequent_indent="   ")
        for number, rule in enumerate(RULES, 1)
    ]
    routing = ["| tier | agents | plan |", "| --- | --- | --- |"]
    for tier, agents in ROUTING.items():
        plan = "a short `plan.json`, by `x-planner`"
        if "x-subplanner" in agents:
            plan = "`plan.json`, always by `x-subplanner`"
        elif "x-worker" in agents:
            plan = "`plan.json`, which `x-planner` may write"
        routing.append(f"| `{tier}` | {', '.join(f'`{agent}`' for agent in agents)} | {plan} |")
    return text.replace("{rules}", "\n".join(rules)).replace("{routing}", "\n".join(routing))
