"""The interface to a running service: how it is started, asked, and what it answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

MAX_BODY = 256 * 1024  # bytes of a response that `send` reads; a longer one is no answer


@dataclass(frozen=True, kw_only=True, slots=True)
class Request:
    """What is sent."""

    method: str
    target: str  #: percent-encoded
    headers: tuple[tuple[str, str], ...] = ()  #: ASCII, on one line each
    body: bytes = b""


@dataclass(frozen=True, kw_only=True, slots=True)
class Response:
    """What came back, all of it hostile."""

    status: int
    headers: tuple[tuple[str, str], ...] = ()  #: their names are in any case
    body: bytes = b""

    def header(self, name: str) -> str:
        """Return a header, several of one name joined with commas, empty if it is absent."""
        return ", ".join(value for key, value in self.headers if key.lower() == name.lower())


class NoAnswer(Exception):
    """A request without a complete answer, by the service's fault; the message is one line."""


class Service(Protocol):
    """A running service, asked one request after the other."""

    def send(self, request: Request) -> Response:
        """Return the answer to a request; raises `NoAnswer`."""


# starts a service anew, with nothing in it, and these variables added to its environment
Start = Callable[[Mapping[str, str]], AbstractContextManager[Service]]
