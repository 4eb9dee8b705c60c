"""The hooks of the pack: what a client is told to run, put among hooks that are the user's own."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, NamedTuple

from pipeline.protocol.json_text import NotStrictJson, parse, text_of

if TYPE_CHECKING:
    from pipeline.agents.trees import File

SCRIPT = "record-dispatch.py"
_SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "pack", "hooks", SCRIPT)
_SECONDS = 10  # that a client waits for the script, which takes a twentieth of one


class Hooks(NamedTuple):
    """What a client needs: its file of hooks with our own in it, and where the script stands."""

    config: str
    script: str
    wanted: dict[str, Any]


class Unmergeable(Exception):
    """A file of hooks that nothing can be put into; the message says why."""


def _cursor() -> Hooks:
    script = f".cursor/hooks/{SCRIPT}"  # Cursor runs a project's hooks from the project's root
    entry = {"command": f"python3 {script}", "timeout": _SECONDS}
    events = {name: [entry] for name in ("subagentStart", "subagentStop")}
    return Hooks(".cursor/hooks.json", script, {"version": 1, "hooks": events})


def _claude() -> Hooks:
    script = f".claude/hooks/{SCRIPT}"
    command = f'python3 "$CLAUDE_PROJECT_DIR/{script}"'
    entry = {"hooks": [{"type": "command", "command": command, "timeout": _SECONDS}]}
    events = {name: [entry] for name in ("SubagentStart", "SubagentStop")}
    return Hooks(".claude/settings.json", script, {"hooks": events})


HOOKS = {"cursor": _cursor(), "claude": _claude()}  # the clients that tell of their subagents


def files_of(client: str) -> tuple[File, ...]:
    """Return the files that a client's hooks need; its own file of hooks is shared with the user.

    Raises:
        KeyError: the client is none of `HOOKS`.
    """
    from pipeline.agents.trees import File

    hooks = HOOKS[client]
    with open(_SOURCE, encoding="utf-8") as file:
        script = file.read()
    config = json.dumps(hooks.wanted, indent=2) + "\n"
    return File(hooks.script, script), File(hooks.config, config, shared=True)


def merged(existing: bytes, wanted: str) -> str:
    """Return the text of a file of hooks with the wanted ones in it; what is there stays.

    A file that has them already is returned as it is.

    Raises:
        Unmergeable: it is no JSON object with hooks as the client takes them.
    """
    try:
        value, text = parse(existing), text_of(existing)
    except NotStrictJson as error:
        raise Unmergeable(f"is no JSON: {error}") from None
    ours = json.loads(wanted)
    there = value.get("hooks", {}) if isinstance(value, dict) else None
    if not isinstance(there, dict) or not all(
        isinstance(there.get(event, []), list) for event in ours["hooks"]
    ):
        raise Unmergeable("has no hooks as its client takes them")
    events = {
        event: [*there.get(event, []), *(e for e in entries if e not in there.get(event, []))]
        for event, entries in ours["hooks"].items()
    }
    combined = {**ours, **value, "hooks": {**there, **events}}
    return text if combined == value else json.dumps(combined, indent=2, ensure_ascii=False) + "\n"
