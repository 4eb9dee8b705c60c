"""The drivers by their names, made from what a user asked for."""

from __future__ import annotations

import shlex
from dataclasses import replace
from typing import TYPE_CHECKING

from pipeline.agents.clients import PROFILES
from pipeline.agents.clients.base import Profile
from pipeline.terminal.display import visible
from pipeline.terminal.fault import unusable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pipeline.drivers.base import Driver

# The drivers, and the options of each.
DRIVERS: Mapping[str, tuple[str, ...]] = {
    "acp": ("client", "client_command", "models", "passed", "delegate"),
    "command": ("command", "models"),
}
_SPELT = {
    "client": "--client",
    "client_command": "--client-command",
    "command": "--command",
    "models": "--model",
    "passed": "--pass-env",
    "delegate": "--delegate",
}


def driver(  # noqa: PLR0913  # one for each option of the command
    name: str,
    *,
    client: str = "",
    client_command: str = "",
    command: str = "",
    models: Mapping[str, str] | None = None,
    passed: Sequence[str] = (),
    seconds: float = 1800.0,
    delegate: bool = False,
) -> Driver:
    """Return a driver; nothing has started yet.

    Args:
        name: one of `DRIVERS`.
        client: the agent's client, a known one or with `client_command` any name.
        client_command: what starts the client.
        command: the template of a command line.
        models: ids of models by role, `*` for every role.
        passed: variables of the environment for the client, by name.
        seconds: the limit of each turn.
        delegate: whether the planner's client will dispatch the roles.

    Raises:
        Fault: the driver is unknown, does not take an option, or something is missing.
    """
    given = {
        "client": client,
        "client_command": client_command,
        "command": command,
        "models": models,
        "passed": passed,
        "delegate": delegate,
    }
    _check(name, [option for option, value in given.items() if value])
    _refuse_lost_models(name, command, models or {}, delegate=delegate)
    if name == "command":
        from pipeline.drivers.command import Command

        return Command(command, seconds=seconds, models=models)
    profile = _profile(client, client_command)
    if delegate and (profile.no_delegation or not profile.definitions):
        reason = profile.no_delegation or "it is not known where it looks for agents"
        raise unusable(f"{profile.name} cannot run with --delegate: {reason}. Leave --delegate out")
    return _acp(profile, models=models, passed=passed, seconds=seconds)


def _check(name: str, given: Sequence[str]) -> None:
    if name not in DRIVERS:
        raise unusable(f"no driver {visible(name)}: --driver is one of {', '.join(DRIVERS)}")
    for option in given:
        if option not in DRIVERS[name]:
            fitting = [each for each, options in DRIVERS.items() if option in options]
            raise unusable(f"{_SPELT[option]} is for --driver {' or '.join(fitting)}, not {name}")


def _refuse_lost_models(
    name: str, command: str, models: Mapping[str, str], *, delegate: bool
) -> None:
    """Refuse a model that nothing would be run with."""
    if name == "command" and models and "{model}" not in command:
        raise unusable("--model needs {model} among the words of --command")
    others = sorted(set(models) - {"x-planner", "*"})
    if delegate and others:
        raise unusable(
            f"with --delegate the model of {', '.join(others)} is in its definition: export it "
            "with the model that you want (pipeline agents export), or leave --delegate out"
        )


def _profile(client: str, command: str) -> Profile:
    """Return the profile of a known client, or of any other by the command that starts it."""
    known = ", ".join(PROFILES)
    try:
        words = tuple(shlex.split(command))
    except ValueError as error:
        raise unusable(
            f"--client-command {visible(command)} cannot be read: {str(error).lower()}"
        ) from None
    if not client:
        raise unusable(f"--driver acp needs --client, one of {known}")
    if client in PROFILES:
        profile: Profile = PROFILES[client]
        return replace(profile, argv=words) if words else profile
    if not words:
        raise unusable(
            f"no client {visible(client)}: --client is one of {known}, or any name with "
            "--client-command, what starts it as an agent of the Agent Client Protocol"
        )
    login = "log in to it by its own command, or pass its key on (--pass-env NAME)"
    return Profile(name=client, argv=words, install="install it", login=login)


def _acp(
    profile: Profile,
    *,
    models: Mapping[str, str] | None,
    passed: Sequence[str],
    seconds: float,
) -> Driver:
    try:
        from pipeline.drivers.acp.driver import Acp
    except ImportError as error:
        if (error.name or "").partition(".")[0] not in {"acp", "pydantic"}:
            raise
        raise unusable(
            "--driver acp needs the SDK of the protocol: run `python3 start.py headless`"
        ) from None
    return Acp(profile, models=models, passed=passed, seconds=seconds)
