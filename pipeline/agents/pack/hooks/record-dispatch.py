# ruff: noqa: INP001  # copied into projects: part of no package
"""Records in `.pipeline/<ISSUE>/dispatch.jsonl` which agents a client starts and ends.

A hook for Cursor (subagentStart, subagentStop) and Claude Code (SubagentStart, SubagentStop). It
gets the client's JSON on standard input. It never blocks the client: it always ends with 0. It
writes to no other file, and to none unless it finds the issue:

1. the issue that the agent's task names, as `.pipeline/<ISSUE>/` or as `issue <ISSUE>`;
2. else the one that the end of the client's transcript names last;
3. else the one whose artifacts changed last.

Written by `pipeline agents export --hooks`. Needs Python 3.10 or newer, and nothing else.
"""

from __future__ import annotations

import contextlib
import glob
import json
import os
import re
import stat
import sys
import time
from typing import Any

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
RECORDS = "dispatch.jsonl"
MAX_INPUT = 1 << 22  # bytes: the event at an agent's end may have all of its output
MAX_RECORDS = 1 << 20  # bytes: as much as the grader reads
MAX_TAIL = 1 << 18  # bytes of a transcript that are searched
MAX_PATH = 1_000  # characters before `.pipeline/` that can be its path
EVENTS = {"subagentstart": "start", "subagentstop": "stop"}

_OF_PATHS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-/"
_ISSUE = r"([A-Z][A-Z0-9]{0,31}-[0-9]{1,9})(?![A-Za-z0-9-])"
_PLACE = re.compile(rf"\.pipeline/{_ISSUE}")
_NAMED = re.compile(rf"(?i:\bissue)\s{{1,4}}{_ISSUE}|\b(ISSUE-[0-9]{{1,9}})\b")
_APPEND = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NONBLOCK", 0)
_APPEND |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


def main() -> None:
    """Record one event."""
    data = sys.stdin.buffer.read(MAX_INPUT + 1)
    fields = json.loads(data) if len(data) <= MAX_INPUT else {}
    event = EVENTS.get(_text(fields, "hook_event_name").lower())
    agent = _text(fields, "subagent_type", 100) or _text(fields, "agent_type", 100)
    folder = _folder(fields) if event and agent else None
    if event and folder:
        _append(folder, _line(fields, event, agent))


def _text(fields: dict[str, Any], name: str, limit: int = 200) -> str:
    value = fields.get(name)
    text = value[:limit] if isinstance(value, str) else ""
    return text.encode("utf-8", "replace").decode("utf-8")  # no half characters


def _line(fields: dict[str, Any], event: str, agent: str) -> bytes:
    is_cursor = "cursor_version" in fields or "subagent_type" in fields
    found = {
        "version": 1,
        "event": event,
        "client": "cursor" if is_cursor else "claude",
        "agent": agent,
        "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "id": _text(fields, "subagent_id") or _text(fields, "agent_id"),
        "model": _text(fields, "subagent_model"),
        "status": _text(fields, "status"),
    }
    line = {name: value for name, value in found.items() if value}
    return f"{json.dumps(line)}\n".encode("ascii")


def _folder(fields: dict[str, Any]) -> str | None:
    """Return the path of the issue's folder, None if the issue is not known."""
    for text in _texts(fields):
        places = list(_PLACE.finditer(text))
        if places:
            before = text[max(0, places[-1].start() - MAX_PATH) : places[-1].start()]
            target = os.path.realpath(os.path.join(ROOT, before[len(before.rstrip(_OF_PATHS)) :]))
            if os.path.isdir(target) and os.path.join(target, "").startswith(f"{ROOT}{os.sep}"):
                return os.path.join(target, ".pipeline", places[-1][1])
            return _folder_of(places[-1][1])
        named = _NAMED.findall(text)
        if named:
            return _folder_of("".join(named[-1]))
    return max(_folders(), key=_changed, default=None)


def _texts(fields: dict[str, Any]) -> Any:
    yield _text(fields, "task", MAX_INPUT)
    for name in ("agent_transcript_path", "transcript_path"):
        if fields.get(name):
            yield _tail(fields[name])


def _tail(path: str) -> str:
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        return ""
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            return ""
        file.seek(max(0, status.st_size - MAX_TAIL))
        text = file.read(MAX_TAIL).decode("utf-8", "replace")
        return text.replace("\\n", "\n")  # as JSON writes the end of a line


def _folder_of(issue: str) -> str:
    """Return the issue's folder that is there already, else the one in the root."""
    return max(_folders(issue), key=_changed, default=os.path.join(ROOT, ".pipeline", issue))


def _folders(issue: str = "*") -> list[str]:
    """Return the folders of issues in the root and in the projects below it; links are left out."""
    places = (os.path.join(target, ".pipeline", issue) for target in ("", "*"))
    found = [os.path.join(ROOT, path) for at in places for path in glob.glob(at, root_dir=ROOT)]
    named = [path for path in found if re.fullmatch(_ISSUE, os.path.basename(path))]
    return [path for path in named if os.path.isdir(path) and os.path.realpath(path) == path]


def _changed(folder: str) -> float:
    with os.scandir(folder) as entries:
        times = [e.stat(follow_symlinks=False).st_mtime for e in entries if e.name != RECORDS]
    return max(times, default=0.0)


def _append(folder: str, line: bytes) -> None:
    """Append a line to the issue's records, unless a link leads there."""
    if os.path.realpath(folder) != folder:
        return
    os.makedirs(folder, exist_ok=True)
    descriptor = os.open(os.path.join(folder, RECORDS), _APPEND, 0o644)
    try:
        status = os.fstat(descriptor)
        if stat.S_ISREG(status.st_mode) and status.st_size + len(line) <= MAX_RECORDS:
            os.write(descriptor, line)  # at once: two hooks at a time leave two whole lines
    finally:
        os.close(descriptor)


if __name__ == "__main__":
    with contextlib.suppress(Exception, KeyboardInterrupt):  # the client always continues
        main()
    with contextlib.suppress(OSError):  # closed, or full; `print` would fail at the very end
        os.write(1, b"{}\n")
