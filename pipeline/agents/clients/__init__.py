"""The clients that the pack can be exported to and that the driver `acp` knows: `clients.json`."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import fields
from typing import Any

from pipeline.agents.clients.base import Client, Hooks, Place, with_front_matter
from pipeline.agents.clients.writers import writer

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "clients.json")


def _places(rows: list[tuple[str, str, list[str]]]) -> tuple[Place, ...]:
    return tuple(Place(folder, form, tuple(endings)) for folder, form, endings in rows)


def _client(name: str, given: dict[str, Any]) -> Client:
    known = {field.name for field in fields(Client)} & given.keys()
    values: dict[str, Any] = {
        key: tuple(given[key]) if isinstance(given[key], list) else given[key] for key in known
    }
    values |= {"places": _places(given["places"]), "agent": writer(name, given)}
    if "hooks" in given:
        values["hooks"] = Hooks(**given["hooks"])
    if name == "cursor":  # the only client with files for rules
        values["rule"] = lambda rule: with_front_matter(
            {"description": rule.description, "alwaysApply": rule.always}, rule.text
        )
    return Client(name=name, **values)


with open(SOURCE, encoding="utf-8") as _file:
    _TABLE = json.load(_file)

CLIENTS = {name: _client(name, given) for name, given in _TABLE["clients"].items()}
# Folders of a plugin, by the folder of its manifest.
PLUGINS = {mark: _places(rows) for mark, rows in _TABLE["plugins"].items()}


def installed() -> list[Client]:
    """Return the clients whose programs are on PATH; none is started."""
    return [client for client in CLIENTS.values() if shutil.which(client.program)]
