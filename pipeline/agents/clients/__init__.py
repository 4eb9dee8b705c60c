"""The clients that the pack can be exported to and that the driver `acp` knows, one file each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.agents.clients import claude, codex, copilot, cursor, gemini, opencode, qwen

if TYPE_CHECKING:
    from collections.abc import Callable

    from pipeline.agents.clients.base import Client

CLIENTS = {
    module.CLIENT.name: module.CLIENT
    for module in (cursor, claude, opencode, codex, gemini, qwen, copilot)
}


def installed(find: Callable[[str], str | None]) -> list[Client]:
    """Return the clients whose programs are there; none is started.

    Args:
        find: returns the path of a program, None where it is not on PATH, as `shutil.which` does.
    """
    return [client for client in CLIENTS.values() if find(client.program)]
