"""Qwen Code: `.qwen/agents/` and `AGENTS.md` (qwenlm.github.io/qwen-code-docs: sub-agents)."""

from __future__ import annotations

from pipeline.agents.clients.base import Client, Place, markdown_agent, skills_in

# A list, because qwen does not load an agent whose tools are a text with commas.
_READS = ["read_file", "list_directory", "glob", "grep_search", "run_shell_command"]

CLIENT = Client(
    name="qwen",
    places=(Place(".qwen/agents", "qwen-agent"), *skills_in(".qwen/skills")),
    agent=lambda agent, chosen: markdown_agent(
        agent, reads=_READS, model=chosen.model or "inherit"
    ),
    next_step="Restart qwen; `/agents manage` shows the agents that it has loaded",
    home=("~/.qwen", ""),
    settings=("settings.json", "QWEN.md", "agents", "commands", "extensions", "skills", ".env"),
    logins=("oauth_creds.json",),
    argv=("qwen", "--acp"),
    install="npm install -g @qwen-code/qwen-code",
    login="run `qwen` once and log in, or set OPENAI_API_KEY and OPENAI_BASE_URL",
    keys=("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL", "DASHSCOPE_API_KEY"),
    mode="default",
    definitions=(".qwen/agents", "~/.qwen/agents"),
    methods=("openai",),
)
