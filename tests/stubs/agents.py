"""A driver whose agents are functions of a test, and artifacts that are right."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from pipeline.drivers.base import Reply

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pipeline.drivers.base import Allowed, Turn

    Act = Callable[[Turn], str | None]

FILES = ("src/health.js", "test/health.test.js")
MESSAGE = "feat: add a health endpoint"
ISSUE = """# ISSUE-7: Add a health endpoint

Operators want to ask the service whether it lives.

## Acceptance criteria

- AC1_status: `GET /health` answers 200.
- AC2_shape: the body is `{"status": "ok"}`.
"""


def plan(role: str = "x-subplanner") -> dict[str, Any]:
    """Return a plan of two files that maps both criteria of the test's issue."""
    return {
        "affected_files": list(FILES),
        "steps": [
            {"order": 1, "file": FILES[0], "description": "Answer GET /health with 200"},
            {"order": 2, "file": FILES[1], "description": "Cover status and body"},
        ],
        "acceptance_mapping": {"AC1_status": FILES[1], "AC2_shape": FILES[1]},
        "produced_by": role,
    }


def result(*files: str, role: str = "x-worker", status: str = "completed") -> dict[str, Any]:
    """Return a worker's result."""
    return {
        "status": status,
        "files_changed": list(files or FILES),
        "blockers": [] if status == "completed" else ["the database is down"],
        "summary": "Adds the health endpoint, with its tests",
        "produced_by": role,
    }


def write(turn: Turn, value: Any) -> None:
    """Write the turn's artifact."""
    path = os.path.join(turn.root, turn.artifact)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(value, file)


def put(turn: Turn, name: str, text: str = "// health\n") -> None:
    """Write a file, by its path relative to the repository's root."""
    path = os.path.join(turn.root, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def plans(turn: Turn) -> None:
    """Do what a good subplanner does."""
    write(turn, plan())


def works(turn: Turn) -> None:
    """Do what a good worker does."""
    prefix = "" if turn.target == "." else f"{turn.target}/"
    for name in FILES:
        put(turn, prefix + name)
    write(turn, result())


def approves(turn: Turn) -> str:  # noqa: ARG001  # as the others
    """Do what a content reviewer does."""
    return "approved\n\nNothing to add."


def words(turn: Turn) -> str:  # noqa: ARG001  # as the others
    """Do what a git agent does: propose a message."""
    return f"```text\n{MESSAGE}\n```"


GOOD: dict[str, Act] = {"plan": plans, "implement": works, "review": approves, "publish": words}


class Scripted:
    """A driver that has each stage done by functions, the last one again and again."""

    name = "scripted"
    terms = ""
    allowed: Allowed | None = None
    client = ""
    counts_tokens = False

    def __init__(self, **stages: Act | list[Act]) -> None:
        script = {**GOOD, **stages}
        self._script = {k: list(v) if isinstance(v, list) else [v] for k, v in script.items()}
        self.turns: list[Turn] = []
        self.closed = False

    def take(self, turn: Turn, tell: Callable[[str], None]) -> Reply:
        tell("working")
        self.turns.append(turn)
        acts = self._script[turn.stage]
        act = acts.pop(0) if len(acts) > 1 else acts[0]
        return Reply(text=act(turn) or "done")

    def close(self) -> None:
        self.closed = True

    @property
    def stages(self) -> list[tuple[str, str]]:
        """The stage and the role of each turn, in order."""
        return [(turn.stage, turn.role) for turn in self.turns]


def read(path: Path) -> Any:
    """Return the JSON value of a file."""
    return json.loads(path.read_text(encoding="utf-8"))
