"""How far artifacts can be traced to the agents that they name: the levels of provenance."""

from __future__ import annotations

import enum
from typing import NamedTuple


class Level(enum.IntEnum):
    """How far an artifact can be traced to the agent that it names."""

    DECLARED = 0
    CONSISTENT = 1
    CORROBORATED = 2
    WITNESSED = 3

    @property
    def code(self) -> str:
        """Return the level's short name."""
        return f"L{self.value}"

    @property
    def words(self) -> str:
        """Return what the level says."""
        return _WORDS[self]


_WORDS = (
    "declared",
    "consistent with git",
    "corroborated by client records",
    "witnessed and signed",
)


class WhyNot(NamedTuple):
    """Why an artifact does not have a level that was looked for."""

    level: Level
    reason: str  #: safe to print


class Traced(NamedTuple):
    """One artifact's level."""

    name: str  #: unique in the exercise
    path: str  #: in full
    level: Level
    missed: tuple[WhyNot, ...] = ()  #: the levels above its own that were looked for, and L1 beside
    #: a level above it where git contradicts the artifact


class Provenance(NamedTuple):
    """The levels of an exercise's artifacts, at least one, in the exercise's order."""

    artifacts: tuple[Traced, ...]

    @property
    def level(self) -> Level:
        """Return the submission's level: the lowest level of its artifacts."""
        return min(traced.level for traced in self.artifacts)
