"""Mistral Vibe: `.vibe/agents/*.toml`, `AGENTS.md` and `.vibe/skills` (its package's README)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.agents.clients.base import Client, Place, skills_in, toml_agent

if TYPE_CHECKING:
    from pipeline.agents.clients.base import Agent
    from pipeline.tiers import Selection


def _agent(agent: Agent, selection: Selection) -> str:
    """Write an agent; its name is the file's, and a model is one of the user's configuration."""
    fields: dict[str, str | list[str]] = {
        "agent_type": "subagent",
        "description": agent.description,
    }
    if selection.model:
        fields["active_model"] = selection.model
    if agent.reads_only:
        fields["disabled_tools"] = ["edit", "write_file"]
    return toml_agent(fields, "instructions", agent.text)


CLIENT = Client(
    name="vibe",
    places=(Place(".vibe/agents", "vibe-agent", (".toml",)), *skills_in(".vibe/skills")),
    agent=_agent,
    next_step="Trust the folder when vibe asks; otherwise it ignores .vibe and AGENTS.md",
    home=("~/.vibe", "VIBE_HOME"),
    settings=("config.toml", "trusted_folders.toml", "agents", "prompts", "skills", "tools"),
    logins=(".env",),
    argv=("vibe-acp",),
    install="uv tool install mistral-vibe",
    login="run `vibe-acp --setup`, or set MISTRAL_API_KEY",
    keys=("MISTRAL_API_KEY", "VIBE_HOME"),
    mode="ask",
    definitions=(".vibe/agents", "~/.vibe/agents"),
    no_delegation="its subagents run in the background, and it has no call that waits for one",
)
