"""The scripted agent as a client of the driver `acp`, and turns for it."""

from __future__ import annotations

import json
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipeline.agents.clients import CLIENTS
from pipeline.agents.clients.base import Profile
from pipeline.drivers.acp.driver import Acp
from pipeline.drivers.base import Reply, Turn
from pipeline.tiers import Selection

if TYPE_CHECKING:
    from collections.abc import Callable

PROGRAM = Path(__file__).with_name("acp_agent.py")


def profile_of(client: str) -> Profile:
    """Return the profile of a known client, or of one that nobody knows."""
    unknown = Profile(name=client, argv=(client,), install="install it", login="log in")
    found: Profile = CLIENTS.get(client, unknown)
    return found


def a_turn(root: Path, **changes: Any) -> Turn:
    """Return a turn of `x-worker` in the project `app` of a repository."""
    turn = Turn(
        session="x-worker",
        role="x-worker",
        stage="implement",
        issue="ISSUE-7",
        prompt="Do the work.",
        root=str(root),
        target="app",
        artifact="app/.pipeline/ISSUE-7/worker-result.json",
        writes="project",
        selection=Selection(),
    )
    return replace(turn, **changes)


def choice(purpose: str, *values: str, **more: Any) -> dict[str, Any]:
    """Return a config option of the protocol, its first value the current one."""
    offered = [{"value": value, "name": value} for value in values]
    option = {"id": purpose, "name": purpose, "category": purpose, "type": "select"}
    return {**option, "currentValue": values[0], "options": offered, **more}


def wait_for(condition: Callable[[], bool]) -> None:
    """Wait until something is the case."""
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def gone(process: int) -> bool:
    """Return whether a process ends within a while; one that only awaits its burial has ended."""
    end = time.monotonic() + 30
    while time.monotonic() < end:
        try:
            with open(f"/proc/{process}/stat", "rb") as file:
                if file.read().rpartition(b")")[2].split()[0] == b"Z":
                    return True
        except FileNotFoundError:
            return True
        time.sleep(0.02)
    return False


class ScriptedClient:
    """An agent that follows a script, in a folder of its own; `drivers` are to be closed."""

    def __init__(self, folder: Path, root: Path) -> None:
        self.folder, self.root = folder, root
        self.drivers: list[Acp] = []
        self.messages: list[str] = []

    def tell(self, text: str, *, refused: bool = False) -> None:
        """Keep what the driver says about a turn."""
        self.messages.append(f"refused: {text}" if refused else text)

    def driver(self, script: dict[str, Any], client: str = "qwen", **options: Any) -> Acp:
        """Return a driver whose client is the agent with a script."""
        self.folder.mkdir(exist_ok=True)
        (self.folder / "script.json").write_text(json.dumps(script), encoding="utf-8")
        profile = replace(profile_of(client), argv=(sys.executable, str(PROGRAM), str(self.folder)))
        made = Acp(profile, **{"seconds": 20.0, **options})
        self.drivers.append(made)
        return made

    def taken(self, script: dict[str, Any], client: str = "qwen", **changes: Any) -> Reply:
        """Return what comes of a turn in the repository, taken by the agent with a script."""
        return self.driver(script, client).take(a_turn(self.root, **changes), self.tell)

    def heard(self, method: str) -> list[Any]:
        """Return the parameters of the messages of one method, in order."""
        lines = (self.folder / "heard.jsonl").read_text("utf-8").splitlines()
        messages = [json.loads(line) for line in lines]
        return [each["params"] for each in messages if each.get("method") == method]

    def environment(self) -> dict[str, str]:
        """Return the environment that the agent was started with."""
        found: dict[str, str] = json.loads((self.folder / "environment.json").read_text("utf-8"))
        return found

    def started(self) -> int:
        """Return the id of the process that the agent has started."""
        return int((self.folder / "started.pid").read_text("utf-8"))
