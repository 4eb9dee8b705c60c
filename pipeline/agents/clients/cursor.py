"""Cursor: `.cursor/` (cursor.com/docs: subagents, rules, skills)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.agents.clients.base import Client, Hooks, Place, markdown_agent, with_front_matter

if TYPE_CHECKING:
    from pipeline.tiers import Selection


def _model(selection: Selection) -> str:
    """Return `inherit`, or an id with its parameters in brackets: `composer-2.5[fast=true]`."""
    if not selection.model:
        return "inherit"
    parameters = [f"effort={selection.effort}"] * bool(selection.effort)
    parameters += ["fast=true"] * selection.fast
    return selection.model + (f"[{','.join(parameters)}]" if parameters else "")


_SCRIPT = (
    ".cursor/hooks/record-dispatch.py"  # Cursor runs a project's hooks from the project's root
)
_HOOK = {"command": f"python3 {_SCRIPT}", "timeout": 10}
_EVENTS = {name: [_HOOK] for name in ("subagentStart", "subagentStop")}

CLIENT = Client(
    name="cursor",
    places=(
        Place(".cursor/agents", "cursor-agent"),
        Place(".cursor/rules", "cursor-rule", (".mdc",)),
        Place(".cursor/skills", "cursor-skill", ()),
        Place(".agents/skills", "agent-skill", ()),
    ),
    # no `readonly` for a reviewer: it also stops commands that change state, such as tests
    agent=lambda agent, chosen: markdown_agent(agent, model=_model(chosen)),
    rule=lambda rule: with_front_matter(
        {"description": rule.description, "alwaysApply": rule.always}, rule.text
    ),
    skills=(".cursor/skills", ".agents/skills"),
    next_step="Reload the window, then ask: work on issue ISSUE-7: <task>",
    hooks=Hooks(".cursor/hooks.json", _SCRIPT, {"version": 1, "hooks": _EVENTS}),
    home=("~/.cursor", ""),
    settings=("cli-config.json", "mcp.json", "agents", "rules", "skills"),
    logins=("~/.config/cursor/auth.json",),
    argv=("agent", "acp"),
    install="see https://cursor.com/docs/cli/installation",
    login="run `agent login`, or set CURSOR_API_KEY",
    keys=("CURSOR_API_KEY",),
    mode="agent",
    definitions=(".cursor/agents", ".claude/agents"),
    methods=("cursor_login",),
    # Model and effort become separate options; as one text a change may fail unseen.
    extras={"parameterizedModelPicker": True},
)
