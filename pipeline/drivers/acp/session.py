"""One conversation with a client: sets its mode and model, checks them, and takes turns."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pipeline.drivers.acp.options import meant, options_of
from pipeline.drivers.base import Reply
from pipeline.drivers.reports import Meter, refuse_limit
from pipeline.terminal.display import listed, named, visible
from pipeline.terminal.fault import Fault, unusable

if TYPE_CHECKING:
    from pipeline.drivers.acp.connection import ClientConnection
    from pipeline.drivers.acp.options import Option
    from pipeline.drivers.base import Tell, Turn


# Some clients end an agent's turn when a tool call is refused, and no client passes on the reason.
_FOLLOW_UPS = 3
_GO_ON = "This was refused: {refusal}. Do not try it again. Continue your task without it."

# The stop reasons of the protocol, except for `end_turn`, which is the normal end.
_STOPS = {
    "cancelled": "was cancelled",
    "refusal": "refused the task: rephrase it, or choose a different model",
    "max_tokens": "reached the model's output limit: choose a different model or a smaller task",
    "max_turn_requests": "reached the client's request limit: raise that limit in the client, or "
    "make the task smaller",
}

# The clients' names for modes that ask before they change something, the best first.
_CAREFUL = ("default", "ask", "agent", "build", "code", "normal")


class Session:
    """A session of the client, which is in the repository's root."""

    def __init__(self, connection: ClientConnection, id_: str) -> None:
        self.id = id_
        self._connection = connection
        self._client = connection.profile.name
        self._model = ""
        self._meter = Meter(connection.profile.usage)

    @classmethod
    async def begin(cls, connection: ClientConnection, turn: Turn, tell: Tell) -> Session:
        """Begin a session for the role of a turn."""
        answer = await connection.session(turn.root)
        if not isinstance(answer.get("sessionId"), str):
            raise connection.odd("session/new")
        session = cls(connection, answer["sessionId"])
        connection.handler.options[session.id] = options_of(answer)
        await session._set_mode(turn)
        if turn.selection.model:
            await session._set_model(turn.role, turn.selection.model)
        if effort := turn.selection.effort:
            await session._try_to_set("thought_level", effort, f"the effort {effort}", tell)
        if turn.selection.fast:
            await session._try_to_set("fast", "true", "the fast variant", tell)
        session._check_model()
        return session

    def _option(self, purpose: str) -> Option | None:
        """Return the option for a purpose, as the client last reported it."""
        return self._connection.handler.options[self.id].get(purpose)

    async def _set_mode(self, turn: Turn) -> None:
        profile, option = self._connection.profile, self._option("mode")
        if option is None:
            return
        of_role = profile.reading if turn.writes == "nothing" else ""
        of_role = profile.dispatching if turn.delegate else of_role
        jailed = profile.jailed if self._connection.jail else ""
        wanted = jailed or of_role or profile.mode
        if wanted not in option.offered:
            by_name = {re.split("[#/]", mode)[-1].casefold(): mode for mode in option.offered}
            careful = [by_name[name] for name in _CAREFUL if name in by_name]
            if not careful:
                raise self._not_offered("mode", wanted or _CAREFUL[0], option)
            wanted = careful[0]
        await self._set("mode", option, wanted)

    async def _set_model(self, role: str, model: str) -> None:
        option = self._option("model")
        if option is None:
            raise unusable(
                f"{self._client} does not let you choose a model, but {role} needs {named(model)}: "
                "leave out --model and choose it in the client's settings, or update the client"
            )
        value = meant(option, model)
        if value is None:
            remedy = f"; choose one with --model {role}=ID"
            raise self._not_offered("model", model, option, remedy)
        await self._set("model", option, value)
        self._model = value

    async def _try_to_set(self, purpose: str, value: str, shown: str, tell: Tell) -> None:
        """Set an option that the work does not depend on; report it if the client lacks it."""
        option = self._option(purpose)
        if option and value in option.offered:
            await self._set(purpose, option, value)
        else:
            tell(f"{self._client} does not offer {shown}; the turn continues without it")

    async def _set(self, purpose: str, option: Option, value: str) -> None:
        """Set an option, and check that the client confirms it."""
        if option.legacy:
            key = f"{purpose}Id"
            await self._connection.ask(f"session/set_{purpose}", {"sessionId": self.id, key: value})
            return
        params: dict[str, Any] = {"sessionId": self.id, "configId": option.id, "value": value}
        if option.boolean:
            params |= {"type": "boolean", "value": value == "true"}
        answer = await self._connection.ask("session/set_config_option", params)
        self._connection.handler.options[self.id].update(options_of(answer))
        self._check(purpose, value)

    def _check(self, purpose: str, value: str) -> None:
        option = self._option(purpose)
        if option and not option.legacy and option.current != value:
            raise Fault(
                f"{self._client} was asked to use the {purpose} {named(value)}, but reports "
                f"{named(option.current)}; it offers {listed(option.offered, 12)}"
            )

    def _check_model(self) -> None:
        """Check that the model is still the one that was set: clients change it silently."""
        if self._model:
            self._check("model", self._model)

    def _not_offered(self, purpose: str, asked: str, option: Option, remedy: str = "") -> Fault:
        return unusable(
            f"{self._client} does not offer the {purpose} {named(asked)}: "
            f"it offers {listed(option.offered, 12)}{remedy}"
        )

    async def take(self, turn: Turn, tell: Tell) -> Reply:
        """Take a turn to its end."""
        handler = self._connection.handler
        handler.open(self.id, turn, tell, self._meter)
        try:
            reason = await self._prompt(turn.prompt)
            for _ in range(_FOLLOW_UPS):
                if handler.has_gone_on:
                    break
                handler.has_gone_on = True
                reason = await self._prompt(_GO_ON.format(refusal=handler.refusals[-1]))
        finally:
            handler.close()
        words = handler.last_words()
        if reason != "end_turn":
            how = _STOPS.get(reason, f"stopped for an unknown reason, {visible(reason, 40)}")
            said = f"; the agent said: {visible(words, 200)}" if words else ""
            raise Fault(f"{turn.role} in {self._client} {how}{said}")
        self._check_model()
        option = self._option("model")
        refuse_limit(self._connection.profile, words)
        model = self._model or (option.current if option else "")
        return Reply(text=words, model=model, usage=self._meter.usage())

    async def _prompt(self, text: str) -> str:
        """Send a prompt and return the reason for which the client stopped."""
        blocks = [{"type": "text", "text": text}]
        params = {"sessionId": self.id, "prompt": blocks}
        answer = await self._connection.ask("session/prompt", params)
        self._meter.note("answer", answer)
        return str(answer.get("stopReason"))
