"""One conversation with a client: its model and mode set and seen to be set, then turn by turn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acp.schema import (
    PromptRequest,
    SetSessionConfigOptionBooleanRequest,
    SetSessionConfigOptionSelectRequest,
    SetSessionModeRequest,
    TextContentBlock,
)

from pipeline.drivers.acp import faults
from pipeline.drivers.acp.options import meant, options_of, parameters
from pipeline.drivers.base import DriverFault, Reply
from pipeline.terminal.display import listed, named, visible

if TYPE_CHECKING:
    from collections.abc import Callable

    from pydantic import BaseModel

    from pipeline.drivers.acp.options import Option
    from pipeline.drivers.acp.talk import Talk
    from pipeline.drivers.base import Turn
    from pipeline.tiers import Selection


class Session:
    """A session of the client; `options` are what can be chosen in it, as the client last said."""

    def __init__(self, talk: Talk, id_: str) -> None:
        self.id = id_
        self._talk = talk
        self._model = ""

    @classmethod
    async def begin(
        cls, talk: Talk, turn: Turn, selection: Selection, tell: Callable[[str], None]
    ) -> Session:
        """Begin a session for the role of a turn.

        Raises:
            DriverFault: the client refuses, or does not confirm, the model or the mode.
        """
        answer = await talk.session(turn.root)
        if not isinstance(answer.get("sessionId"), str):
            raise DriverFault(faults.odd(talk.profile, "session/new"))
        session = cls(talk, answer["sessionId"])
        talk.desk.options[session.id] = options_of(answer)
        await session._set_mode(turn)
        if selection.model:
            await session._set_model(turn.role, selection)
        await session._set_pace(selection, tell)
        session._check_model()
        return session

    @property
    def options(self) -> dict[str, Option]:
        """What can be chosen, with its values now."""
        return self._talk.desk.options[self.id]

    async def _set_mode(self, turn: Turn) -> None:
        profile, option = self._talk.profile, self.options.get("mode")
        wanted = profile.mode
        if turn.delegate:
            wanted = profile.dispatching or wanted
        elif turn.writes == "nothing":
            wanted = profile.reading or wanted
        if option is None:
            return
        if wanted not in option.offered:
            raise self._not_offered("mode", wanted, option)
        await self._set("mode", wanted)

    async def _set_model(self, role: str, selection: Selection) -> None:
        option = self.options.get("model")
        if option is None:
            raise DriverFault(
                f"{self._talk.profile.name} lets no model be chosen, and {named(selection.model)} "
                f"was asked for {role}: choose it in the client's own settings",
                usage=True,
            )
        value = meant(option, selection)
        if value is None:
            raise self._not_offered("model", selection.model, option, role)
        await self._set("model", value)
        self._model = value

    async def _set_pace(self, selection: Selection, tell: Callable[[str], None]) -> None:
        """Set the level of reasoning and the quick variant; what is not offered is told only."""
        inherent = parameters(self._model)
        asked = {"thought_level": selection.effort, "fast": "true" if selection.fast else ""}
        spelt = {f"effort={selection.effort}": "thought_level", "fast=true": "fast"}
        there = {purpose for text, purpose in spelt.items() if text in inherent}
        for purpose, value in asked.items():
            if not value or purpose in there:
                continue
            option = self.options.get(purpose)
            if option is None or value not in option.offered:
                name = self._talk.profile.name
                tell(f"{name} offers no {purpose.replace('_', ' ')} {value}: left as it is")
            else:
                await self._set(purpose, value)

    async def _set(self, purpose: str, value: str) -> None:
        """Set an option and see that it is set.

        Raises:
            DriverFault: the client refuses, or confirms another value.
        """
        option = self.options[purpose]
        if option.legacy:
            await self._set_legacy(purpose, value)
            return
        answer = await self._talk.ask("session/set_config_option", self._request(option, value))
        self._talk.desk.options[self.id] = {**self.options, **options_of(answer)}
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
            await self._talk.ask("session/set_mode", request)
        else:
            sent = {"sessionId": self.id, "modelId": value}
            await self._talk.ask("session/set_model", sent)

    def _check_model(self) -> None:
        """See that the model is still the one that was set: clients fall back without a word."""
        option = self.options.get("model")
        if self._model and option and not option.legacy and option.current != self._model:
            raise self._another("model", self._model, option.current)

    def _another(self, purpose: str, asked: str, found: str) -> DriverFault:
        return DriverFault(
            f"{self._talk.profile.name} was asked for the {purpose} {named(asked)} and says that "
            f"it has {named(found)}; it offers {listed(self.options[purpose].offered, 12)}"
        )

    def _not_offered(self, purpose: str, asked: str, option: Option, role: str = "") -> DriverFault:
        remedy = f"; choose one by --model {role}=ID" if role else ""
        return DriverFault(
            f"{self._talk.profile.name} does not offer the {purpose} {named(asked)}: "
            f"it offers {listed(option.offered, 12)}{remedy}",
            usage=True,
        )

    async def take(self, turn: Turn, tell: Callable[[str], None]) -> Reply:
        """Take a turn to its end.

        Raises:
            DriverFault: it ended in another way than by the agent's own end.
        """
        desk = self._talk.desk
        desk.open(self.id, turn, tell)
        try:
            block = TextContentBlock(type="text", text=turn.prompt)
            request = PromptRequest(session_id=self.id, prompt=[block])
            answer = await self._talk.ask("session/prompt", request)
        finally:
            desk.close()
        reason = answer.get("stopReason")
        if reason != "end_turn":
            raise self._stopped(turn, str(reason))
        self._check_model()
        option = self.options.get("model")
        return Reply(
            text=desk.words.last(), model=self._model or (option.current if option else "")
        )

    def _stopped(self, turn: Turn, reason: str) -> DriverFault:
        name = self._talk.profile.name
        how = faults.STOPS.get(reason, f"stopped for a reason unknown here, {visible(reason, 40)}")
        said = visible(self._talk.desk.words.last(), 200)
        return DriverFault(f"{turn.role} in {name} {how}" + (f"; it said: {said}" if said else ""))
