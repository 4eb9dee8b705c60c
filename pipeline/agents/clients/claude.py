"""Claude Code: `.claude/` and `CLAUDE.md` (code.claude.com/docs: sub-agents, skills, memory)."""

from __future__ import annotations

from pipeline.agents.clients.base import Client, Hooks, Place, markdown_agent, skills_in

_READS = "Read, Grep, Glob, Bash"  # in this form the list is enforced; Bash runs tests and git diff

_SCRIPT = ".claude/hooks/record-dispatch.py"
_COMMAND = f'python3 "$CLAUDE_PROJECT_DIR/{_SCRIPT}"'
_HOOK = {"type": "command", "command": _COMMAND, "timeout": 10}
_EVENTS = {name: [{"hooks": [_HOOK]}] for name in ("SubagentStart", "SubagentStop")}

CLIENT = Client(
    name="claude",
    places=(Place(".claude/agents", "claude-agent"), *skills_in(".claude/skills")),
    agent=lambda agent, chosen: markdown_agent(
        agent, reads=_READS, model=chosen.model or "inherit", effort=chosen.effort
    ),
    instructions="CLAUDE.md",
    skills=(".claude/skills",),
    next_step="Restart claude (it reads agents when it starts), or run `claude --agent x-planner`",
    hooks=Hooks(".claude/settings.json", _SCRIPT, {"hooks": _EVENTS}),
    home=("~/.claude", "CLAUDE_CONFIG_DIR"),
    settings=("settings.json", "CLAUDE.md", "agents", "commands", "plugins", "skills"),
    logins=(".credentials.json", "~/.claude.json"),
    argv=("claude-agent-acp",),
    install="npm install -g @agentclientprotocol/claude-agent-acp",
    login="run `claude-agent-acp --cli auth login`, or set ANTHROPIC_API_KEY",
    keys=(
        *("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL"),
        *("CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CONFIG_DIR"),
    ),
    mode="default",
    definitions=(".claude/agents", "~/.claude/agents"),
)
