"""What every driver offers: it takes one turn of one agent, and returns the agent's answer."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

from pipeline.drivers.reports import NOT_REPORTED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipeline.drivers.reports import Usage
    from pipeline.tiers import Selection

Writes = Literal["nothing", "artifact", "project"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Turn:
    """One prompt to one agent."""

    session: str  #: turns with the same one continue one conversation with the client
    role: str
    stage: str
    issue: str
    prompt: str
    root: str  #: the repository's absolute path, and the agent's working directory
    target: str  #: relative to it; `.` for the root
    artifact: str  #: relative to it; empty if the role writes none
    writes: Writes  #: what the role may change; `project` includes the artifact
    selection: Selection
    delegate: str = ""  #: the role that the agent dispatches by its own tool, if it is to
    seconds: float = math.inf  #: the time that the run has left


@dataclass(frozen=True, kw_only=True, slots=True)
class Allowed:
    """What the user adds to every role's mounts; the paths are absolute."""

    reads: Sequence[str] = ()
    writes: Sequence[str] = ()
    offline: bool = False  #: the agents are kept from the network
    hooks_online: bool = False  #: the hooks of a commit have it


@dataclass(frozen=True, kw_only=True, slots=True)
class Reply:
    """The agent's last words, the model that the client confirmed, and what it says it used.

    None of it proves anything: what a turn did is on disk.
    """

    text: str  #: the agent's last words
    model: str = ""  #: the one that the client confirmed, or empty
    usage: Usage = NOT_REPORTED


class Tell(Protocol):
    """Shows what happens in a turn."""

    def __call__(self, text: str, /, *, refused: bool = False) -> None:
        """Show a short text; `refused`: it is a tool call that was refused, with the reason."""


class Driver(Protocol):
    """A way to run agents."""

    name: str
    client: str  #: of pipeline.agents.clients, empty where none is known
    allowed: Allowed | None  #: what the user adds to a jail's mounts, None without a jail
    terms: str  #: what the agents can reach, one line; empty where no agent runs
    counts_tokens: bool  #: whether it is known where the client reports them

    def take(self, turn: Turn, tell: Tell) -> Reply:
        """Take a turn to its end; `tell` shows what happens meanwhile.

        Raises:
            RateLimited: the model takes no request for now.
            Fault: the turn could not be taken, was cut short, or took too long.
        """

    def close(self) -> None:
        """End all processes that the driver started; called once, at the end of the run."""
