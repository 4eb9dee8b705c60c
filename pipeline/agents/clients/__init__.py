"""The clients that the pack can be exported to and that the driver `acp` knows, one file each."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from pipeline.agents.clients import claude, codex, copilot, cursor, gemini, opencode, qwen, vibe

if TYPE_CHECKING:
    from pipeline.agents.clients.base import Client

CLIENTS = {
    module.CLIENT.name: module.CLIENT
    for module in (cursor, claude, opencode, codex, gemini, qwen, copilot, vibe)
}


def installed() -> list[Client]:
    """Return the clients whose programs are on PATH; none is started."""
    return [client for client in CLIENTS.values() if shutil.which(client.program)]
