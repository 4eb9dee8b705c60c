"""Answers what a client asks during a turn, and keeps what its agent says and what is refused."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from acp.exceptions import RequestError
from acp.schema import AllowedOutcome, DeniedOutcome, RequestPermissionResponse

from pipeline.drivers.acp.options import options_of
from pipeline.drivers.acp.permissions import Call, call_of, chosen, refusal
from pipeline.terminal.display import visible

if TYPE_CHECKING:
    from pipeline.drivers.acp.options import Option
    from pipeline.drivers.base import Tell, Turn

_LOG = logging.getLogger(__name__)
_MOST = 100_000  # characters of an answer that are kept, the last ones
_SHOWN = 72


class Words:
    """What an agent says in a turn; what it said before its last tool call was about its work."""

    def __init__(self) -> None:
        self._parts = [""]

    def add(self, text: str) -> None:
        """Add to the part that is being said."""
        self._parts[-1] = (self._parts[-1] + text)[-_MOST:]

    def pause(self) -> None:
        """Note a tool call."""
        if self._parts[-1].strip():
            self._parts = [self._parts[-1], ""]

    def last(self) -> str:
        """Return the last part that says something, from one tool call to the end."""
        return next((each.strip() for each in reversed(self._parts) if each.strip()), "")


class ClientHandler:
    """Answers the client: of one session at a time, that of the turn that is being taken."""

    def __init__(self) -> None:
        self.options: dict[str, dict[str, Option]] = {}
        self.words = Words()
        self.refusals: list[str] = []
        self.has_gone_on = True
        self._session = ""
        self._turn: Turn | None = None
        self._tell: Tell = _nothing
        self._calls: dict[str, dict[str, Any]] = {}

    def open(self, session: str, turn: Turn, tell: Tell) -> None:
        """Begin a turn in a session of the client."""
        self._session, self._turn, self._tell = session, turn, tell
        self.words, self._calls = Words(), {}
        self.refusals, self.has_gone_on = [], True

    def close(self) -> None:
        """End the turn: nothing is allowed until the next."""
        self._session, self._turn = "", None

    async def hear(self, method: str, params: Any, is_notification: bool) -> Any:  # noqa: FBT001  # the SDK's call
        """Answer a request or note a notification, as the SDK hands them on.

        Raises:
            RequestError: the method is not offered: files and terminals are the client's own, and
                no person is there to answer a question.
        """
        message = params if isinstance(params, dict) else {}
        if method == "session/request_permission":
            return self._answer(message)
        if method == "session/update" and isinstance(message.get("update"), dict):
            self._note(str(message.get("sessionId", "")), message["update"])
        elif not is_notification:
            raise RequestError.method_not_found(method)
        return None

    def _answer(self, message: dict[str, Any]) -> RequestPermissionResponse:
        given = message.get("toolCall")
        about: dict[str, Any] = given if isinstance(given, dict) else {}
        call = call_of(self._calls.get(str(about.get("toolCallId")), {}), about)
        if self._turn is None or message.get("sessionId") != self._session:
            reason = "no turn is running"
        else:
            reason = refusal(self._turn, call)
        if reason:
            self.refusals.append(_line(call, reason))
            _LOG.warning("refused: %s", self.refusals[-1])  # into the client's log
            self.has_gone_on = False
        option = chosen(message.get("options"), allow=not reason)
        self._tell(_line(call, reason), refused=bool(reason))
        if option is None:
            return RequestPermissionResponse(outcome=DeniedOutcome(outcome="cancelled"))
        return RequestPermissionResponse(
            outcome=AllowedOutcome(outcome="selected", option_id=option),
            field_meta={"reason": reason} if reason else None,
        )

    def _note(self, session: str, update: dict[str, Any]) -> None:
        kind = update.get("sessionUpdate")
        if kind == "config_option_update":
            self.options.setdefault(session, {}).update(options_of(update))
        if session != self._session:
            return
        if kind == "agent_message_chunk" and isinstance(update.get("content"), dict):
            self.has_gone_on = True
            text = update["content"].get("text")
            self.words.add(text if isinstance(text, str) else "")
        elif kind in {"tool_call", "tool_call_update"}:
            self.words.pause()
            known = self._calls.setdefault(str(update.get("toolCallId")), {})
            if kind == "tool_call" and not known:
                self.has_gone_on = True
                self._tell(_line(call_of(update)))
            known.update({key: value for key, value in update.items() if value})


def _nothing(_: str, *, refused: bool = False) -> None:
    """Hear nothing between two turns."""
    del refused


def _line(call: Call, reason: str = "") -> str:
    title = visible(call.title or call.command or call.kind, _SHOWN)
    return f"{title} ({visible(reason, 2 * _SHOWN)})" if reason else title
