"""The clients that the pack can be exported to and that the driver `acp` knows, one file each."""

from __future__ import annotations

import os
import shutil
from typing import Any

from pipeline.agents.clients.base import Client, DefinitionFolder, Hooks
from pipeline.protocol.toml_text import loads

_NAMES = ("cursor", "claude", "opencode", "codex", "gemini", "qwen", "copilot", "vibe")


def _client(name: str) -> Client:
    with open(os.path.join(os.path.dirname(__file__), f"{name}.toml"), encoding="utf-8") as file:
        read = loads(file.read())
    fields: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in read.items()
    }
    fields["places"] = tuple(
        DefinitionFolder(folder, form, *map(tuple, endings))
        for folder, form, *endings in read["places"]
    )
    fields["hooks"] = Hooks(**read["hooks"]) if "hooks" in read else None
    return Client(name=name, **fields)


CLIENTS = {name: _client(name) for name in _NAMES}


def installed() -> list[Client]:
    """Return the clients whose programs are on PATH; none is started."""
    return [client for client in CLIENTS.values() if shutil.which(client.program)]
