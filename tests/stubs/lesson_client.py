"""The lessons' agent as a client of the Agent Client Protocol, for `--driver acp`.

python lesson_client.py
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.stubs.lesson_agent import main as lesson


def answer_to(prompt: str) -> str:
    """Take the turn that a prompt of the pipeline asks for, and return the agent's answer."""
    task = prompt.rpartition("# Your task now")[2]
    role = re.findall(r'^(?:As|"produced_by" is) "?(x-[a-z-]+)', task, re.MULTILINE)[-1]
    root = re.findall(r"^Validate from (.+?): ", task, re.MULTILINE) or ["."]
    (target,) = re.findall(r"^Target project: `(.+?)`", task, re.MULTILINE)
    written = re.findall(r"(?:^W|then w)rite `(.+?)`", task, re.MULTILINE)
    if written:
        return lesson(role, Path(root[-1]), target, written[-1])
    if role == "x-git":
        (issue,) = re.findall(r"^Issue: ([A-Z]+-\d+)", task, re.MULTILINE)
        return lesson(role, Path(root[-1]), target, f"{issue}/")
    return lesson(role, Path(root[-1]), target, "ISSUE-0/")


def serve() -> None:
    """Answer the client's requests until the input ends."""
    for line in sys.stdin:
        message: dict[str, Any] = json.loads(line)
        if "id" not in message or "method" not in message:
            continue
        result: Any = {}
        if message["method"] == "initialize":
            result = {"protocolVersion": 1, "agentCapabilities": {}, "authMethods": []}
        elif message["method"] == "session/new":
            result = {"sessionId": "one"}
        elif message["method"] == "session/prompt":
            text = "".join(part.get("text", "") for part in message["params"]["prompt"])
            said = {"type": "text", "text": answer_to(text)}
            update = {"sessionUpdate": "agent_message_chunk", "content": said}
            params = {"sessionId": "one", "update": update}
            send({"method": "session/update", "params": params})
            result = {"stopReason": "end_turn"}
        send({"id": message["id"], "result": result})


def send(message: Any) -> None:
    """Send a message."""
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


if __name__ == "__main__":
    serve()
