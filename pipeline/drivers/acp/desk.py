"""What a client may ask and tell during a turn: permissions are answered, words are kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from acp.exceptions import RequestError
from acp.schema import AllowedOutcome, DeniedOutcome, RequestPermissionResponse

from pipeline.drivers.acp.options import options_of
from pipeline.drivers.acp.permissions import Call, call_of, chosen, refusal
from pipeline.terminal.display import visible

if TYPE_CHECKING:
    from collections.abc import Callable

    from pipeline.drivers.acp.options import Option
    from pipeline.drivers.base import Turn

_MOST = 100_000  # characters of an answer that are kept, the last ones
_SHOWN = 72


class Words:
    """What an agent says in a turn; what it said before its last tool call was about its work."""

    def __init__(self) -> None:
        self._said = [""]

    def add(self, text: str) -> None:
        """Go on in what is being said."""
        self._said[-1] = (self._said[-1] + text)[-_MOST:]

    def pause(self) -> None:
        """Note a tool call."""
        if self._said[-1].strip():
            self._said = [self._said[-1], ""]

    def last(self) -> str:
        """Return the last that was said, all of it from one tool call to the end."""
        return next((each.strip() for each in reversed(self._said) if each.strip()), "")


class Desk:
    """Hears the client: of one session at a time, that of the turn that is being taken."""

    def __init__(self) -> None:
        self.options: dict[str, dict[str, Option]] = {}
        self.words = Words()
        self._session = ""
        self._turn: Turn | None = None
        self._tell: Callable[[str], None] = lambda _: None
        self._calls: dict[str, dict[str, Any]] = {}

    def open(self, session: str, turn: Turn, tell: Callable[[str], None]) -> None:
        """Begin a turn in a session of the client."""
        self._session, self._turn, self._tell = session, turn, tell
        self.words, self._calls = Words(), {}

    def close(self) -> None:
        """End the turn: nothing is allowed until the next."""
        self._session, self._turn = "", None

    async def hear(self, method: str, params: Any, is_notification: bool) -> Any:  # noqa: FBT001  # the SDK's call
        """Answer a request or note a notification, as the SDK hands them on.

        Raises:
            RequestError: the method is not offered: files and terminals are the client's own, and
                a question to a person has nobody to answer it.
        """
        told = params if isinstance(params, dict) else {}
        if method == "session/request_permission":
            return self._answer(told)
        if method == "session/update" and isinstance(told.get("update"), dict):
            self._note(str(told.get("sessionId", "")), told["update"])
        elif not is_notification:
            raise RequestError.method_not_found(method)
        return None

    def _answer(self, told: dict[str, Any]) -> RequestPermissionResponse:
        asked = told.get("toolCall") if isinstance(told.get("toolCall"), dict) else {}
        call = call_of(self._calls.get(str((asked or {}).get("toolCallId")), {}), asked or {})
        if self._turn is None or told.get("sessionId") != self._session:
            reason = "no turn is being taken"
        else:
            reason = refusal(self._turn, call)
        option = chosen(told.get("options"), allow=not reason)
        self._tell(_shown(call, reason))
        if option is None:
            return RequestPermissionResponse(outcome=DeniedOutcome(outcome="cancelled"))
        return RequestPermissionResponse(
            outcome=AllowedOutcome(outcome="selected", option_id=option)
        )

    def _note(self, session: str, update: dict[str, Any]) -> None:
        kind = update.get("sessionUpdate")
        if kind == "config_option_update":
            self.options.setdefault(session, {}).update(options_of(update))
        if session != self._session:
            return
        if kind == "agent_message_chunk" and isinstance(update.get("content"), dict):
            text = update["content"].get("text")
            self.words.add(text if isinstance(text, str) else "")
        elif kind in {"tool_call", "tool_call_update"}:
            self.words.pause()
            known = self._calls.setdefault(str(update.get("toolCallId")), {})
            if kind == "tool_call" and not known:
                self._tell(_shown(call_of(update), ""))
            known.update({key: value for key, value in update.items() if value})


def _shown(call: Call, reason: str) -> str:
    title = visible(call.title or call.command or call.kind, _SHOWN)
    return f"refused: {title} ({visible(reason, _SHOWN)})" if reason else title
