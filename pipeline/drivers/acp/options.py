"""What a client lets choose in a session (its model, its mode), and which value is meant.

The protocol has two ways: config options, which are answered with their values, and the older
`modes` and `models` of a session, which are answered with nothing. A client that knows both is
asked in the first.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pipeline.tiers import Selection

# An option is known by its category first (a hint that may be missing), then by its id.
_IDS = {
    "mode": ("mode",),
    "model": ("model",),
    "thought_level": ("effort", "reasoning_effort", "thought_level", "thinking", "reasoning"),
    "fast": ("fast",),
}
_PARAMETERS = re.compile(r"\[([^\]]*)\]|\([^)]*\)")


@dataclass(frozen=True, kw_only=True, slots=True)
class Option:
    """Something to choose: its id, its value now, and those offered by value and name.

    `legacy` tells that a client does not confirm the choice.
    """

    id: str
    current: str
    offered: Mapping[str, str]
    boolean: bool = False
    legacy: bool = False


def options_of(answer: Mapping[str, Any]) -> dict[str, Option]:
    """Return what can be chosen by what it is for (`mode`, `model`, `thought_level`, `fast`).

    `answer` is that to `session/new` or `session/set_config_option`, or an update of its options;
    what is not as the protocol says is left out.
    """
    found: dict[str, Option] = {}
    for purpose, (container, current, listed, key) in _LEGACY.items():
        state = answer.get(container)
        if isinstance(state, dict):
            offered = _offered(state.get(listed), key)
            found[purpose] = Option(
                id=purpose, current=str(state.get(current, "")), offered=offered, legacy=True
            )
    stated = [each for each in answer.get("configOptions") or () if isinstance(each, dict)]
    for purpose, ids in _IDS.items():
        by_category = [each for each in stated if each.get("category") == purpose]
        by_id = [each for name in ids for each in stated if each.get("id") == name]
        for each in (*by_category, *by_id)[:1]:
            found[purpose] = _option(each)
    return found


_LEGACY = {
    "mode": ("modes", "currentModeId", "availableModes", "id"),
    "model": ("models", "currentModelId", "availableModels", "modelId"),
}


def _option(stated: Mapping[str, Any]) -> Option:
    current = stated.get("currentValue", "")
    boolean = isinstance(current, bool)
    return Option(
        id=str(stated.get("id", "")),
        current=str(current).lower() if boolean else str(current),
        offered={"true": "on", "false": "off"} if boolean else dict(_flat(stated.get("options"))),
        boolean=boolean,
    )


def _flat(options: Any) -> Iterable[tuple[str, str]]:
    """Yield values and names; options may be in groups."""
    for each in options if isinstance(options, list) else ():
        if isinstance(each, dict) and isinstance(each.get("options"), list):
            yield from _flat(each["options"])
        elif isinstance(each, dict):
            yield from _offered([each], "value").items()


def _offered(listed: Any, key: str) -> dict[str, str]:
    entries = (
        [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
    )
    return {str(each[key]): str(each.get("name") or each[key]) for each in entries if key in each}


def meant(option: Option, selection: Selection) -> str | None:
    """Return the offered value of a model that a selection names, None if there is none.

    A value is meant by itself, by its name, or by its id without what clients put after it: the
    account (`id(openai)`) or parameters (`id[effort=high,fast=true]`), of which those that the
    selection asks for must then be there.
    """
    if selection.model in option.offered:
        return selection.model
    named = [value for value, name in option.offered.items() if name == selection.model]
    alike = [value for value in option.offered if _PARAMETERS.sub("", value) == selection.model]
    wanted = {f"effort={selection.effort}"} if selection.effort else set()
    wanted |= {"fast=true"} if selection.fast else set()
    fitting = [value for value in alike if wanted <= parameters(value)]
    return next(iter((*named, *fitting, *alike)), None)


def parameters(value: str) -> set[str]:
    """Return the parameters that a model's value holds: `{"fast=true"}` for `id[fast=true]`."""
    found = _PARAMETERS.search(value)
    return set(re.split(r"\s*,\s*", found[1].strip())) if found and found[1] else set()
