"""opencode: `.opencode/` and `AGENTS.md` (opencode.ai/docs: agents, permissions, rules, skills)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.agents.clients.base import Client, Place, skills_in, with_front_matter

if TYPE_CHECKING:
    from pipeline.agents.clients.base import Agent, Value
    from pipeline.tiers import Selection

# `edit: deny` alone protects no file: the agent uses the shell instead. What a reviewer needs runs
# without a question, and a person is asked about the rest; the last pattern that matches decides.
_READS: dict[str, Value] = {
    "edit": "deny",
    "bash": {
        "*": "ask",
        "git status*": "allow",
        "git diff*": "allow",
        "git log*": "allow",
        "git show*": "allow",
        "git *--output*": "ask",
        "python3 pipeline/schema.py*": "allow",
        "npm test*": "allow",
    },
}
_DISPATCHES: dict[str, Value] = {"task": "allow"}  # a subagent cannot dispatch without it


def _agent(agent: Agent, selection: Selection) -> str:
    """Write an agent; opencode sends a key that it does not know to the model's provider."""
    fields: dict[str, Value] = {
        "description": agent.description,
        "mode": "all" if agent.dispatches else "subagent",
    }
    if selection.model:  # `inherit` is not known here: without a model the caller's is used
        fields["model"] = selection.model
    if selection.effort:
        fields["reasoningEffort"] = selection.effort
    if agent.reads_only or agent.dispatches:
        fields["permission"] = _READS if agent.reads_only else _DISPATCHES
    return with_front_matter(fields, agent.text)


CLIENT = Client(
    name="opencode",
    places=(
        Place(".opencode/agents", "opencode-agent"),
        Place(".opencode/agent", "opencode-agent"),
        *skills_in(".opencode/skill", ".opencode/skills"),
    ),
    agent=_agent,
    next_step="Restart opencode; `opencode agent list` shows the agents that it has loaded",
    home=("~/.config/opencode", "OPENCODE_CONFIG_DIR"),
    settings=(
        *("opencode.json", "opencode.jsonc", "AGENTS.md", "agent", "agents", "command"),
        *("commands", "plugin", "plugins", "skill", "skills", "tool", "tools"),
    ),
    logins=("~/.local/share/opencode/auth.json",),
    argv=("opencode", "acp"),
    install="npm install -g opencode-ai",
    login="run `opencode auth login`, or set your provider's API key and pass it with --pass-env",
    keys=(
        *("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY", "GEMINI_API_KEY"),
        *("OPENCODE_CONFIG", "OPENCODE_CONFIG_CONTENT", "OPENCODE_CONFIG_DIR"),
    ),
    mode="build",
    definitions=(".opencode/agents", ".opencode/agent", "~/.config/opencode/agents"),
    environment={
        # By itself it edits and runs without asking.
        "OPENCODE_PERMISSION": '{"edit":"ask","bash":"ask","webfetch":"ask"}',
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
    },
    no_delegation="it does not forward its subagents' questions, so the run would wait forever",
)
