"""How many examples a property is tried with: a few, or many with `--hypothesis-profile=long`.

A figure (a test marked `figure`) is tried on a seeded sample, or whole with `--figures`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from collections.abc import Callable

# no deadline: how long an example takes says more of the machine than of the code
settings.register_profile("quick", deadline=None, max_examples=40)
settings.register_profile("long", deadline=None, max_examples=120)
if settings.get_current_profile_name() == "default":
    settings.load_profile("quick")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--figures`."""
    parser.addoption("--figures", action="store_true", help="try each figure whole, not a sample")


@pytest.fixture(scope="session")
def how_many(request: pytest.FixtureRequest) -> Callable[[int, int], int]:
    """Return a function of a sample's size and a figure's that returns the size to try."""
    whole = bool(request.config.getoption("--figures"))
    return lambda sample, figure: figure if whole else sample
