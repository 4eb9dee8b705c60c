"""The files that one client needs of the pack."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pipeline.agents.hooks import files_of
from pipeline.agents.sections import section
from pipeline.agents.writing_fields import with_front_matter
from pipeline.tiers import selection

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pipeline.agents.clients.base import Client
    from pipeline.agents.source import Pack


class File(NamedTuple):
    """A file of a tree: its path relative to the project's root, with `/`, and its text.

    `shared`: the text is one section of a file that is otherwise the user's own, or, of a `.json`
    file, the hooks that are put among the user's.
    """

    path: str
    text: str
    shared: bool = False


def tree(client: Client, pack: Pack, *, hooks: bool = False) -> tuple[File, ...]:
    """Return what a client needs: agents, rules, skills, in this order, and hooks if wanted.

    Raises:
        KeyError: hooks are wanted, and the client has none.
    """
    more = files_of(client.name) if hooks else ()
    return (*_agents(client, pack), *_rules(client, pack), *_skills(client, pack), *more)


def _agents(client: Client, pack: Pack) -> Iterator[File]:
    for agent in pack.agents:
        text = client.agent(agent, selection(client.name, agent.name))
        yield File(client.agent_path.format(name=agent.name), text)


def _rules(client: Client, pack: Pack) -> Iterator[File]:
    if client.rule is not None:
        for rule in pack.rules:
            yield File(client.rule_path.format(name=rule.name), client.rule(rule))
    else:
        yield File(client.instructions, section(pack.rules), shared=True)


def _skills(client: Client, pack: Pack) -> Iterator[File]:
    for folder in client.skills:
        for skill in pack.skills:
            fields = {"name": skill.name, "description": skill.description}
            text = with_front_matter(fields, skill.text)
            yield File(f"{folder}/{skill.name}/SKILL.md", text)
