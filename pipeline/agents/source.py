"""The neutral source of the pack: texts with a name and a description, traits outside of them.

A definition's front matter holds `name` and `description` only, the two keys that every client
takes. What else a role needs stands in `pack/pack.json`, and its model in `pipeline/routing.json`.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from pipeline.agents.front_matter import read_front_matter
from pipeline.agents.routing_rule import filled

if TYPE_CHECKING:
    from collections.abc import Iterator

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "pack")


@dataclass(frozen=True, kw_only=True, slots=True)
class Agent:
    """A role: `text` is its prompt in Markdown, from the first line on.

    `reads_only`: it runs commands (tests, `git diff`) but edits no file. `dispatches`: it calls
    other agents.
    """

    name: str
    description: str
    text: str
    reads_only: bool = False
    dispatches: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Rule:
    """A rule for the agent that a person talks to; `always`: part of every prompt."""

    name: str
    description: str
    text: str
    always: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Skill:
    """A skill of one file."""

    name: str
    description: str
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Pack:
    """The whole pack, in the order of `pack.json`."""

    agents: tuple[Agent, ...]
    rules: tuple[Rule, ...]
    skills: tuple[Skill, ...]


@cache
def pack() -> Pack:
    """Return the pack as it is shipped; the routing table stands in its rule."""
    with open(os.path.join(SOURCE, "pack.json"), encoding="utf-8") as file:
        traits: dict[str, dict[str, dict[str, Any]]] = json.load(file)
    return Pack(
        agents=tuple(Agent(**each) for each in _read(traits, "agents", "{}.md")),
        rules=tuple(Rule(**each) for each in _read(traits, "rules", "{}.md")),
        skills=tuple(Skill(**each) for each in _read(traits, "skills", "{}/SKILL.md")),
    )


def _read(
    traits: dict[str, dict[str, dict[str, Any]]], folder: str, path: str
) -> Iterator[dict[str, Any]]:
    for name, more in traits[folder].items():
        with open(os.path.join(SOURCE, folder, path.format(name)), encoding="utf-8") as file:
            read = read_front_matter(file.read())
        fields = {key: field.value for key, field in read.fields.items()}
        yield {**fields, "text": filled(read.body.lstrip("\n")), **more}
