"""A model that plays every agent of the pipeline by the prompts that they get."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.stubs.agents import plan, result
from tests.stubs.model_server import Call, Say

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tests.stubs.model_server import Asked

    Answer = Say | Call
    Part = Callable[["Team"], list[Answer]]

_DISPATCH = re.compile(
    r"Dispatch the agent `(x-[a-z-]+)`.*?={12} x-[a-z-]+\n(.*)\n={12}", re.DOTALL
)
_ROLE = re.compile(r'produced_by"\W+(?:is\W+)?(x-[a-z-]+)|As (x-[a-z-]+),')
_CHECK = re.compile(r"^Validate from .*?: (python3 .*)$", re.MULTILINE)
_CODEX = "multi_agent_v1"  # Codex begins an agent with one call and waits for it with another
_CODEX_AGENT = re.compile(r'"agent_id":"([^"]+)"')
_CODEX_ENDED = re.compile(r'"completed":("(?:[^"\\]|\\.)*")')
_OWN = "Managed memory directory"  # what a client asks for itself after a talk
_GO_ON = "Continue your task without it."
_AGAIN = "The pipeline cannot continue because of these problems"
MESSAGE = "feat: answer GET /health\n\nOperators can ask whether the service lives."


class Team:
    """The script of a model server for one run on the project `app` of a repository.

    `parts` replaces what a role does: a function for each prompt that it gets, the last one again
    for every further prompt. `seen` is the role and the model of every request with tools.
    """

    def __init__(self, root: Path, **parts: list[Part]) -> None:
        self.app = root / "app"
        self.folder = self.app / ".pipeline" / "ISSUE-7"
        self.seen: list[tuple[str, str]] = []
        self.results: dict[str, tuple[str, ...]] = {}
        self._parts = {**PARTS, **parts}
        self._prompts: dict[str, list[str]] = {}

    def __call__(self, asked: Asked) -> Answer:
        """Answer one request."""
        if not asked.tools or asked.prompt.startswith(_OWN):
            return Say("{}")
        answer = self._answer(asked)
        return _offered(answer, asked.tools) if isinstance(answer, Call) else answer

    def _answer(self, asked: Asked) -> Answer:
        dispatch = _DISPATCH.search(asked.prompt)
        if dispatch:
            return self._dispatch(asked, *dispatch.groups())
        role = self._role(asked.prompt)
        self.seen.append((role, asked.model))
        self.results[role] = asked.results
        prompts = self._prompts.setdefault(role, [])
        if not asked.results:
            prompts.append(asked.prompt)
        parts = self._parts[role.replace("-", "_")]
        answers = parts[min(len(prompts), len(parts)) - 1](self)
        if len(asked.results) >= len(answers):
            raise AssertionError(f"{role} has no more to do after {asked.results}")
        return answers[len(asked.results)]

    def _dispatch(self, asked: Asked, role: str, order: str) -> Answer:
        self.seen.append(("x-planner", asked.model))
        begun = _CODEX_AGENT.search(asked.results[-1]) if asked.results else None
        if begun:
            waited = {"targets": [begun[1]], "timeout_ms": 60_000}
            return Call("wait_agent", waited, namespace=_CODEX)
        if asked.results:
            ended = _CODEX_ENDED.search(asked.results[-1])
            return Say(json.loads(ended[1]) if ended else asked.results[-1])
        words: dict[str, Any] = {
            "description": f"the work of {role}",
            "prompt": order,
            "subagent_type": role,
        }
        if "`run_in_background: false`" in asked.prompt:
            words["run_in_background"] = False
        if "`mode: sync`" in asked.prompt and "create" in asked.tools:  # Claude has other modes
            words["mode"] = "sync"
        return Call("agent", words)

    def _role(self, prompt: str) -> str:
        if prompt.endswith(_GO_ON):
            return self.seen[-1][0]
        order = prompt.rpartition("# Your task now")[2].strip()
        if order.startswith(_AGAIN):
            return "x-subplanner" if "plan.json`" in order.splitlines()[0] else "x-worker"
        named = _ROLE.findall(order)
        return str(named[0][0] or named[0][1])

    def prompts(self, role: str) -> list[str]:
        """Return the prompts that a role got, in their order."""
        return self._prompts.get(role, [])

    def check(self, role: str) -> Call:
        """Return the call that validates what a role has written, as its prompt says."""
        first = self._prompts[role][0]
        command = _CHECK.findall(first)[-1]
        words = {"command": command, "description": "validate", "is_background": False}
        return Call("run_shell_command", words)


def _offered(call: Call, tools: tuple[str, ...]) -> Call:
    """Return a call of Qwen Code's tools as a call of the tools that another client offers."""
    words = call.arguments
    if "run_typescript" in tools:
        return _for_vibe(call)
    if call.tool in tools:
        return call
    if "exec_command" in tools:
        return _for_codex(call)
    name = next(name for name in _SAME[call.tool] if name in tools)
    if "create" in tools:
        return _for_copilot(name, words)
    if name == "write":  # opencode
        return Call(name, {"filePath": words["file_path"], "content": words["content"]})
    return Call(name, {key: each for key, each in words.items() if key != "is_background"})


def _for_codex(call: Call) -> Call:
    """Return a call for Codex, which writes files by commands."""
    words = call.arguments
    if call.tool == "agent":
        chosen = {"agent_type": words["subagent_type"], "message": words["prompt"]}
        return Call("spawn_agent", chosen, namespace=_CODEX)
    if call.namespace:
        return call
    return Call("exec_command", {"cmd": words.get("command") or _as_command(**words)})


def _for_copilot(name: str, words: Mapping[str, Any]) -> Call:
    if name == "create":  # a model makes the folder first: this tool makes none
        Path(words["file_path"]).parent.mkdir(parents=True, exist_ok=True)
        return Call(name, {"path": words["file_path"], "file_text": words["content"]})
    role = {key: words["subagent_type"] for key in ("name", "agent_type") if name == "task"}
    kept = ("command", "description", "prompt", "mode")
    return Call(name, {**{key: words[key] for key in kept if key in words}, **role})


def _for_vibe(call: Call) -> Call:
    """Return a call for Mistral Vibe, which refuses arguments that it does not know."""
    words = call.arguments
    if call.tool == "write_file":
        return Call(call.tool, {"path": words["file_path"], "content": words["content"]})
    return Call("bash", {"command": words["command"]})


_SAME = {
    "write_file": ("Write", "write", "create"),
    "run_shell_command": ("Bash", "bash"),
    "agent": ("Agent", "task"),
}


def _as_command(file_path: str, content: str) -> str:
    folder = file_path.rpartition("/")[0]
    return f"mkdir -p {folder} && cat > {file_path} <<'EOF'\n{content}\nEOF"


def write(path: Path, value: Any) -> Call:
    """Return the call that writes a file: a text, or anything else as JSON."""
    text = value if isinstance(value, str) else json.dumps(value, indent=2)
    return Call("write_file", {"file_path": str(path), "content": text})


def shell(command: str) -> Call:
    """Return the call that runs a command."""
    words = {"command": command, "description": "work", "is_background": False}
    return Call("run_shell_command", words)


def plans(team: Team) -> list[Answer]:
    """Do what a subplanner does that does not validate: a client's first command takes seconds."""
    return [write(team.folder / "plan.json", plan()), Say("The plan is written.")]


def plans_and_checks(team: Team) -> list[Answer]:
    """Do what a good subplanner does."""
    written, end = plans(team)
    return [written, team.check("x-subplanner"), end]


def plans_nothing(team: Team) -> list[Answer]:
    """Write a plan that is none."""
    return [write(team.folder / "plan.json", {"affected_files": []}), Say("Done.")]


def works(team: Team) -> list[Answer]:
    """Do what a good worker does."""
    return [
        write(team.app / "src" / "health.js", "export const health = { status: 'ok' };\n"),
        write(team.app / "test" / "health.test.js", "import '../src/health.js';\n"),
        write(team.folder / "worker-result.json", result()),
        Say("completed"),
    ]


def approves(_: Team) -> list[Answer]:
    """Do what a content reviewer does."""
    return [Say("approved\n\nNothing to add.")]


def proposes(_: Team) -> list[Answer]:
    """Do what a git agent does."""
    return [Say(f"```text\n{MESSAGE}\n```")]


PARTS: dict[str, list[Part]] = {
    "x_subplanner": [plans],
    "x_worker": [works],
    "x_reviewer": [approves],
    "x_git": [proposes],
}
