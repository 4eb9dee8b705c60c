"""The tiers and the agents that each routes to (specification, section 2.5)."""

from __future__ import annotations

# `trivial` is the specification's; for the others it shows no agents: these are our defaults.
ROUTING: dict[str, tuple[str, ...]] = {
    "trivial": ("x-worker-fast", "x-reviewer-fast"),
    "standard": ("x-worker", "x-reviewer"),
    "complex": ("x-subplanner", "x-worker", "x-reviewer"),
}
