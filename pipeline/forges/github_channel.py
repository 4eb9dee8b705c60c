"""Requests with patience: what is tried again, how long is waited, what is never repeated."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from pipeline.forges.github_replies import Answer, seconds_to_wait

if TYPE_CHECKING:
    from collections.abc import Callable

_MOST_WAITED = 5.0  # seconds that a limit is waited for; after that a person is told
_PAUSES = (0.5, 1.5)  # seconds between attempts


class Unreached(Exception):
    """No whole answer came; the message says why.

    `unsent` tells that the request did not leave: there was no connection.
    """

    def __init__(self, message: str, *, unsent: bool = False) -> None:
        super().__init__(message)
        self.unsent = unsent


class Uncertain(Exception):
    """A change was asked for, and it is not known whether it was made; the message says why."""


class Wire(Protocol):
    """One request and its answer; redirects are answers."""

    def ask(self, path: str, query: dict[str, str]) -> Answer:
        """Ask for what is at a path of the API.

        Raises:
            Unreached: no whole answer came.
        """

    def send(self, path: str, body: dict[str, Any]) -> Answer:
        """Have something made.

        Raises:
            Unreached: no whole answer came.
        """


class Channel:
    """The API over a wire; `pause` waits for seconds, `clock` tells those since 1970."""

    def __init__(
        self, wire: Wire, *, pause: Callable[[float], object], clock: Callable[[], float]
    ) -> None:
        self._wire = wire
        self._pause = pause
        self._clock = clock

    def ask(self, path: str, query: dict[str, str], *, again: bool = True) -> Answer:
        """Ask, and ask again twice if the server failed or did not answer, unless `again` is off.

        Raises:
            Unreached: the last attempt brought no whole answer.
        """
        for pause in _PAUSES if again else ():
            try:
                answer = self._asked_politely(lambda: self._wire.ask(path, query))
            except Unreached:
                self._pause(pause)
                continue
            if not answer.has_failed:
                return answer
            self._pause(pause)
        return self._asked_politely(lambda: self._wire.ask(path, query))

    def send(self, path: str, body: dict[str, Any]) -> Answer:
        """Have something made; only what surely was not taken up is sent again.

        Raises:
            Uncertain: it may have been made: look before you send it again.
            Unreached: there was no connection.
        """
        try:
            answer = self._asked_politely(lambda: self._wire.send(path, body))
        except Unreached as reason:
            if reason.unsent:
                raise
            raise Uncertain(str(reason)) from None
        if answer.has_failed:
            raise Uncertain(f"it answered {answer.status}")
        return answer

    def _asked_politely(self, request: Callable[[], Answer]) -> Answer:
        answer = request()
        wait = seconds_to_wait(answer, self._clock())
        if wait is None or wait > _MOST_WAITED:
            return answer
        self._pause(wait)
        return request()
