"""Every tier routes to agents."""

from __future__ import annotations

from typing import get_args, get_type_hints

from pipeline.schema import Classification
from pipeline.tiers import ROUTING


def test_the_tiers_are_those_of_the_contract() -> None:
    assert get_args(get_type_hints(Classification)["tier"]) == tuple(ROUTING)


def test_every_tier_has_its_agents() -> None:
    assert list(ROUTING.items()) == [
        ("trivial", ("x-worker-fast", "x-reviewer-fast")),
        ("standard", ("x-worker", "x-reviewer")),
        ("complex", ("x-subplanner", "x-worker", "x-reviewer")),
    ]
