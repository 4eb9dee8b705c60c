"""GitHub Copilot and VS Code: `.github/agents/` and `AGENTS.md`.

Source: docs.github.com/en/copilot/reference/custom-agents-configuration.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.agents.clients.base import Client, Place, skills_in, with_front_matter

if TYPE_CHECKING:
    from pipeline.agents.clients.base import Agent, Value
    from pipeline.tiers import Selection

_READS = ["read", "search", "execute"]


def _agent(agent: Agent, selection: Selection) -> str:
    fields: dict[str, Value] = {"name": agent.name, "description": agent.description}
    if agent.reads_only:
        fields["tools"] = _READS
    if selection.model:
        fields["model"] = selection.model
    return with_front_matter(fields, agent.text)


CLIENT = Client(
    name="copilot",
    places=(
        Place(".github/agents", "copilot-agent", (".agent.md", ".md")),
        *skills_in(".github/skills"),
    ),
    agent_path=".github/agents/{name}.agent.md",
    agent=_agent,
    instructions="AGENTS.md",
    skills=(".agents/skills",),
    next_step="Reload the window in VS Code; on GitHub the agents are there once they stand on "
    "the default branch",
)
