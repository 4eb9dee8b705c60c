"""The domain scope is told from the domains."""

from __future__ import annotations

import pytest

from pipeline.classifying.signals import Signals


@pytest.mark.parametrize(
    ("domains", "scope"), [((), "single"), (("a",), "single"), (("a", "b"), "cross-domain")]
)
def test_two_domains_are_cross_domain(domains: tuple[str, ...], scope: str) -> None:
    assert Signals(domains=domains).domain_scope == scope
