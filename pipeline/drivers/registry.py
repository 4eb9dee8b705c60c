"""The drivers by their names, made from what a user asked for."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pipeline.agents.clients import CLIENTS
from pipeline.agents.clients.base import Profile
from pipeline.terminal.display import visible
from pipeline.terminal.fault import unusable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pipeline.drivers.base import Driver

# The drivers, and the options of each.
DRIVERS: Mapping[str, tuple[str, ...]] = {
    "acp": ("client", "client_command", "models", "passed", "delegate"),
    "command": ("template", "models"),
}
_SPELT = {
    "client": "--client",
    "client_command": "--client-command",
    "template": "--command",
    "models": "--model",
    "passed": "--pass-env",
    "delegate": "--delegate",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class DriverOptions:
    """What a user asked for of a driver; what was not given is empty.

    `driver` is one of `DRIVERS`. `client` is a known one or, with `client_command`, any name.
    `template` is that of a command line. `models` maps roles, or `*` for every role, to ids
    of models. `passed` are variables of the environment for the client, `seconds` limit each turn.
    `delegate`: the planner's client dispatches the roles.
    """

    driver: str
    client: str = ""
    client_command: str = ""
    template: str = ""
    models: Mapping[str, str] = field(default_factory=dict)
    passed: Sequence[str] = ()
    seconds: float = 1800.0
    delegate: bool = False


def driver(options: DriverOptions) -> Driver:
    """Return a driver; nothing has started yet.

    Raises:
        Fault: the driver is unknown, does not take an option, or something is missing.
    """
    _check(options)
    _refuse_lost_models(options)
    if options.driver == "command":
        from pipeline.drivers.command import Command

        return Command(options.template, seconds=options.seconds, models=options.models)
    profile = _profile(options.client, options.client_command)
    if options.delegate and (profile.no_delegation or not profile.definitions):
        reason = profile.no_delegation or "it is not known where the client looks for agents"
        raise unusable(f"{profile.name} cannot run with --delegate: {reason}. Leave --delegate out")
    return _acp(profile, options)


def _check(options: DriverOptions) -> None:
    name = options.driver
    if name not in DRIVERS:
        raise unusable(f"no driver {visible(name)}: --driver must be one of {', '.join(DRIVERS)}")
    for option, spelt in _SPELT.items():
        if getattr(options, option) and option not in DRIVERS[name]:
            fitting = [each for each, taken in DRIVERS.items() if option in taken]
            raise unusable(f"{spelt} is for --driver {' or '.join(fitting)}, not {name}")


def _refuse_lost_models(options: DriverOptions) -> None:
    """Refuse a model that nothing would be run with."""
    if options.driver == "command" and options.models and "{model}" not in options.template:
        raise unusable("--model needs {model} in --command")
    others = sorted(set(options.models) - {"x-planner", "*"})
    if options.delegate and others:
        raise unusable(
            f"with --delegate, the model of {', '.join(others)} comes from its definition: export "
            "it with the model that you want (pipeline agents export), or leave --delegate out"
        )


def _profile(client: str, command: str) -> Profile:
    """Return the profile of a known client, or of any other by the command that starts it."""
    known = ", ".join(CLIENTS)
    try:
        words = tuple(shlex.split(command))
    except ValueError as error:
        raise unusable(
            f"--client-command {visible(command)} cannot be read: {str(error).lower()}"
        ) from None
    if not client:
        raise unusable(f"--driver acp needs --client, one of {known}")
    if client in CLIENTS:
        profile: Profile = CLIENTS[client]
        return replace(profile, argv=words) if words else profile
    if not words:
        raise unusable(
            f"no client {visible(client)}: --client must be one of {known}, or any name with "
            "--client-command, the command that starts it as an Agent Client Protocol agent"
        )
    login = "log in with its own command, or pass its key (--pass-env NAME)"
    return Profile(name=client, argv=words, install="install it", login=login)


def _acp(profile: Profile, options: DriverOptions) -> Driver:
    try:
        from pipeline.drivers.acp.driver import Acp
    except ImportError as error:
        if (error.name or "").partition(".")[0] not in {"acp", "pydantic"}:
            raise
        raise unusable(
            "--driver acp needs the protocol's SDK: run `python3 start.py headless`"
        ) from None
    return Acp(profile, models=options.models, passed=options.passed, seconds=options.seconds)
