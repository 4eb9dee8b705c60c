"""Every tier routes to agents."""

from __future__ import annotations

from typing import get_args, get_type_hints

import pytest

from pipeline.schema import Classification
from pipeline.tiers import ROUTING


@pytest.mark.spec("1.14")
def test_the_tiers_are_those_of_the_contract() -> None:
    assert get_args(get_type_hints(Classification)["tier"]) == tuple(ROUTING)


@pytest.mark.spec("1.15", "2.5.11", "2.5.12", "2.5.13")
def test_every_tier_has_its_agents() -> None:
    assert list(ROUTING.items()) == [
        ("trivial", ("x-worker-fast", "x-reviewer-fast")),
        ("standard", ("x-worker", "x-reviewer")),
        ("complex", ("x-subplanner", "x-worker", "x-reviewer")),
    ]
