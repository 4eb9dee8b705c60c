"""The connection with one client: requests by the SDK, every failure of theirs one clear fault."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Any

from acp.connection import Connection
from acp.exceptions import RequestError
from acp.meta import PROTOCOL_VERSION
from acp.schema import (
    AuthenticateRequest,
    CancelNotification,
    ClientCapabilities,
    Implementation,
    InitializeRequest,
    NewSessionRequest,
)

from pipeline import __name__ as own_name
from pipeline.drivers.acp.handler import ClientHandler
from pipeline.terminal.display import visible
from pipeline.terminal.exit_codes import UNUSABLE
from pipeline.terminal.fault import Fault, unusable

if TYPE_CHECKING:
    from pydantic import BaseModel

    from pipeline.agents.clients.base import Profile
    from pipeline.drivers.acp.process import Process

_AUTHENTICATION = -32000  # the protocol's code for `authentication required`
_LOGIN = 30.0  # seconds for a login without a person


class ClientConnection:
    """A client that has started; `agree` comes first."""

    def __init__(self, profile: Profile, process: Process) -> None:
        self.profile = profile
        self.process = process
        self.handler = ClientHandler()
        self._methods: tuple[str, ...] = ()
        self._connection = Connection(self.handler.hear, process.writer, process.reader)

    async def agree(self) -> None:
        """Agree on the protocol.

        Raises:
            Fault: the client speaks another version of it, or something else.
        """
        capabilities = ClientCapabilities(field_meta=dict(self.profile.extras) or None)
        answer = await self.ask(
            "initialize",
            InitializeRequest(
                protocol_version=PROTOCOL_VERSION,
                client_capabilities=capabilities,
                client_info=Implementation(name=own_name, version="1"),
            ),
        )
        version = answer.get("protocolVersion")
        if version != PROTOCOL_VERSION:
            raise unusable(
                f"{self.profile.name} speaks version {version!r:.20} of the Agent Client Protocol, "
                f"not {PROTOCOL_VERSION}: install a different version ({self.profile.install})"
            )
        methods = answer.get("authMethods")
        self._methods = tuple(
            str(each.get("id"))
            for each in (methods if isinstance(methods, list) else ())
            if isinstance(each, dict)
        )

    async def ask(self, method: str, params: BaseModel | dict[str, Any]) -> dict[str, Any]:
        """Send a request and return the fields of its answer.

        Raises:
            Fault: it was refused, or the client ended.
        """
        try:
            answer = await self._connection.send_request(method, _plain(params))
        except RequestError as error:
            raise self._refused(method, error) from None
        except (ConnectionError, OSError):
            raise await self.ended() from None
        if answer is not None and not isinstance(answer, dict):
            raise self.odd(method)
        return answer or {}

    def _refused(self, method: str, error: RequestError) -> Fault:
        if error.code == _AUTHENTICATION:
            return NotLoggedIn(self.profile)
        details = error.data.get("details") if isinstance(error.data, dict) else error.data
        said = f"{error}: {details}" if details else str(error)
        return Fault(f"{self.profile.name} refused {method}: {visible(said, 400)}")

    def odd(self, method: str) -> Fault:
        """Return the fault of an answer that is not one of the protocol."""
        return Fault(
            f"{self.profile.name} sent an answer to {method} that is not valid in version 1 of the "
            "Agent Client Protocol; a different version of the client may help: "
            f"{self.profile.install}"
        )

    async def ended(self) -> Fault:
        """Return the fault of a client that is gone, or speaks another language."""
        code = await self.process.code()
        how = "closed the connection" if code is None else f"ended with exit code {code}"
        said = self.process.last_line()
        return Fault(f"{self.profile.name} {how} unexpectedly" + (f": {said}" if said else ""))

    async def session(self, folder: str) -> dict[str, Any]:
        """Begin a session in a folder, logged in if the client has a way without a person.

        Raises:
            Fault: as `ask`.
        """
        request = NewSessionRequest(cwd=folder, mcp_servers=[])
        try:
            return await self.ask("session/new", request)
        except NotLoggedIn:
            ways = [each for each in self.profile.methods if each in self._methods]
            if not ways:
                raise
        try:
            login = self.ask("authenticate", AuthenticateRequest(method_id=ways[0]))
            await asyncio.wait_for(login, _LOGIN)
        except (Fault, asyncio.TimeoutError):
            raise NotLoggedIn(self.profile) from None
        return await self.ask("session/new", request)

    async def cancel(self, session: str) -> None:
        """Tell the client to give a turn up."""
        await self._connection.send_notification(
            "session/cancel", _plain(CancelNotification(session_id=session))
        )

    async def end(self, *, keep_log: bool) -> None:
        """End the client; what it still says is not heard."""
        self.handler.close()
        await self.process.end(keep_log=keep_log)
        with contextlib.suppress(ConnectionError, OSError):  # of a client that has gone before
            await self._connection.close()


class NotLoggedIn(Fault):
    """The client wants to be logged in."""

    def __init__(self, profile: Profile) -> None:
        super().__init__(f"{profile.name} is not logged in: {profile.login}", code=UNUSABLE)


def _plain(params: BaseModel | dict[str, Any]) -> dict[str, Any]:
    if isinstance(params, dict):
        return params
    return params.model_dump(mode="json", by_alias=True, exclude_none=True)
