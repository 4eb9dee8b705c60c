"""An agent of the Agent Client Protocol that follows a script; run as a program by its path.

The one argument is a folder that holds `script.json`:

- `version`, `authMethods`: its answer to `initialize`;
- `session`: what it adds to its answer to `session/new`, such as `configOptions`;
- `confirms`: by option id, the value that it confirms whatever was set;
- `refuses`: by method, the error that it answers with; one with `once` only the first time;
- `turns`: for each prompt the actions that it takes, the last one again for every further prompt.

It writes each message that comes in to `heard.jsonl`, and its environment to `environment.json`.
An action is one of those of `ACTIONS`, as an object with one field.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

FOLDER = Path(sys.argv[1])


class Agent:
    """The state of the agent: its script, its options by session, its turns."""

    def __init__(self) -> None:
        self.script: dict[str, Any] = json.loads((FOLDER / "script.json").read_text("utf-8"))
        self.options: dict[str, list[dict[str, Any]]] = {}
        self.refused: set[str] = set()
        self.prompts = 0
        self.session = ""
        self.asked = 0

    def serve(self) -> None:
        """Answer requests until the input ends."""
        while (message := heard()) is not None:
            if "method" in message and "id" in message:
                self.answer(message)

    def answer(self, message: dict[str, Any]) -> None:
        """Answer one request."""
        method = message["method"]
        error = self.script.get("refuses", {}).get(method)
        if error and not (error.get("once") and method in self.refused):
            self.refused.add(method)
            send({"id": message["id"], "error": error})
            return
        result = getattr(self, method.replace("/", "_"))(message.get("params", {}))
        send({"id": message["id"], "result": result})

    def initialize(self, _: Any) -> Any:
        """Say which version of the protocol it speaks."""
        version = self.script.get("version", 1)
        methods = [{"id": each, "name": each} for each in self.script.get("authMethods", [])]
        return {"protocolVersion": version, "agentCapabilities": {}, "authMethods": methods}

    def authenticate(self, _: Any) -> Any:
        """Log in."""
        return {}

    def session_new(self, _: Any) -> Any:
        """Begin a session."""
        name = f"session-{len(self.options) + 1}"
        added = json.loads(json.dumps(self.script.get("session", {})))
        self.options[name] = added.get("configOptions", [])
        return {"sessionId": name, **added}

    def session_set_config_option(self, params: Any) -> Any:
        """Set an option, and confirm it or what the script has."""
        options = self.options[params["sessionId"]]
        for option in options:
            if option["id"] == params["configId"]:
                confirmed = self.script.get("confirms", {})
                option["currentValue"] = confirmed.get(option["id"], params["value"])
        return {"configOptions": options}

    def session_set_mode(self, _: Any) -> Any:
        """Set a mode in the older way."""
        return {}

    session_set_model = session_set_mode

    def session_prompt(self, params: Any) -> Any:
        """Take a turn by its actions."""
        self.session = params["sessionId"]
        turns = self.script.get("turns", [[]])
        actions = turns[min(self.prompts, len(turns) - 1)]
        self.prompts += 1
        for action in actions:
            ((name, value),) = action.items()
            if name == "stop":
                return {"stopReason": value}
            if name == "result":
                return value
            ACTIONS[name](self, value)
        return {"stopReason": "end_turn"}

    def update(self, update: Any) -> None:
        """Send an update of the session."""
        params = {"sessionId": self.session, "update": update}
        send({"method": "session/update", "params": params})

    def say(self, text: str) -> None:
        """Say something."""
        content = {"type": "text", "text": text}
        self.update({"sessionUpdate": "agent_message_chunk", "content": content})

    def request(self, message: Any, *, is_silent: bool = False) -> None:
        """Send a request, and say what comes back, as JSON."""
        self.asked += 1
        send({**message, "id": f"own-{self.asked}"})
        while (answer := heard()) is not None:
            if answer.get("id") == f"own-{self.asked}":
                if not is_silent:
                    self.say(json.dumps(answer.get("result", answer.get("error"))))
                return
        sys.exit(0)

    def permission(self, asked: Any) -> None:
        """Ask for a permission: `toolCall` and `options`; `silent` says nothing of the answer."""
        is_silent = asked.get("silent", False)
        params = {"sessionId": self.session, **asked}
        request = {"method": "session/request_permission", "params": params}
        self.request(request, is_silent=is_silent)

    def start(self, seconds: float) -> None:
        """Start a process with a group of its own and write its id to `started.pid`."""
        words = [sys.executable, "-c", f"import time; time.sleep({seconds})"]
        child = subprocess.Popen(words, start_new_session=True)
        (FOLDER / "started.pid").write_text(str(child.pid), encoding="utf-8")


def hear(_: Agent, method: str) -> None:
    """Wait until a message of a method has come, or the input ends."""
    while (message := heard()) is not None:
        if message.get("method") == method:
            return


def print_raw(_: Agent, text: str) -> None:
    """Print something that need not be a message."""
    print(text, flush=True)


def flood(_: Agent, count: int) -> None:
    """Write bytes to the standard error."""
    sys.stderr.buffer.write(b"x" * count)
    sys.stderr.flush()


def complain(_: Agent, text: str) -> None:
    """Write a line to the standard error."""
    print(text, file=sys.stderr, flush=True)


ACTIONS: dict[str, Any] = {
    "say": Agent.say,
    "update": Agent.update,
    "request": Agent.request,
    "permission": Agent.permission,
    "start": Agent.start,
    "hear": hear,
    "print": print_raw,
    "flood": flood,
    "complain": complain,
    "sleep": lambda _, seconds: time.sleep(seconds),
    "exit": lambda _, code: os._exit(code),
}


def heard() -> dict[str, Any] | None:
    """Return the next message, None at the end of the input."""
    line = sys.stdin.readline()
    if not line:
        return None
    with (FOLDER / "heard.jsonl").open("a", encoding="utf-8") as file:
        file.write(line)
    message: dict[str, Any] = json.loads(line)
    return message


def send(message: Any) -> None:
    """Send a message."""
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


if __name__ == "__main__":
    (FOLDER / "environment.json").write_text(json.dumps(dict(os.environ)), encoding="utf-8")
    Agent().serve()
