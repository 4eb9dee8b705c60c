"""How far it is known where artifacts come from: levels that stand beside a mark, never in it."""

from __future__ import annotations

import enum
from typing import Literal, NamedTuple

LevelCode = Literal["L0", "L1", "L2", "L3"]


class Level(enum.IntEnum):
    """What is known of who produced an artifact; the highest that was shown counts."""

    DECLARED = 0
    CONSISTENT = 1
    CORROBORATED = 2
    WITNESSED = 3

    @property
    def code(self) -> LevelCode:
        """Return the level's short name."""
        return _CODES[self]

    @property
    def words(self) -> str:
        """Return what the level says."""
        return _WORDS[self]


_CODES: tuple[LevelCode, ...] = ("L0", "L1", "L2", "L3")
_WORDS = {
    Level.DECLARED: "declared",
    Level.CONSISTENT: "consistent with git",
    Level.CORROBORATED: "corroborated by client records",
    Level.WITNESSED: "witnessed and signed",
}


class WhyNot(NamedTuple):
    """Why an artifact has not a level that was looked for; safe to print."""

    level: Level
    reason: str


class Traced(NamedTuple):
    """One artifact's level; `name` tells it from the exercise's others, `path` stands in full.

    `missed` are the levels above its own that were looked for, with the reason of each, and L1
    beside a level above it where the evidence was asked and git does not bear it out.
    """

    name: str
    path: str
    level: Level
    missed: tuple[WhyNot, ...] = ()


class Provenance(NamedTuple):
    """The levels of an exercise's artifacts, at least one, in the exercise's order."""

    artifacts: tuple[Traced, ...]

    @property
    def level(self) -> Level:
        """Return the submission's: the lowest of its artifacts'."""
        return min(traced.level for traced in self.artifacts)
