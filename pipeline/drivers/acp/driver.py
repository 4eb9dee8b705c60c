"""The driver `acp`: one process of a client for a run, one session and one model for a role."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shlex
from functools import partial
from typing import TYPE_CHECKING

from pipeline.bootstrap import called_as
from pipeline.drivers.acp.commands import checked as checked_commands
from pipeline.drivers.acp.connection import MAX_LOG, ClientConnection
from pipeline.drivers.acp.handler import ClientHandler
from pipeline.drivers.acp.permissions import why_not
from pipeline.drivers.acp.session import Session
from pipeline.drivers.environment import checked
from pipeline.files import size_of
from pipeline.terminal.display import listed
from pipeline.terminal.exit_codes import UNUSABLE
from pipeline.terminal.fault import Fault, unusable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipeline.agents.clients.base import Profile
    from pipeline.drivers.base import Reply, Tell, Turn

_GRACE = 2.0  # seconds for a client to hear that a turn is cancelled
_GLANCE = 1.0  # seconds between looks at the clock and the log


class Acp:
    """The client of a profile.

    `passed` are further variables of the environment for the client, `seconds` limit each turn.
    `allowed` are commands that the user allows.
    """

    name = "acp"

    def __init__(
        self,
        profile: Profile,
        *,
        seconds: float,
        passed: Sequence[str] = (),
        allowed: Sequence[str] = (),
    ) -> None:
        """Check the variables and commands; nothing starts before the first turn."""
        self.client = profile.name
        self._profile = profile
        self._passed = checked(passed)
        self._why_not = partial(why_not, allowed=checked_commands(allowed))
        self._seconds = seconds
        self._loop = asyncio.new_event_loop()
        self._connection: ClientConnection | None = None
        self._sessions: dict[str, Session] = {}

    def take(self, turn: Turn, tell: Tell) -> Reply:
        """Take a turn to its end; a fault ends the client, and the next turn starts it again."""
        self._check_definition(turn)
        try:
            return self._loop.run_until_complete(self._within_limits(turn, tell))
        except Fault as fault:
            log = self._end(turn.session, keep_log=fault.code != UNUSABLE)
            if not log:
                raise
            raise Fault(f"{fault} (the client's log: {log})", code=fault.code) from None
        except BaseException:  # also Ctrl-C: the client must not keep running
            self._end(turn.session)
            raise

    def close(self) -> None:
        """End the client."""
        self._end()
        self._loop.close()

    async def _within_limits(self, turn: Turn, tell: Tell) -> Reply:
        work = asyncio.ensure_future(self._reply(turn, tell))
        deadline = self._loop.time() + self._seconds
        try:
            while not work.done():
                left = deadline - self._loop.time()
                if left <= 0:
                    raise Fault(
                        f"{turn.role} in {self.client} did not finish within {self._seconds:g} "
                        "seconds; raise the limit with --seconds"
                    )
                if self._connection and self._connection.is_flooded():
                    raise Fault(f"{self.client} wrote more than {size_of(MAX_LOG)} to its log")
                await asyncio.wait({work}, timeout=min(left, _GLANCE))
            return work.result()
        finally:
            work.cancel()

    async def _reply(self, turn: Turn, tell: Tell) -> Reply:
        if self._connection is None:
            handler = ClientHandler(self._why_not)
            self._connection = await ClientConnection.start(
                self._profile, self._passed, turn, handler
            )
            await self._connection.agree()
        if turn.session not in self._sessions:
            self._sessions[turn.session] = await Session.begin(self._connection, turn, tell)
        return await self._sessions[turn.session].take(turn, tell)

    def _check_definition(self, turn: Turn) -> None:
        """Check that the client can find the agent that it should dispatch."""
        folders = [os.path.expanduser(each) for each in self._profile.definitions]
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

    def _end(self, session: str = "", *, keep_log: bool = False) -> str:
        """Cancel the turn and end the client; return the path of its log if that is kept."""
        connection, self._connection = self._connection, None
        known, self._sessions = self._sessions.get(session), {}
        if connection is None:
            return ""
        try:
            self._loop.run_until_complete(_ended(connection, known, keep_log=keep_log))
        except BaseException:  # Ctrl-C again, which does not reach the client's own group
            connection.kill()
            raise
        return connection.log if keep_log else ""


async def _ended(connection: ClientConnection, session: Session | None, *, keep_log: bool) -> None:
    if session is not None:
        with contextlib.suppress(OSError, asyncio.TimeoutError):
            await asyncio.wait_for(connection.cancel(session.id), _GRACE)
    await connection.end(keep_log=keep_log)
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
