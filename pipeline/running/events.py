"""What happens in a run, told as it happens."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

What = Literal["begun", "dispatched", "progress", "again", "kept", "done", "stopped", "ended"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Event:
    """One thing that happened.

    `begun` and `ended` are about the run; the others about a `stage`, worked on by `role`:
    `dispatched` to an agent, `progress` while it works, `again` when it is asked a second time,
    `kept` where an earlier run has done it, `done`, `stopped` with the reason. `text` is one line,
    `data` what a machine wants besides, JSON values only, `seconds` how long the stage took.
    """

    what: What
    issue: str
    stage: str = ""
    role: str = ""
    text: str = ""
    seconds: float = 0.0
    data: dict[str, Any] | None = None


Listen = Callable[[Event], None]
