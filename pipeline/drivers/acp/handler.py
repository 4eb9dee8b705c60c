"""Answers a client's requests during a turn; keeps what the agent says and what is refused."""

from __future__ import annotations

import json
import logging
import re
from typing import TYPE_CHECKING, Any

from acp.exceptions import RequestError

from pipeline.drivers.acp.options import options_of
from pipeline.drivers.acp.permissions import call_of, chosen, fields_of
from pipeline.drivers.reports import Meter
from pipeline.terminal.display import visible

if TYPE_CHECKING:
    from collections.abc import Callable

    from pipeline.drivers.acp.options import Option
    from pipeline.drivers.acp.permissions import Call
    from pipeline.drivers.base import Tell, Turn

_LOG = logging.getLogger(__name__)
_MOST = 100_000  # characters of an answer that are kept, the last ones
_SHOWN = 72
# What programs say where a mount refuses them (errno(3): EROFS, EACCES, EPERM).
_DENIED = re.compile(
    "read-only file system|permission denied|operation not permitted|EROFS|EACCES|EPERM",
    re.IGNORECASE,
)


class ClientHandler:
    """Answers one session of the client at a time: the one that takes a turn.

    `why_not` decides about a call in a turn: it returns why the call is refused, or nothing. In a
    jail there is none: every answer is yes, because the mounts decide, and what the client reports
    as failed is shown.
    """

    def __init__(self, why_not: Callable[[Turn, Call], str] | None) -> None:
        self._why_not = why_not
        self.options: dict[str, dict[str, Option]] = {}
        self.refusals: list[str] = []
        self.has_gone_on = True
        self._session = ""
        self._turn: tuple[Turn, Tell] | None = None
        self._meter = Meter({})
        self._said = [""]  # before and after the last tool call
        self._calls: dict[str, dict[str, Any]] = {}

    def open(self, session: str, turn: Turn, tell: Tell, meter: Meter) -> None:
        """Begin a turn in a session of the client; its `meter` hears what is reported."""
        self._session, self._turn, self._meter = session, (turn, tell), meter
        meter.begin()
        self._said, self._calls = [""], {}
        self.refusals, self.has_gone_on = [], True

    def close(self) -> None:
        """End the turn: nothing is allowed until the next."""
        self._session, self._turn = "", None

    def last_words(self) -> str:
        """Return what the agent said last, from one tool call to the end."""
        return next((part.strip() for part in reversed(self._said) if part.strip()), "")

    async def hear(self, method: str, params: Any, is_notification: bool) -> Any:  # noqa: FBT001  # the SDK's call
        """Answer a request or note a notification.

        Raises:
            RequestError: the method is not offered. The client has its own files and terminals, and
                no person is there to answer a question.
        """
        message = fields_of(params)
        if method == "session/request_permission":
            return self._answer(message)
        if method == "session/update":
            self._note(message.get("sessionId"), fields_of(message.get("update")))
        elif not is_notification:
            raise RequestError.method_not_found(method)
        return None

    def _answer(self, message: dict[str, Any]) -> dict[str, Any]:
        about = fields_of(message.get("toolCall"))
        call = call_of(self._calls.get(str(about.get("toolCallId")), {}), about)
        reason = "no turn is running"
        if self._turn and message.get("sessionId") == self._session:
            reason = self._why_not(self._turn[0], call) if self._why_not else ""
        if reason:
            self.refusals.append(_line(call, reason))
            _LOG.warning("refused: %s", self.refusals[-1])  # into the client's log
            self.has_gone_on = False
        if self._turn:
            self._turn[1](_line(call, reason), refused=bool(reason))
        option = chosen(message.get("options"), allow=not reason)
        if option is None:
            return {"outcome": {"outcome": "cancelled"}}
        meta = {"_meta": {"reason": reason}} if reason else {}
        return {"outcome": {"outcome": "selected", "optionId": option}, **meta}

    def _note(self, session: Any, update: dict[str, Any]) -> None:
        kind = update.get("sessionUpdate")
        if kind == "config_option_update":
            self.options.setdefault(str(session), {}).update(options_of(update))
        if not self._turn or session != self._session:
            return
        self._meter.note("update", update)
        if kind == "agent_message_chunk":
            self.has_gone_on = True
            text = fields_of(update.get("content")).get("text")
            self._said[-1] = (self._said[-1] + (text if isinstance(text, str) else ""))[-_MOST:]
        elif kind in {"tool_call", "tool_call_update"}:
            if self._said[-1].strip():
                self._said = [self._said[-1], ""]
            known = self._calls.setdefault(str(update.get("toolCallId")), {})
            if kind == "tool_call" and not known:
                self.has_gone_on = True
                self._turn[1](_line(call_of(update)))
            if not self._why_not and update.get("status") == "failed":
                self._tell_denied(call_of(known, update), update)
            known.update({key: value for key, value in update.items() if value})

    def _tell_denied(self, call: Call, update: dict[str, Any]) -> None:
        """Show a failed call if it says that the jail was in its way."""
        if self._turn and (said := _DENIED.search(json.dumps(update, ensure_ascii=False))):
            self._turn[1](
                _line(call, f"{said[0]}: the jail shows this role only what it needs"), refused=True
            )


def _line(call: Call, reason: str = "") -> str:
    title = visible(call.title or call.command or call.kind, _SHOWN)
    return f"{title} ({visible(reason, 3 * _SHOWN)})" if reason else title
