"""Codex: `.codex/agents/*.toml` and `AGENTS.md` (developers.openai.com/codex/subagents)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.agents.clients.base import Client, Place, skills_in, toml_agent

if TYPE_CHECKING:
    from pipeline.agents.clients.base import Agent
    from pipeline.tiers import Selection


def _agent(agent: Agent, selection: Selection) -> str:
    fields = {"name": agent.name, "description": agent.description}
    if selection.model:
        fields["model"] = selection.model
    if selection.effort:
        fields["model_reasoning_effort"] = selection.effort
    if agent.reads_only:
        fields["sandbox_mode"] = "read-only"  # commands run, and the system lets them write nothing
    return toml_agent(fields, "developer_instructions", agent.text)


CLIENT = Client(
    name="codex",
    places=(Place(".codex/agents", "codex-agent", (".toml",)), *skills_in(".codex/skills")),
    agent=_agent,
    next_step="Trust the project when codex asks; otherwise it ignores .codex",
    home=("~/.codex", "CODEX_HOME"),
    settings=("config.toml", "AGENTS.md", "agents", "prompts", "rules", "skills"),
    logins=("auth.json",),
    jailed="agent-full-access",
    argv=("codex-acp",),
    install="npm install -g @agentclientprotocol/codex-acp",
    login="run `codex-acp cli login`, or set OPENAI_API_KEY",
    keys=("OPENAI_API_KEY", "CODEX_API_KEY", "CODEX_HOME"),
    mode="workspace-write",  # in `agent`, a model answers its questions
    reading="read-only",
    definitions=(".codex/agents", "~/.codex/agents"),
    methods=("api-key", "openai-api-key", "codex-api-key"),
)
