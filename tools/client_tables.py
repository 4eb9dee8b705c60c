"""Writes the tables of the clients: how each is started, and where it looks for definitions."""

from __future__ import annotations

from pipeline.agents.clients import CLIENTS
from tools.markdown import table


def started_table() -> str:
    """Return the command and the modes of each client."""
    rows = [
        (each.name, " ".join(each.argv), each.mode, each.reading, each.dispatching)
        for each in (client.profile for client in CLIENTS.values())
    ]
    return table(
        ("client", "command", "mode", "mode to read", "mode to dispatch"),
        [[_code(cell) for cell in row] for row in rows],
    )


def places_table() -> str:
    """Return the files that are written for each client."""
    return table(
        ("client", "agents", "rules", "skill"),
        [
            (
                _code(each.name),
                _code(each.agent_path.format(name="*")),
                _code(each.rule_path.format(name="*")) or f"a section of `{each.instructions}`",
                ", ".join(f"`{folder}/`" for folder in each.skills),
            )
            for each in CLIENTS.values()
        ],
    )


def _code(text: str) -> str:
    return f"`{text}`" if text else ""
