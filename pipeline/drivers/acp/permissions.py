"""What an agent may do without a jail, by the kind of the call that its client asks about.

These permissions prevent mistakes, but a program that is allowed can do anything. Therefore, the
run compares the repository after the turn.
"""

from __future__ import annotations

import os
import re
import shlex
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pipeline.drivers.acp.commands import command_refusal
from pipeline.drivers.acp.rights import Rights

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from pipeline.drivers.base import Turn

_PATHS = ("path", "file_path", "filePath", "absolute_path", "abs_path", "notebook_path", "dir_path")
_FOLDERS = ("cwd", "workdir", "directory", "dir_path", "workingDirectory", "working_directory")
_OF_EDITORS = {"create", "insert", "str_replace", "undo_edit", "view"}  # what an editing tool does
_SHELLS = re.compile(r"(?:/bin/|/usr/bin/)?(?:ba|da|z)?sh")


@dataclass(frozen=True, kw_only=True, slots=True)
class Call:
    """A tool call that the client asks about; what the client does not say is empty."""

    kind: str
    title: str = ""
    paths: tuple[str, ...] = ()
    command: str = ""
    folder: str = ""  #: where the command runs, if that is not the repository's root


def call_of(*told: Mapping[str, Any]) -> Call:
    """Return the call that the client's messages describe (ToolCall, ToolCallUpdate).

    Later messages override earlier ones, but every path counts. A field that is missing, empty or
    of a different type is ignored.
    """
    fields: dict[str, Any] = {}
    for message in told:
        fields.update({key: value for key, value in message.items() if value})
    raw = fields_of(fields.get("rawInput"))
    kind = fields.get("kind")
    named = dict.fromkeys(path for message in told for path in _paths(message))
    return Call(
        kind=kind if isinstance(kind, str) and kind in RULES else "other",
        title=_text(fields.get("title")),
        paths=tuple(path for path in named if not _is_shortened(path, named)),
        command=_command(raw),
        folder=_folder(raw) if kind == "execute" else "",
    )


def entries(given: Any) -> list[dict[str, Any]]:
    """Return the objects in an array; none if it is not an array."""
    return [entry for entry in given if isinstance(entry, dict)] if isinstance(given, list) else []


def fields_of(given: Any) -> dict[str, Any]:
    """Return the fields of an object; none if it is not an object."""
    return given if isinstance(given, dict) else {}


def _text(given: Any) -> str:
    return given if isinstance(given, str) else ""


def _paths(message: Mapping[str, Any]) -> Iterable[str]:
    raw = fields_of(message.get("rawInput"))
    told = [*entries(message.get("locations")), *entries(message.get("content"))]
    named = [*(raw.get(key) for key in _PATHS), *(place.get("path") for place in told)]
    return filter(None, map(_text, named))


def _is_shortened(path: str, named: Iterable[str]) -> bool:
    """Return whether a relative path is the end of a whole one: some clients show both."""
    ending = os.sep + os.path.normpath(path)
    return not os.path.isabs(path) and any(
        os.path.isabs(whole) and os.path.normpath(whole).endswith(ending) for whole in named
    )


def _folder(raw: Mapping[str, Any]) -> str:
    return next(filter(None, (_text(raw.get(key)) for key in _FOLDERS)), "")


def _command(raw: Mapping[str, Any]) -> str:
    """Return the command as a shell reads it; some clients give words, or the arguments apart."""
    given, more = raw.get("command"), _listed(raw.get("args"))
    before = ["env"] if raw.get("env") else []  # its variables could change what it does
    if isinstance(given, str) and not (before or more):
        return given
    words = [*before, *_listed(given), *more]
    is_shell = len(words) == 3 and _SHELLS.fullmatch(words[0]) and words[1] in {"-c", "-lc"}  # noqa: PLR2004  # sh -c COMMAND
    return words[2] if is_shell else shlex.join(words)


def _listed(given: Any) -> list[str]:
    return list(map(str, given if isinstance(given, list) else filter(None, [given])))


def why_not(turn: Turn, call: Call, allowed: Sequence[str] = (), *, titled: bool = False) -> str:
    """Return why a call is refused in a turn, empty if it may be made.

    `allowed` are the commands that the user allows. `titled`: a title can be the whole command.
    """
    if titled and call.kind == "execute" and not call.command:
        call = replace(call, command=call.title)
    rights = Rights(turn, turn.root).at(call.folder)
    if rights is None:
        return f"{call.folder} is not a folder in the repository"
    reason = RULES[call.kind](rights, call)
    is_command = call.command and (call.kind == "execute" or call.command not in _OF_EDITORS)
    if reason or not is_command:
        return reason
    return command_refusal(rights, call.command, allowed)  # some clients call `cat a.js` a read


def _reading(rights: Rights, call: Call) -> str:
    outside = [path for path in call.paths if not rights.may_read(path)]
    return f"{outside[0]} is outside the repository, or in .git" if outside else ""


def _writing(rights: Rights, call: Call) -> str:
    turn = rights.turn
    if turn.writes == "nothing":
        return "this role may not write any files"
    for path in call.paths:
        if not rights.may_write(path):
            project = "" if turn.writes == "artifact" else " and the target project's own files"
            return f"{path} is not a file that this role may write (only {turn.artifact}{project})"
    return "" if call.paths else "the client does not say which file it would change"


def _running(_: Rights, call: Call) -> str:
    # most titles are for people: shortened, or a description
    return "" if call.command else "the client does not say which command it would run"


def _dispatching(rights: Rights, call: Call) -> str:
    is_dispatch = rights.turn.delegate and not (call.paths or call.command)
    return "" if is_dispatch else "this role may not use a tool of this kind"


def _refused(_: Rights, call: Call) -> str:
    return f"no role may use a tool of the kind {call.kind}"


# The rule for each kind of call (protocol: ToolKind); any other kind counts as `other`.
RULES: dict[str, Callable[[Rights, Call], str]] = {
    "think": lambda _rights, _call: "",
    **dict.fromkeys(("read", "search"), _reading),
    **dict.fromkeys(("edit", "delete", "move"), _writing),
    "execute": _running,
    "fetch": _refused,  # the text is not trusted: it must not send out what an agent reads
    "switch_mode": _refused,  # the driver sets the mode
    "other": _dispatching,
}


def chosen(options: Any, *, allow: bool) -> str | None:
    """Return the id of the option that allows, or refuses, a call once; None if there is none.

    The kind of an option counts, not its id or name. If a client offers no `reject_once`,
    `reject_always` will do; `allow_always` is never chosen.
    """
    offered = {
        str(option.get("kind")): option.get("optionId") for option in reversed(entries(options))
    }
    once = offered.get("allow_once" if allow else "reject_once")
    found = once if allow else once or offered.get("reject_always")
    return found if isinstance(found, str) else None
