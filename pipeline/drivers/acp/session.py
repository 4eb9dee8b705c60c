"""One conversation with a client: its model and mode set and seen to be set, then turn by turn."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from acp.schema import (
    PromptRequest,
    SetSessionConfigOptionBooleanRequest,
    SetSessionConfigOptionSelectRequest,
    SetSessionModeRequest,
    TextContentBlock,
)

from pipeline.drivers.acp.options import meant, options_of, parameters
from pipeline.drivers.base import Reply
from pipeline.terminal.display import listed, named, visible
from pipeline.terminal.fault import Fault, unusable

if TYPE_CHECKING:
    from pydantic import BaseModel

    from pipeline.drivers.acp.connection import ClientConnection
    from pipeline.drivers.acp.options import Option
    from pipeline.drivers.base import Tell, Turn
    from pipeline.tiers import Selection


# Some clients end an agent's turn when a tool call is refused, and none hands it the reason.
_FOLLOW_UPS = 3
_GO_ON = "This was refused: {refusal}. Do not try it again. Continue your task without it."

# The stop reasons of the protocol other than `end_turn`, which alone is an end.
_STOPS = {
    "cancelled": "was cancelled",
    "refusal": "refused the task: rephrase it, or choose a different model",
    "max_tokens": "reached the model's output limit: choose a different model or a smaller task",
    "max_turn_requests": "reached the client's limit of requests: raise it there, or make the task "
    "smaller",
}

# Modes that ask before they change something, by what clients call them, the best first.
_CAREFUL = ("default", "ask", "agent", "build", "code", "normal")


class Session:
    """A session of the client; `options` are what can be chosen in it, as the client last said."""

    def __init__(self, connection: ClientConnection, id_: str) -> None:
        self.id = id_
        self._connection = connection
        self._model = ""

    @classmethod
    async def begin(
        cls,
        connection: ClientConnection,
        turn: Turn,
        selection: Selection,
        tell: Tell,
    ) -> Session:
        """Begin a session for the role of a turn.

        Raises:
            Fault: the client refuses, or does not confirm, the model or the mode.
        """
        answer = await connection.session(turn.root)
        if not isinstance(answer.get("sessionId"), str):
            raise connection.odd("session/new")
        session = cls(connection, answer["sessionId"])
        connection.handler.options[session.id] = options_of(answer)
        await session._set_mode(turn)
        if selection.model:
            await session._set_model(turn.role, selection)
        await session._set_pace(selection, tell)
        session._check_model()
        return session

    @property
    def _client(self) -> str:
        return self._connection.profile.name

    @property
    def options(self) -> dict[str, Option]:
        """What can be chosen, with its values now."""
        return self._connection.handler.options[self.id]

    async def _set_mode(self, turn: Turn) -> None:
        profile, option = self._connection.profile, self.options.get("mode")
        wanted = profile.mode
        if turn.delegate:
            wanted = profile.dispatching or wanted
        elif turn.writes == "nothing":
            wanted = profile.reading or wanted
        if option is None:
            return
        if wanted not in option.offered:
            careful = [value for value in option.offered if _plain_name(value) in _CAREFUL]
            if not careful:
                raise self._not_offered("mode", wanted or _CAREFUL[0], option)
            wanted = min(careful, key=lambda value: _CAREFUL.index(_plain_name(value)))
        await self._set("mode", wanted)

    async def _set_model(self, role: str, selection: Selection) -> None:
        option = self.options.get("model")
        if option is None:
            raise unusable(
                f"{self._client} does not let you choose a model, but {role} needs "
                f"{named(selection.model)}: choose it in the client's own settings"
            )
        value = meant(option, selection)
        if value is None:
            raise self._not_offered("model", selection.model, option, role)
        await self._set("model", value)
        self._model = value

    async def _set_pace(self, selection: Selection, tell: Tell) -> None:
        """Set the level of reasoning and the quick variant; report what is not offered."""
        inherent = parameters(self._model)
        asked = {"thought_level": selection.effort, "fast": "true" if selection.fast else ""}
        spelt = {f"effort={selection.effort}": "thought_level", "fast=true": "fast"}
        there = {purpose for text, purpose in spelt.items() if text in inherent}
        for purpose, value in asked.items():
            if not value or purpose in there:
                continue
            option = self.options.get(purpose)
            if option is None or value not in option.offered:
                name = self._client
                tell(f"{name} does not offer the {purpose.replace('_', ' ')} {value}: not changed")
            else:
                await self._set(purpose, value)

    async def _set(self, purpose: str, value: str) -> None:
        """Set an option and see that it is set.

        Raises:
            Fault: the client refuses, or confirms another value.
        """
        option = self.options[purpose]
        if option.legacy:
            await self._set_legacy(purpose, value)
            return
        answer = await self._connection.ask(
            "session/set_config_option", self._request(option, value)
        )
        self._connection.handler.options[self.id] = {**self.options, **options_of(answer)}
        now = self.options[purpose].current
        if now != value:
            raise self._another(purpose, value, now)

    def _request(self, option: Option, value: str) -> BaseModel:
        if option.boolean:
            return SetSessionConfigOptionBooleanRequest(
                session_id=self.id, config_id=option.id, type="boolean", value=value == "true"
            )
        return SetSessionConfigOptionSelectRequest(
            session_id=self.id, config_id=option.id, value=value
        )

    async def _set_legacy(self, purpose: str, value: str) -> None:
        """Set a mode or a model the older way, which confirms nothing but that it was heard."""
        if purpose == "mode":
            request = SetSessionModeRequest(session_id=self.id, mode_id=value)
            await self._connection.ask("session/set_mode", request)
        else:
            sent = {"sessionId": self.id, "modelId": value}
            await self._connection.ask("session/set_model", sent)

    def _check_model(self) -> None:
        """See that the model is still the one that was set: clients fall back without a word."""
        option = self.options.get("model")
        if self._model and option and not option.legacy and option.current != self._model:
            raise self._another("model", self._model, option.current)

    def _another(self, purpose: str, asked: str, found: str) -> Fault:
        return Fault(
            f"{self._client} was asked for the {purpose} {named(asked)} but reports "
            f"{named(found)}; it offers {listed(self.options[purpose].offered, 12)}"
        )

    def _not_offered(self, purpose: str, asked: str, option: Option, role: str = "") -> Fault:
        remedy = f"; choose one with --model {role}=ID" if role else ""
        return unusable(
            f"{self._client} does not offer the {purpose} {named(asked)}: "
            f"it offers {listed(option.offered, 12)}{remedy}"
        )

    async def take(self, turn: Turn, tell: Tell) -> Reply:
        """Take a turn to its end.

        Raises:
            Fault: it ended in another way than by the agent's own end.
        """
        handler = self._connection.handler
        handler.open(self.id, turn, tell)
        try:
            reason = await self._prompt(turn.prompt)
            for _ in range(_FOLLOW_UPS):
                if handler.has_gone_on:
                    break
                handler.has_gone_on = True
                reason = await self._prompt(_GO_ON.format(refusal=handler.refusals[-1]))
        finally:
            handler.close()
        if reason != "end_turn":
            raise self._stopped(turn, reason)
        self._check_model()
        option = self.options.get("model")
        return Reply(
            text=handler.words.last(),
            model=self._model or (option.current if option else ""),
        )

    async def _prompt(self, text: str) -> str:
        """Send a prompt and return the reason for which the client stopped."""
        block = TextContentBlock(type="text", text=text)
        request = PromptRequest(session_id=self.id, prompt=[block])
        answer = await self._connection.ask("session/prompt", request)
        return str(answer.get("stopReason"))

    def _stopped(self, turn: Turn, reason: str) -> Fault:
        name = self._client
        how = _STOPS.get(reason, f"stopped for an unknown reason, {visible(reason, 40)}")
        said = visible(self._connection.handler.words.last(), 200)
        return Fault(f"{turn.role} in {name} {how}" + (f"; it said: {said}" if said else ""))


def _plain_name(value: str) -> str:
    """Return the name of a mode whose value may be an address: `https://…/modes#agent`."""
    return re.split("[#/]", value)[-1].casefold()
