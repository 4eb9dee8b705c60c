"""What an agent may do in a turn, by the kind of the tool call that its client asks about.

A gate of this sort stops mistakes. It cannot hold a program that is allowed: what a turn did is
seen afterwards, in the tree, by the runner.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pipeline.drivers.acp.commands import command_refusal
from pipeline.drivers.acp.rights import Rights

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

_PATHS = ("path", "file_path", "filePath", "absolute_path", "abs_path", "notebook_path", "dir_path")
_FOLDERS = ("cwd", "workdir", "directory")


@dataclass(frozen=True, kw_only=True, slots=True)
class Call:
    """A tool call about which the client asks, as far as it says."""

    kind: str
    title: str = ""
    paths: tuple[str, ...] = ()
    command: str = ""
    folder: str = ""  # where the command runs, if that is not the repository's root


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
        folder=next((raw[key] for key in _FOLDERS if isinstance(raw.get(key), str)), ""),
    )


def _paths(message: Mapping[str, Any]) -> Iterable[str]:
    raw = message.get("rawInput")
    named = [raw.get(key) for key in _PATHS] if isinstance(raw, dict) else []
    for entries in (message.get("locations"), message.get("content")):
        if isinstance(entries, list):
            named += [entry.get("path") for entry in entries if isinstance(entry, dict)]
    return [path for path in named if isinstance(path, str) and path]


def _shortened(path: str, named: Iterable[str]) -> bool:
    """Return whether a relative path is the end of a whole one: some clients show both."""
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
    rights = _rights(turn, call)
    if rights is None:
        return f"{call.folder} is not a folder in the repository"
    if rule == "inside the repository":
        outside = [path for path in call.paths if not rights.may_read(path)]
        return f"{outside[0]} is outside the repository" if outside else ""
    if rule == "files that the role may write":
        return _unwritable(rights, call)
    if rule == "commands that the role may run":
        return command_refusal(rights, (call.command or call.title).strip())
    if rule == "dispatches only":
        names_more = call.paths or call.command  # a tool of unknown kind, not a dispatch
        allowed = turn.delegate and not names_more
        return "" if allowed else "this role may not use a tool of this kind"
    return "" if rule == "allowed" else f"no role may {call.kind.replace('_', ' ')}"


def _rights(turn: Turn, call: Call) -> Rights | None:
    rights = Rights(turn)
    return rights.at(call.folder) if call.folder else rights


def _unwritable(rights: Rights, call: Call) -> str:
    turn = rights.turn
    if turn.writes == "nothing":
        return "this role writes nothing"
    if not call.paths:
        return "the client does not say which file"
    for path in call.paths:
        if not rights.may_write(path):
            allowed = turn.artifact if turn.writes == "artifact" else f"files of {turn.target}"
            return f"{path} is not a file that this role may write ({allowed})"
    return ""


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
