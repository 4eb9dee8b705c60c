"""Returns the driver that the user chose, or the one for the only client on PATH."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from pipeline.agents.clients import CLIENTS, installed
from pipeline.agents.clients.base import Profile
from pipeline.bootstrap import called_as
from pipeline.drivers.base import Allowed
from pipeline.drivers.environment import checked
from pipeline.drivers.mounts import checked_paths
from pipeline.jail import missing
from pipeline.terminal.display import visible
from pipeline.terminal.fault import unusable
from pipeline.terminal.streams import agreed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pipeline.drivers.base import Driver


@dataclass(frozen=True, kw_only=True, slots=True)
class DriverOptions:
    """The driver options that the user gave; an option that was not given is empty."""

    driver: str = ""  #: one of `DRIVERS`
    client: str = ""  #: a known one or, with `client_command`, any name
    client_command: str = ""  #: starts it
    template: str = ""  #: of a command line
    models: Mapping[str, str] = field(default_factory=dict)  #: by role; `*` is every role
    passed: Sequence[str] = ()  #: variables of the environment for the agents
    commands: Sequence[str] = ()  #: what agents may run without a jail
    seconds: float = 1800.0  #: limit each turn
    delegate: bool = False  #: the planner's client dispatches the roles
    no_jail: bool = False  #: agents see what the user sees
    offline: bool = False  #: agents are kept from the network
    hooks_online: bool = False  #: a commit's hooks have the network
    readable: Sequence[str] = ()  #: paths that agents see beside what their role needs
    writable: Sequence[str] = ()  #: paths that they also write


def driver(options: DriverOptions) -> Driver:
    """Return a driver; nothing has started yet."""
    return DRIVERS[options.driver or ("command" if options.template else "acp")](options)


def _command(options: DriverOptions) -> Driver:
    from pipeline.drivers.command import CommandDriver

    for_acp = {"--client": options.client, "--client-command": options.client_command}
    unused = {**for_acp, "--allow-command": options.commands, "--delegate": options.delegate}
    _refuse(unused, "--command" if options.template else "--driver command")
    if options.models and "{model}" not in options.template:
        raise unusable("--model needs the placeholder {model} in --command")
    allowed = _allowed(options)
    return CommandDriver(
        options.template, seconds=options.seconds, allowed=allowed, passed=options.passed
    )


def _allowed(options: DriverOptions) -> Allowed | None:
    """Return what agents see in a jail, None if the user wants none.

    Raises:
        Fault: no jail can start here.
    """
    given = {
        "--allow-read": options.readable,
        "--allow-write": options.writable,
        "--offline": options.offline,
        "--allow-network": options.hooks_online,
    }
    if options.no_jail:
        _refuse(given, "--no-jail")
        return None
    if options.commands:
        raise unusable("--allow-command needs --no-jail: in a jail, agents run any command")
    if why := missing():
        raise unusable(
            f"agents work in a jail, and {why}",
            "To let them see and change all that you can: --no-jail",
        )
    return Allowed(
        reads=checked_paths("--allow-read", options.readable),
        writes=checked_paths("--allow-write", options.writable),
        offline=options.offline,
        hooks_online=options.hooks_online,
    )


def _refuse(others: Mapping[str, Any], name: str) -> None:
    for option, value in others.items():
        if value:
            raise unusable(f"{option} cannot be used with {name}")


def _acp(options: DriverOptions) -> Driver:
    _refuse({"--command": options.template}, "--driver acp")
    is_named = options.client or options.client_command
    profile = _profile(options.client, options.client_command) if is_named else _found_client()
    if options.delegate:
        _check_delegation(profile, options.models)
    try:
        from pipeline.drivers.acp.driver import Acp
    except ImportError as error:
        if (error.name or "").partition(".")[0] not in {"acp", "pydantic"}:
            raise
        raise unusable(
            "--driver acp needs the Agent Client Protocol's SDK: run `python3 start.py headless`"
        ) from None
    passed = checked(options.passed)
    if not is_named:
        _ask(profile)
    allowed, commands = _allowed(options), options.commands
    return Acp(profile, seconds=options.seconds, allowed=allowed, passed=passed, commands=commands)


DRIVERS: dict[str, Callable[[DriverOptions], Driver]] = {"acp": _acp, "command": _command}


def _profile(client: str, command: str) -> Profile:
    """Return the profile of a known client, or of any other client by its command."""
    try:
        words = tuple(shlex.split(command))
    except ValueError as error:
        raise unusable(
            f"--client-command {visible(command)} cannot be read: {str(error).lower()}"
        ) from None
    if client in CLIENTS:
        profile: Profile = CLIENTS[client]
        return replace(profile, argv=words) if words else profile
    if not (client and words):
        raise unusable(
            f"--client {visible(client) or 'is missing'}: expected one of {', '.join(CLIENTS)}, or "
            "any name with --client-command, the command that starts it as an Agent Client "
            "Protocol agent"
        )
    login = "log in with its own command, or pass its key (--pass-env NAME)"
    return Profile(name=client, argv=words, install="install it", login=login)


def _found_client() -> Profile:
    found = installed()
    if len(found) == 1:
        return found[0]
    if found:
        names = [f"  --client {client.name:<10}{client.program}" for client in found]
        raise unusable(f"{len(found)} agent clients are on PATH: choose one", *names)
    raise unusable(
        "no agent client is on PATH: install one and log in",
        *(f"  {client.name:<10}{client.install}" for client in CLIENTS.values()),
        "or use any program with --command",
        f"To see a run without an agent: {called_as('pipeline')} demo",
    )


def _check_delegation(profile: Profile, models: Mapping[str, str]) -> None:
    if profile.no_delegation or not profile.definitions:
        reason = profile.no_delegation or "it is not known where it looks for agents"
        raise unusable(f"{profile.name} cannot run with --delegate: {reason}; leave out --delegate")
    roles = sorted(set(models) - {"x-planner", "*"})
    if roles:
        raise unusable(
            f"with --delegate, --model cannot choose the model of {', '.join(roles)}: set it in "
            "the agent's definition, or leave out --delegate"
        )


def _ask(client: Profile) -> None:
    """Ask on a terminal whether to start the client that was found."""
    found = f"found one agent client: {client.name} ({client.program})"
    answer = agreed(f"pipeline: {found}\nStart it?")
    if answer is None:
        raise unusable(f"{found}; to start it, use --client {client.name}")
    if not answer:
        raise unusable("nothing was started")
