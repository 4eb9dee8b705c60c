"""One client: its process, the requests to it, and its end; every failure is one clear fault."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import shutil
import tempfile
from asyncio.subprocess import PIPE, SubprocessStreamProtocol
from typing import TYPE_CHECKING, Any

from acp.connection import Connection
from acp.exceptions import RequestError
from acp.meta import PROTOCOL_VERSION

from pipeline import __name__ as own_name
from pipeline.drivers import processes
from pipeline.drivers.acp.permissions import entries
from pipeline.drivers.environment import chosen
from pipeline.drivers.git_copy import ScratchFolder
from pipeline.drivers.mounts import jail_of
from pipeline.drivers.reports import fault_of
from pipeline.files import size_of
from pipeline.terminal.display import visible
from pipeline.terminal.exit_codes import UNUSABLE
from pipeline.terminal.fault import Fault, unusable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipeline.agents.clients.base import Profile
    from pipeline.drivers.acp.handler import ClientHandler
    from pipeline.drivers.base import Allowed, Turn
    from pipeline.jail import Jail

_LINE = 64 << 20  # bytes of a message, which is one line and may hold a whole file
MAX_LOG = 64 << 20  # bytes of log after which a client counts as broken
_GRACE = 2.0  # seconds for a client to end
_GLANCE = 0.01  # seconds between looks whether it has ended
_LOGIN = 30.0  # seconds for a login without a person
_TESTED = "docs/how-to/install-a-client.md lists the tested releases"
_AUTHENTICATION = -32000  # the protocol's code for `authentication required`


class NotLoggedIn(Fault):
    """The client asks for a login."""

    def __init__(self, profile: Profile) -> None:
        super().__init__(f"{profile.name} is not logged in: {profile.login}", code=UNUSABLE)


class ClientConnection:
    """A client that has started; call `agree` first."""

    def __init__(
        self,
        profile: Profile,
        transport: asyncio.SubprocessTransport,
        pipes: SubprocessStreamProtocol,
        log: str,
        room: tuple[ClientHandler, Jail | None, ScratchFolder],
    ) -> None:
        if pipes.stdin is None or pipes.stdout is None:  # `start` asks for both
            raise RuntimeError("a client without pipes")
        self.profile, self.log = profile, log
        self.handler, self.jail, self._copies = room
        self._transport, self._input = transport, pipes.stdin
        self._logins: set[str] = set()
        self._log_handler = logging.FileHandler(log, encoding="utf-8", delay=True)
        logging.getLogger().addHandler(self._log_handler)  # the SDK reports on the root logger
        self._connection = Connection(self.handler.hear, pipes.stdin, pipes.stdout)

    @classmethod
    async def start(
        cls,
        profile: Profile,
        passed: Sequence[str],
        turn: Turn,
        handler: ClientHandler,
        allowed: Allowed | None,
    ) -> ClientConnection:
        """Start a client for a turn, in a jail with what is allowed, if anything is said of it.

        `handler` answers its requests.
        """
        environment = {**chosen(profile, passed), **processes.mark(turn.root, turn.issue)}
        program = shutil.which(profile.program, path=environment.get("PATH"))
        if program is None:
            raise unusable(
                f"{visible(profile.program)}, which runs {profile.name}, is not on PATH: "
                f"{profile.install}"
            )
        words, jail = [program, *profile.argv[1:]], None
        copies = ScratchFolder()
        if allowed:
            where = copies.name
            jail = jail_of(
                turn, allowed, environment, programs=words, profile=profile, copies=where
            )
            environment, words = dict(jail.environment), jail.argv(words)
        loop = asyncio.get_running_loop()
        descriptor, log = tempfile.mkstemp(prefix=f"pipeline-{profile.name}-", suffix=".log")
        with os.fdopen(descriptor, "ab") as errors:
            try:
                transport, pipes = await loop.subprocess_exec(
                    lambda: SubprocessStreamProtocol(limit=_LINE, loop=loop),
                    *words,
                    stdin=PIPE,
                    stdout=PIPE,
                    stderr=errors,
                    cwd=turn.root,
                    env=environment,
                    start_new_session=True,  # a group to end, which Ctrl-C does not reach
                )
            except OSError as error:
                os.unlink(log)
                raise unusable(f"{program} does not start: {error.strerror}") from None
        return cls(profile, transport, pipes, log, (handler, jail, copies))

    async def agree(self) -> None:
        """Agree on the protocol."""
        files = {"readTextFile": False, "writeTextFile": False}
        offered = {"fs": files, "terminal": False, "_meta": {**self.profile.extras}}
        request = {
            "protocolVersion": PROTOCOL_VERSION,
            "clientCapabilities": offered,
            "clientInfo": {"name": own_name, "version": "1"},
        }
        answer = await self.ask("initialize", request)
        version, name = answer.get("protocolVersion"), self.profile.name
        if version != PROTOCOL_VERSION:
            raise unusable(
                f"{name} speaks version {version!r:.20} of the Agent Client Protocol, not "
                f"{PROTOCOL_VERSION}: install a release of {name} that speaks version "
                f"{PROTOCOL_VERSION} ({_TESTED})"
            )
        self._logins = {str(method.get("id")) for method in entries(answer.get("authMethods"))}

    async def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Send a request and return the fields of its answer."""
        try:
            answer = await self._connection.send_request(method, params)
        except RequestError as error:
            if error.code == _AUTHENTICATION:
                raise NotLoggedIn(self.profile) from None
            details = error.data.get("details") if isinstance(error.data, dict) else error.data
            said = f"{error}: {details}" if details else str(error)
            text = f"{self.profile.name} refused {method}: {visible(said, 400)}"
            raise fault_of(self.profile, text, said, error.code) from None
        except OSError:
            raise await self._ended() from None
        if answer is not None and not isinstance(answer, dict):
            raise self.odd(method)
        return answer or {}

    def odd(self, method: str) -> Fault:
        """Return the fault of an answer that does not follow the protocol."""
        return Fault(
            f"{self.profile.name} sent an answer to {method} that is not valid in version 1 of the "
            f"Agent Client Protocol: try a different release of the client ({_TESTED})"
        )

    async def _ended(self) -> Fault:
        """Return the fault of a client that closed the connection."""
        code = await self._exit_code()
        how = "closed the connection" if code is None else f"ended with exit code {code}"
        said = _last_line(self.log)
        return Fault(f"{self.profile.name} unexpectedly {how}" + (f": {said}" if said else ""))

    async def session(self, folder: str) -> dict[str, Any]:
        """Begin a session in a folder; log in if the client can do so without a person."""
        request = {"cwd": folder, "mcpServers": []}
        ways = [method for method in self.profile.methods if method in self._logins]
        try:
            return await self.ask("session/new", request)
        except NotLoggedIn:
            if not ways:
                raise
        try:
            await asyncio.wait_for(self.ask("authenticate", {"methodId": ways[0]}), _LOGIN)
        except (Fault, asyncio.TimeoutError):
            raise NotLoggedIn(self.profile) from None
        return await self.ask("session/new", request)

    async def cancel(self, session: str) -> None:
        """Tell the client to cancel a turn."""
        await self._connection.send_notification("session/cancel", {"sessionId": session})

    def excess(self) -> str:
        """Return what the client has used too much of, empty for nothing; ask repeatedly."""
        if os.path.getsize(self.log) > MAX_LOG:
            return f"wrote more than {size_of(MAX_LOG)} to its log"
        over = self.jail.excess(self._transport.get_pid()) if self.jail else ""
        return over and f"used {over}"

    async def end(self, *, keep_log: bool) -> None:
        """End the client and all processes that it started; ignore its last messages."""
        self.handler.close()
        leader = self._transport.get_pid()
        started = processes.descendants(leader)
        self._input.close()  # a client ends when its input does
        await self._exit_code()
        processes.kill(leader, started)
        await self._exit_code()
        self._transport.close()  # and its pipes, which an unknown process may hold
        await asyncio.sleep(0)
        logging.getLogger().removeHandler(self._log_handler)
        self._log_handler.close()
        with contextlib.suppress(OSError):  # the client has already gone
            await self._connection.close()
        self._copies.cleanup()
        if not keep_log:
            with contextlib.suppress(OSError):
                os.unlink(self.log)

    async def _exit_code(self) -> int | None:
        """Return the exit code of a client that is about to end, None if it does not."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + _GRACE
        while self._transport.get_returncode() is None and loop.time() < deadline:  # noqa: ASYNC110  # a transport has no event for it
            await asyncio.sleep(_GLANCE)
        return self._transport.get_returncode()

    def kill(self) -> None:
        """Kill the client and all processes that it started, at once."""
        processes.kill(self._transport.get_pid())


def _last_line(log: str) -> str:
    """Return the last non-blank line of a log, short and safe to show."""
    with open(log, "rb") as file:
        file.seek(max(0, os.path.getsize(log) - 4096))
        lines = file.read().decode(errors="replace").strip().splitlines()
    return visible(lines[-1].strip(), 200) if lines else ""
