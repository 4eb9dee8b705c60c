"""The tiers, the agents that each routes to and the models that run them: `routing.json`, read."""

from __future__ import annotations

import json
import os
from typing import Any, NamedTuple

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "routing.json")


class Selection(NamedTuple):
    """Which model runs a role in one client; what is empty is left to the client."""

    model: str = ""  #: an id as the client spells it
    effort: str = ""  #: its level of reasoning (`low`, `medium`, `high`)
    fast: bool = False  #: the quick variant of the model

    def with_parameters(self) -> str:
        """Return the model with its parameters in brackets: `composer-2.5[fast=true]`."""
        parameters = [f"effort={self.effort}"] * bool(self.effort) + ["fast=true"] * self.fast
        return self.model and self.model + (f"[{','.join(parameters)}]" if parameters else "")


with open(SOURCE, encoding="utf-8") as _file:
    _TIERS: list[dict[str, Any]] = json.load(_file)["tiers"]

# `trivial` is the specification's (section 2.5); for the others it shows no agents: our defaults.
ROUTING: dict[str, tuple[str, ...]] = {tier["tier"]: tuple(tier["agents"]) for tier in _TIERS}


def selection(client: str, role: str, tier: str = "") -> Selection:
    """Return the model that runs `role` in `client` for a task of `tier`.

    Where `tier` does not route to the role, the first tier that does decides, else the client.
    """
    routed = [row for row in _TIERS if role in row["agents"]]
    routed.sort(key=lambda row: row["tier"] != tier)  # else they stay in their order
    return Selection(**routed[0]["models"].get(client, {})) if routed else Selection()


def next_tier(tier: str) -> str:
    """Return the tier whose agents take over where those of a tier cannot go on, or nothing."""
    tiers = [*ROUTING, ""]
    return tiers[tiers.index(tier) + 1]


def agent_of(tier: str, kind: str) -> str:
    """Return the agent of a kind that a tier routes to: `x-worker-fast` is an `x-worker`."""
    return next(name for name in ROUTING[tier] if name.startswith(kind))
