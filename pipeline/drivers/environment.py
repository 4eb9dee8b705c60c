"""Which variables of the environment an agent's client gets: never a forge's token."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pipeline.drivers.base import DriverFault
from pipeline.drivers.profiles import COMMON, FORGE_TOKENS
from pipeline.terminal.display import visible

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pipeline.drivers.profiles import Profile


def checked(passed: Sequence[str]) -> tuple[str, ...]:
    """Return the names that a user wants passed on.

    Raises:
        DriverFault: one is a forge's token, or is not set.
    """
    for name in passed:
        if name.upper() in FORGE_TOKENS:
            raise DriverFault(
                f"{name} is not passed to an agent: the pull request is opened by the runner alone",
                usage=True,
            )
        if name not in os.environ:
            raise DriverFault(
                f"{visible(name)} is to be passed to the agent, but is not set: "
                f"export it, or leave it out",
                usage=True,
            )
    return tuple(passed)


def chosen(profile: Profile, passed: Sequence[str]) -> dict[str, str]:
    """Return a client's environment: what all get, what its profile names, what was asked for."""
    names = (*COMMON, *profile.keys, *passed)
    found = {name: os.environ[name] for name in names if name in os.environ}
    return {**profile.environment, **found}


def without_tokens(environment: Mapping[str, str]) -> dict[str, str]:
    """Return an environment without the tokens of forges."""
    return {name: value for name, value in environment.items() if name.upper() not in FORGE_TOKENS}
