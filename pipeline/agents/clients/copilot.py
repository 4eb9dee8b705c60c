"""GitHub Copilot and VS Code: `.github/agents/` and `AGENTS.md`.

Source: docs.github.com/en/copilot/reference/custom-agents-configuration.
"""

from __future__ import annotations

from pipeline.agents.clients.base import Client, Place, markdown_agent, skills_in

_READS = ["read", "search", "execute"]

CLIENT = Client(
    name="copilot",
    places=(
        Place(".github/agents", "copilot-agent", (".agent.md", ".md")),
        *skills_in(".github/skills"),
    ),
    agent=lambda agent, chosen: markdown_agent(agent, reads=_READS, model=chosen.model),
    next_step="Reload the window in VS Code; GitHub sees the agents once they are on the default "
    "branch",
    home=("~/.copilot", "COPILOT_HOME"),
    settings=("settings.json", "mcp-config.json", "agents", "instructions", "skills"),
    logins=("config.json",),
    argv=("copilot", "--acp", "--stdio"),
    install="npm install -g @github/copilot",
    login="run `copilot` and type /login, or set COPILOT_GITHUB_TOKEN or your own provider",
    keys=(
        *("COPILOT_GITHUB_TOKEN", "COPILOT_HOME", "COPILOT_MODEL", "COPILOT_OFFLINE"),
        *("COPILOT_PROVIDER_BASE_URL", "COPILOT_PROVIDER_TYPE", "COPILOT_PROVIDER_API_KEY"),
        *("COPILOT_PROVIDER_BEARER_TOKEN", "COPILOT_PROVIDER_WIRE_API"),
        *("COPILOT_PROVIDER_MODEL_ID", "COPILOT_PROVIDER_WIRE_MODEL"),
    ),
    definitions=(".github/agents", "~/.copilot/agents"),
)
