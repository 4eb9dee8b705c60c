"""What an agent may do in a turn: one table by kind of tool call, and one of commands.

An agent's client asks before it uses a tool, and names the kind of the call, its files and its
command. A gate of this sort stops mistakes. It cannot hold a shell: what a command does is seen
afterwards, in the tree, by the runner.
"""

from __future__ import annotations

import os
import re
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pipeline.bootstrap import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pipeline.drivers.base import Turn

# What is asked of a call by its kind (protocol: ToolKind). A kind that is not here is `other`.
RULES: dict[str, str] = {
    "think": "allowed",
    "read": "inside the repository",
    "search": "inside the repository",
    "edit": "files that the role may write",
    "delete": "files that the role may write",
    "move": "files that the role may write",
    "execute": "commands that the role may run",
    "fetch": "refused",  # the text is not trusted: no way out for what the agent has read
    "switch_mode": "refused",  # the mode is the driver's
    "other": "dispatches only",
}

# A role that does not write the project may run these and no others, as plain words.
COMMANDS = (
    ("git", "diff"),
    ("git", "log"),
    ("git", "show"),
    ("git", "status"),
    ("git", "ls-files"),
    ("npm", "test"),
    ("node", "--test"),
    ("pipeline", "status"),
)
_SHELLS_OWN = re.compile(r"[^\w./:=@,+^~%'\" -]", re.ASCII)
_WRITING = ("--output", "--ext-diff", "--textconv")
_VALIDATOR = os.path.join(ROOT, "pipeline", "schema.py")  # its path is in the agents' prompts

# A role that writes the project may run all but these: branch, commit and push are the runner's.
PUBLISHING = re.compile(
    r"""\bgit(?:\s+-[cC]\s+\S+|\s+--?[\w.=/-]+)*\s+
          (?:add|am|branch|checkout|cherry-pick|clean|commit|config|merge|push|rebase|remote|reset
            |restore|revert|rm|stash|switch|tag|update-ref|worktree)(?![\w./-])
      |\b(?:gh|glab|tea)\s""",
    re.VERBOSE,
)

_PATHS = ("path", "file_path", "filePath", "absolute_path", "abs_path", "notebook_path", "dir_path")
_OWN = (".git", ".pipeline")


@dataclass(frozen=True, kw_only=True, slots=True)
class Call:
    """A tool call about which the client asks, as far as it has told."""

    kind: str
    title: str = ""
    paths: tuple[str, ...] = ()
    command: str = ""


def call_of(*told: Mapping[str, Any]) -> Call:
    """Return the call that the client's messages describe, the later ones before the earlier.

    The messages are those of the protocol (ToolCall, ToolCallUpdate), as they came: a field that is
    missing, empty or of another type says nothing. Every path that any of them names counts.
    """
    fields: dict[str, Any] = {}
    for message in told:
        fields.update({key: value for key, value in message.items() if value})
    given = fields.get("rawInput")
    raw: dict[str, Any] = given if isinstance(given, dict) else {}
    kind = fields.get("kind")
    named = dict.fromkeys(path for message in told for path in _paths(message))
    return Call(
        kind=kind if isinstance(kind, str) and kind in RULES else "other",
        title=fields["title"] if isinstance(fields.get("title"), str) else "",
        paths=tuple(path for path in named if not _shortened(path, named)),
        command=_command(raw.get("command")),
    )


def _paths(message: Mapping[str, Any]) -> Iterable[str]:
    raw = message.get("rawInput")
    named = [raw.get(key) for key in _PATHS] if isinstance(raw, dict) else []
    for entries in (message.get("locations"), message.get("content")):
        if isinstance(entries, list):
            named += [entry.get("path") for entry in entries if isinstance(entry, dict)]
    return [path for path in named if isinstance(path, str) and path]


def _shortened(path: str, named: Iterable[str]) -> bool:
    """Tell whether a relative path is the end of a whole one: some clients show both."""
    ending = os.sep + os.path.normpath(path)
    return not os.path.isabs(path) and any(
        os.path.isabs(each) and os.path.normpath(each).endswith(ending) for each in named
    )


def _command(given: Any) -> str:
    if isinstance(given, list) and all(isinstance(word, str) for word in given):
        shell = len(given) == 3 and given[1] in {"-c", "-lc"}  # noqa: PLR2004  # sh -c COMMAND
        return given[2] if shell else " ".join(given)
    return given if isinstance(given, str) else ""


def refusal(turn: Turn, call: Call) -> str:
    """Return why a call is refused in a turn, empty if it is allowed."""
    rule = RULES[call.kind]
    if rule == "inside the repository":
        outside = [path for path in call.paths if _inside(turn.root, turn.root, path) is None]
        return f"{outside[0]} is outside the repository" if outside else ""
    if rule == "files that the role may write":
        return _unwritable(turn, call)
    if rule == "commands that the role may run":
        return _not_to_run(turn, call)
    if rule == "dispatches only":
        names_more = call.paths or call.command  # a tool of unknown kind, not a dispatch
        allowed = turn.delegate and not names_more
        return "" if allowed else "a tool of this kind is not needed here"
    return "" if rule == "allowed" else f"no role may {call.kind.replace('_', ' ')}"


def _unwritable(turn: Turn, call: Call) -> str:
    if turn.writes == "nothing":
        return "this role writes nothing"
    if not call.paths:
        return "the client does not say which file"
    for path in call.paths:
        if not _may_write(turn, path):
            allowed = turn.artifact if turn.writes == "artifact" else f"files of {turn.target}"
            return f"{path} is not among what this role may write ({allowed})"
    return ""


def _may_write(turn: Turn, path: str) -> bool:
    found = _inside(turn.root, turn.root, path)
    if found is None:
        return False
    if turn.artifact and found == _inside(turn.root, turn.root, turn.artifact):
        return True
    if turn.writes != "project" or any(part.casefold() in _OWN for part in found.split(os.sep)):
        return False
    below = _inside(turn.root, os.path.join(turn.root, turn.target), path)
    return below is not None and below != os.curdir


def _inside(root: str, folder: str, path: str) -> str | None:
    """Return where a path really leads, relative to a folder; None if that is outside of it.

    The agent's relative paths start at `root`. Links are followed, those of the folder too.
    """
    if "\0" in path:
        return None
    real, base = os.path.realpath(os.path.join(root, path)), os.path.realpath(folder)
    if real != base and not real.startswith(os.path.join(base, "")):
        return None
    return os.path.relpath(real, base)


def _not_to_run(turn: Turn, call: Call) -> str:
    command = (call.command or call.title).strip()
    if turn.writes == "project":
        publishes = PUBLISHING.search(command)
        return f"`{publishes[0].strip()}` is not the worker's to run" if publishes else ""
    if call.command and _only_looks(turn, command):
        return ""
    return "this role may run a few commands that only look"


def _only_looks(turn: Turn, command: str) -> bool:
    """Tell whether a command is one of those that only look, or the validator of artifacts."""
    if _SHELLS_OWN.search(command):
        return False
    try:
        words = tuple(shlex.split(command))
    except ValueError:
        return False
    if any(word.startswith(_WRITING) for word in words):
        return False
    if len(words) > 1 and words[0] in {"python", "python3"}:
        return os.path.realpath(os.path.join(turn.root, words[1])) == os.path.realpath(_VALIDATOR)
    return any(words[: len(each)] == each for each in COMMANDS)


def chosen(options: Any, *, allow: bool) -> str | None:
    """Return the id of the option that allows, or refuses, a call once; None if there is none.

    An option is known by its kind: its id and its name are the client's own. Where a client has no
    refusal for once, the one for always will do; an allowance for always never does.
    """
    kinds = ("allow_once",) if allow else ("reject_once", "reject_always")
    offered = [each for each in options or () if isinstance(each, dict)]
    for kind in kinds:
        for option in offered:
            if option.get("kind") == kind and isinstance(option.get("optionId"), str):
                return str(option["optionId"])
    return None
