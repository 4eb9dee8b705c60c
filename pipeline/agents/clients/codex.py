"""Codex: `.codex/agents/*.toml` and `AGENTS.md` (developers.openai.com/codex/subagents)."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from pipeline.agents.clients.base import Client, Place, skills_in

if TYPE_CHECKING:
    from pipeline.agents.clients.base import Agent
    from pipeline.tiers import Selection

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f]")


def _agent(agent: Agent, selection: Selection) -> str:
    fields = {"name": agent.name, "description": agent.description}
    if selection.model:
        fields["model"] = selection.model
    if selection.effort:
        fields["model_reasoning_effort"] = selection.effort
    if agent.reads_only:
        fields["sandbox_mode"] = "read-only"  # commands run, and the system lets them write nothing
    lines = [f"{key} = {_quoted(value)}" for key, value in fields.items()]
    return "\n".join([*lines, f"developer_instructions = {_block(agent.text)}", ""])


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")  # TOML refuses DEL


def _block(text: str) -> str:
    """Return a text as a block of lines, unless such a block cannot contain it."""
    if "'''" in text or _CONTROL.search(text):
        return _quoted(text)
    return f"'''\n{text}'''"


CLIENT = Client(
    name="codex",
    places=(Place(".codex/agents", "codex-agent", (".toml",)), *skills_in(".codex/skills")),
    agent=_agent,
    next_step="Trust the project when codex asks; otherwise it ignores .codex",
    argv=("codex-acp",),
    install="npm install -g @agentclientprotocol/codex-acp",
    login="run `codex-acp cli login`, or set OPENAI_API_KEY",
    keys=("OPENAI_API_KEY", "CODEX_API_KEY", "CODEX_HOME"),
    mode="agent",
    reading="read-only",
    definitions=(".codex/agents", "~/.codex/agents"),
    methods=("api-key", "openai-api-key", "codex-api-key"),
)
