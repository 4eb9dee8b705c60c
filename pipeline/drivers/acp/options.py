"""The options of a client's session (its model, its mode), and which value a name means.

The protocol has two kinds: config options, which a client confirms, and the older `modes` and
`models`, which it does not. Of a client with both, the config options count.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pipeline.drivers.acp.permissions import entries

if TYPE_CHECKING:
    from collections.abc import Mapping

# An option is known by its category first (a hint that may be missing), then by its id.
_IDS = {
    "mode": ("mode",),
    "model": ("model",),
    "thought_level": ("effort", "reasoning_effort", "thought_level", "thinking", "reasoning"),
    "fast": ("fast",),
}
_LEGACY = {
    "mode": ("modes", "currentModeId", "availableModes", "id"),
    "model": ("models", "currentModelId", "availableModels", "modelId"),
}
_ADDITIONS = re.compile(r"\[[^\]]*\]|\([^)]*\)")


@dataclass(frozen=True, kw_only=True, slots=True)
class Option:
    """One option of a session."""

    id: str
    current: str  #: its value
    offered: Mapping[str, str]  #: the names of the values
    boolean: bool = False
    legacy: bool = False  #: the client does not confirm a change


def options_of(answer: Mapping[str, Any]) -> dict[str, Option]:
    """Return the options by purpose (`mode`, `model`, `thought_level`, `fast`).

    `answer` is the one to `session/new` or `session/set_config_option`, or an update. What does not
    follow the protocol is left out.
    """
    found: dict[str, Option] = {}
    for purpose, (container, current, listed, key) in _LEGACY.items():
        state = answer.get(container)
        if isinstance(state, dict):
            offered = _offered(entries(state.get(listed)), key)
            now = str(state.get(current, ""))
            found[purpose] = Option(id=purpose, current=now, offered=offered, legacy=True)
    stated = entries(answer.get("configOptions"))
    for purpose, ids in _IDS.items():
        by_category = [entry for entry in stated if entry.get("category") == purpose]
        by_id = [entry for name in ids for entry in stated if entry.get("id") == name]
        for entry in (*by_category, *by_id)[:1]:
            found[purpose] = _option(entry)
    return found


def _option(stated: Mapping[str, Any]) -> Option:
    name, current = str(stated.get("id", "")), stated.get("currentValue", "")
    if isinstance(current, bool):
        offered = {"true": "on", "false": "off"}
        return Option(id=name, current=str(current).lower(), offered=offered, boolean=True)
    values: list[dict[str, Any]] = []
    for entry in entries(stated.get("options")):
        values += entries(entry.get("options")) or [entry]  # options may be in groups
    return Option(id=name, current=str(current), offered=_offered(values, "value"))


def _offered(listed: list[dict[str, Any]], key: str) -> dict[str, str]:
    return {
        str(entry[key]): str(entry.get("name") or entry[key]) for entry in listed if key in entry
    }


def meant(option: Option, model: str) -> str | None:
    """Return the offered value of a model, None if there is none.

    A model is the value, its name, or the value without the account (`id(openai)`) or the
    parameters (`id[fast=true]`) that some clients add.
    """
    if model in option.offered:
        return model
    values = [value for value, name in option.offered.items() if name == model]
    alike = [value for value in option.offered if _ADDITIONS.sub("", value) == model]
    return next(iter((*values, *alike)), None)
