"""Gemini CLI: `.gemini/agents/` and `GEMINI.md` (geminicli.com/docs: subagents, tools, skills)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.agents.clients.base import Client, Place, skills_in, with_front_matter

if TYPE_CHECKING:
    from pipeline.agents.clients.base import Agent, Value
    from pipeline.tiers import Selection

_READS = ["read_file", "list_directory", "glob", "grep_search", "run_shell_command"]


def _agent(agent: Agent, selection: Selection) -> str:
    """Write an agent; a single key that Gemini CLI does not know keeps it from being loaded."""
    fields: dict[str, Value] = {"name": agent.name, "description": agent.description}
    if agent.reads_only:
        fields["tools"] = _READS
    fields["model"] = selection.model or "inherit"
    return with_front_matter(fields, agent.text)


CLIENT = Client(
    name="gemini",
    places=(Place(".gemini/agents", "gemini-agent"), *skills_in(".gemini/skills")),
    agent_path=".gemini/agents/{name}.md",
    agent=_agent,
    instructions="GEMINI.md",
    skills=(".agents/skills",),
    next_step="Start gemini in the folder and acknowledge the project's agents when it asks: until "
    "then it does not find them",
)
