"""Gemini CLI: `.gemini/agents/` and `GEMINI.md` (geminicli.com/docs: subagents, tools, skills)."""

from __future__ import annotations

from pipeline.agents.clients.base import Client, Place, markdown_agent

_READS = ["read_file", "list_directory", "glob", "grep_search", "run_shell_command"]

# A single key that Gemini CLI does not know keeps an agent from being loaded.
CLIENT = Client(
    name="gemini",
    places=(Place(".gemini/agents", "gemini-agent"), Place(".gemini/skills", "gemini-skill", ())),
    agent=lambda agent, chosen: markdown_agent(
        agent, reads=_READS, model=chosen.model or "inherit"
    ),
    instructions="GEMINI.md",
    next_step="Start gemini in the folder and accept the project's agents when it asks; until "
    "then it does not load them",
    home=("~/.gemini", ""),
    settings=(
        *("settings.json", "GEMINI.md", "agents", "commands", "extensions", "policies", "skills"),
        *("trustedFolders.json", "installation_id"),
    ),
    logins=("oauth_creds.json", "google_accounts.json"),
    argv=("gemini", "--acp"),
    install="npm install -g @google/gemini-cli",
    login="run `gemini` once and log in, or set GEMINI_API_KEY",
    keys=(
        *("GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GEMINI_BASE_URL"),
        *("GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_LOCATION", "GOOGLE_GENAI_USE_VERTEXAI"),
        *("GOOGLE_APPLICATION_CREDENTIALS", "GEMINI_CLI_TRUST_WORKSPACE"),
    ),
    mode="default",
    dispatching="yolo",  # in every other mode its policy denies a dispatch without asking
    definitions=("~/.gemini/agents", ".gemini/agents"),
    methods=("gemini-api-key",),
    titled=True,
)
