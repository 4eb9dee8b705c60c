"""Qwen Code: `.qwen/agents/` and `AGENTS.md` (qwenlm.github.io/qwen-code-docs: sub-agents)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.agents.clients.base import Client, Place, skills_in, with_front_matter

if TYPE_CHECKING:
    from pipeline.agents.clients.base import Agent, Value
    from pipeline.tiers import Selection

_READS = ["read_file", "list_directory", "glob", "grep_search", "run_shell_command"]


def _agent(agent: Agent, selection: Selection) -> str:
    fields: dict[str, Value] = {"name": agent.name, "description": agent.description}
    if agent.reads_only:
        fields["tools"] = _READS  # a list: a text with commas makes the agent vanish
    fields["model"] = selection.model or "inherit"
    return with_front_matter(fields, agent.text)


CLIENT = Client(
    name="qwen",
    places=(Place(".qwen/agents", "qwen-agent"), *skills_in(".qwen/skills")),
    agent_path=".qwen/agents/{name}.md",
    agent=_agent,
    instructions="AGENTS.md",
    skills=(".agents/skills",),
    next_step="Start qwen afresh; /agents manage shows the agents that it has loaded",
)
