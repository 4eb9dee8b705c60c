"""Where each client looks for its definitions, and the published format of what stands there."""

from __future__ import annotations

from typing import Literal, NamedTuple

SKILL = "skill"
SKILL_FILE = "SKILL.md"


class Place(NamedTuple):
    """A folder of definitions, relative to the project's root.

    Of an agent or a rule `endings` are those that the client reads; a skill is a folder with a
    `SKILL.md`. `format` names the schema in `pipeline/agents/formats/`.
    """

    folder: str
    kind: Literal["agent", "rule", "skill"]
    format: str
    endings: tuple[str, ...] = (".md",)


PLACES = (
    Place(".cursor/agents", "agent", "cursor-agent"),
    Place(".cursor/rules", "rule", "cursor-rule", (".mdc",)),
    Place(".cursor/skills", "skill", "cursor-skill"),
    Place(".agents/skills", "skill", "agent-skill"),
    Place(".claude/agents", "agent", "claude-agent"),
    Place(".claude/skills", "skill", "agent-skill"),
    Place(".opencode/agent", "agent", "opencode-agent"),
    Place(".opencode/agents", "agent", "opencode-agent"),
    Place(".opencode/skill", "skill", "agent-skill"),
    Place(".opencode/skills", "skill", "agent-skill"),
    Place(".codex/agents", "agent", "codex-agent", (".toml",)),
    Place(".codex/skills", "skill", "agent-skill"),
    Place(".gemini/agents", "agent", "gemini-agent"),
    Place(".gemini/skills", "skill", "agent-skill"),
    Place(".qwen/agents", "agent", "qwen-agent"),
    Place(".qwen/skills", "skill", "agent-skill"),
    Place(".github/agents", "agent", "copilot-agent", (".agent.md", ".md")),
    Place(".github/skills", "skill", "agent-skill"),
)
DEFINITIONS = (".md", ".mdc", ".toml")  # what looks like a definition, read by the client or not
