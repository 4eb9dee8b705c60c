"""The driver `acp`: a role's process of a client, in a jail of its own, with its own model."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shlex
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from pipeline.bootstrap import called_as
from pipeline.drivers.acp.commands import checked as checked_commands
from pipeline.drivers.acp.connection import ClientConnection
from pipeline.drivers.acp.handler import ClientHandler
from pipeline.drivers.acp.permissions import why_not
from pipeline.drivers.acp.session import Session
from pipeline.drivers.environment import checked
from pipeline.drivers.mounts import terms_of
from pipeline.drivers.reports import RateLimited
from pipeline.terminal.display import listed
from pipeline.terminal.exit_codes import UNUSABLE
from pipeline.terminal.fault import Fault, unusable

if TYPE_CHECKING:
    from collections.abc import Awaitable, Sequence

    from pipeline.agents.clients.base import Profile
    from pipeline.drivers.base import Allowed, Reply, Tell, Turn

_GRACE = 2.0  # seconds for a client to hear that a turn is cancelled
_GLANCE = 1.0  # seconds between looks at the clock and the log


class Acp:
    """The client of a profile.

    `passed` are further variables of the environment for the client, `seconds` limit each turn. In
    a jail it sees what is `allowed`; without one, all that the user may see, and it runs the
    `commands` that the user allows.
    """

    name = "acp"

    def __init__(
        self,
        profile: Profile,
        *,
        seconds: float,
        passed: Sequence[str] = (),
        allowed: Allowed | None = None,
        commands: Sequence[str] = (),
    ) -> None:
        """Check the variables and commands; nothing starts before the first turn."""
        self.client, self.terms = profile.name, terms_of(allowed)
        self._profile = profile
        tables = (profile.usage.get(kind, {}) for kind in ("answer", "update"))
        self.counts_tokens = any("input" in table for table in tables)
        self._passed, self.allowed = checked(passed), allowed
        self._why_not = partial(why_not, allowed=checked_commands(commands), titled=profile.titled)
        self._seconds = seconds
        self._loop = asyncio.new_event_loop()
        self._clients: dict[tuple[str, ...], _ClientProcess] = {}

    def take(self, turn: Turn, tell: Tell) -> Reply:
        """Take a turn to its end; a fault ends the clients, and the next turn starts one again."""
        self._check_definition(turn)
        try:
            return self._loop.run_until_complete(self._within_limits(turn, tell))
        except Fault as fault:
            is_limited = isinstance(fault, RateLimited)
            log = self._end(turn, keep_log=fault.code != UNUSABLE and not is_limited)
            if not log:
                raise
            raise Fault(f"{fault} (the client's log: {log})", code=fault.code) from None
        except BaseException:  # also Ctrl-C: the client must not keep running
            self._end(turn)
            raise

    def close(self) -> None:
        """End the client."""
        self._end()
        self._loop.close()

    async def _within_limits(self, turn: Turn, tell: Tell) -> Reply:
        work = asyncio.ensure_future(self._reply(turn, tell))
        deadline = self._loop.time() + min(self._seconds, turn.seconds)
        try:
            while not work.done():
                left = deadline - self._loop.time()
                if left <= 0:
                    raise Fault(
                        f"{turn.role} in {self.client} did not finish within {self._seconds:g} "
                        "seconds; raise the limit with --seconds"
                    )
                client = self._clients.get(_key(turn, self.allowed))
                if client and (excess := client.connection.excess()):
                    raise Fault(f"{self.client} {excess}")
                await asyncio.wait({work}, timeout=min(left, _GLANCE))
            return work.result()
        finally:
            work.cancel()

    async def _reply(self, turn: Turn, tell: Tell) -> Reply:
        key = _key(turn, self.allowed)
        if key not in self._clients:
            handler = ClientHandler(None if self.allowed else self._why_not)
            what = (self._profile, self._passed, turn, handler, self.allowed)
            self._clients[key] = _ClientProcess(await ClientConnection.start(*what), {})
            await self._clients[key].connection.agree()
        connection, sessions = self._clients[key]
        if turn.session not in sessions:
            sessions[turn.session] = await Session.begin(connection, turn, tell)
        return await sessions[turn.session].take(turn, tell)

    def _check_definition(self, turn: Turn) -> None:
        """Check that the client can find the agent that it should dispatch."""
        folders = [os.path.expanduser(folder) for folder in self._profile.definitions]
        files = [os.path.join(turn.root, folder, turn.delegate) for folder in folders]
        if turn.delegate and not any(
            os.path.isfile(file + ending)
            for file in files
            for ending in (".md", ".agent.md", ".toml")
        ):
            raise unusable(
                f"{self.client} has no definition of {turn.delegate} in "
                f"{listed(self._profile.definitions)}: run `{called_as('pipeline')} agents export "
                f"--ide {self.client} --to {shlex.quote(turn.root)}`"
            )

    def _end(self, turn: Turn | None = None, *, keep_log: bool = False) -> str:
        """Cancel the turn and end all clients; return the path of its client's log, if kept."""
        clients, self._clients = self._clients, {}
        failed = clients.get(_key(turn, self.allowed)) if turn else None
        session = failed.sessions.get(turn.session) if turn and failed else None
        try:
            for client in clients.values():
                is_failed = client is failed
                work = client.connection.end(keep_log=keep_log and is_failed)
                self._loop.run_until_complete(_ended(work, client, session if is_failed else None))
            self._loop.run_until_complete(_no_tasks())
        except BaseException:  # Ctrl-C again, which does not reach the client's own group
            for client in clients.values():
                client.connection.kill()
            raise
        return failed.connection.log if failed and keep_log else ""


class _ClientProcess(NamedTuple):
    """A process of the client, and its sessions by their names."""

    connection: ClientConnection
    sessions: dict[str, Session]


def _key(turn: Turn, allowed: Allowed | None) -> tuple[str, ...]:
    """Return what a process can be shared by: in jails, turns of one role with the same mounts."""
    return (turn.session, turn.writes, turn.artifact) if allowed else ()


async def _ended(work: Awaitable[None], client: _ClientProcess, session: Session | None) -> None:
    if session is not None:
        with contextlib.suppress(OSError, asyncio.TimeoutError):
            await asyncio.wait_for(client.connection.cancel(session.id), _GRACE)
    await work


async def _no_tasks() -> None:
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
