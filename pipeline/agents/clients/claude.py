"""Claude Code: `.claude/` and `CLAUDE.md` (code.claude.com/docs: sub-agents, skills, memory)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.agents.clients.base import (
    HOOK_SCRIPT,
    HOOK_SECONDS,
    Client,
    Hooks,
    Place,
    skills_in,
    with_front_matter,
)

if TYPE_CHECKING:
    from pipeline.agents.clients.base import Agent
    from pipeline.tiers import Selection

_READS = "Read, Grep, Glob, Bash"  # in this form the list is enforced; Bash runs tests and git diff


def _agent(agent: Agent, selection: Selection) -> str:
    fields = {"name": agent.name, "description": agent.description}
    if agent.reads_only:
        fields["tools"] = _READS
    fields["model"] = selection.model or "inherit"
    if selection.effort:
        fields["effort"] = selection.effort
    return with_front_matter(fields, agent.text)


_SCRIPT = f".claude/hooks/{HOOK_SCRIPT}"
_HOOK = {
    "type": "command",
    "command": f'python3 "$CLAUDE_PROJECT_DIR/{_SCRIPT}"',
    "timeout": HOOK_SECONDS,
}
_EVENTS = {name: [{"hooks": [_HOOK]}] for name in ("SubagentStart", "SubagentStop")}

CLIENT = Client(
    name="claude",
    places=(Place(".claude/agents", "claude-agent"), *skills_in(".claude/skills")),
    agent_path=".claude/agents/{name}.md",
    agent=_agent,
    instructions="CLAUDE.md",
    skills=(".claude/skills",),
    next_step="Start claude afresh (it reads agents when it starts), or claude --agent x-planner",
    hooks=Hooks(".claude/settings.json", _SCRIPT, {"hooks": _EVENTS}),
)
