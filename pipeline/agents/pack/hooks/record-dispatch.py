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
MAX_FILES, MAX_FOLDERS = 100, 200
MAX_PATH = 1_000  # characters before `.pipeline/` that can be its path
EVENTS = {"subagentstart": "start", "subagentstop": "stop"}

_OF_PATHS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-/"
_ISSUE = r"[A-Z][A-Z0-9]{0,31}-[0-9]{1,9}"
_PLACE = re.compile(rf"\.pipeline/({_ISSUE})(?![A-Za-z0-9-])")
_NAMED = re.compile(rf"(?i:\bissue)\s{{1,4}}({_ISSUE})(?![A-Za-z0-9-])|\b(ISSUE-[0-9]{{1,9}})\b")
_FLAGS = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def main() -> None:
    """Record one event."""
    fields = _event()
    event = EVENTS.get(_text(fields, "hook_event_name", 40).lower())
    agent = _text(fields, "subagent_type", 100) or _text(fields, "agent_type", 100)
    place = _place(fields) if event and agent else None
    if event and place:
        _append(place, _line(fields, event, agent))


def _event() -> dict[str, Any]:
    data = sys.stdin.buffer.read(MAX_INPUT + 1)
    value = json.loads(data) if len(data) <= MAX_INPUT else None
    return value if isinstance(value, dict) else {}


def _text(fields: dict[str, Any], name: str, limit: int) -> str:
    value = fields.get(name)
    return _whole(value[:limit]) if isinstance(value, str) else ""


def _whole(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")  # no half characters


def _line(fields: dict[str, Any], event: str, agent: str) -> bytes:
    is_cursor = "cursor_version" in fields or "subagent_type" in fields
    found = {
        "version": 1,
        "event": event,
        "client": "cursor" if is_cursor else "claude",
        "agent": agent,
        "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "id": _text(fields, "subagent_id", 200) or _text(fields, "agent_id", 200),
        "model": _text(fields, "subagent_model", 200),
        "status": _text(fields, "status", 40),
        "files": _files(fields),
    }
    line = {name: value for name, value in found.items() if value}
    return json.dumps(line).encode("ascii") + b"\n"


def _files(fields: dict[str, Any]) -> list[str]:
    """Return the files that the client says were changed, from the project's root where inside."""
    value = fields.get("modified_files")
    names = [name for name in value if isinstance(name, str)] if isinstance(value, list) else []
    inside = ROOT.rstrip(os.sep) + os.sep
    return [_whole(name.removeprefix(inside)[:300]) for name in names[:MAX_FILES]]


def _place(fields: dict[str, Any]) -> list[str] | None:
    """Return the names that lead from the root to the issue's folder; None if it is not known."""
    for text in _texts(fields):
        places = list(_PLACE.finditer(text))
        if places:
            before = text[max(0, places[-1].start() - MAX_PATH) : places[-1].start()]
            prefix, issue = before[len(before.rstrip(_OF_PATHS)) :], places[-1][1]
            return [*(_target(prefix) or _folder_of(issue)), ".pipeline", issue]
        named = _NAMED.findall(text)
        if named:
            issue = named[-1][0] or named[-1][1]
            return [*_folder_of(issue), ".pipeline", issue]
    return _newest()


def _texts(fields: dict[str, Any]) -> Any:
    yield _text(fields, "task", MAX_INPUT)
    for name in ("agent_transcript_path", "transcript_path"):
        path = fields.get(name)
        if isinstance(path, str) and path:
            yield _tail(path)


def _tail(path: str) -> str:
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except (OSError, ValueError):
        return ""
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            return ""
        file.seek(max(0, status.st_size - MAX_TAIL))
        text = file.read(MAX_TAIL).decode("utf-8", "replace")
        return text.replace("\\n", "\n")  # as JSON writes the end of a line


def _target(prefix: str) -> list[str] | None:
    """Return the target project that a path begins with; None if it is not in this project."""
    if prefix.startswith("/"):
        inside = ROOT.rstrip("/") + "/"
        if not prefix.startswith(inside):
            return None
        prefix = prefix[len(inside) :]
    names = [name for name in prefix.split("/") if name not in ("", ".")]
    is_there = os.path.isdir(os.path.join(ROOT, *names))
    return names if is_there and ".." not in names else None


def _folder_of(issue: str) -> list[str]:
    """Return the target project that has the issue's folder already, the root where none has."""
    there = [names for names in _targets() if os.path.isdir(_join(names, issue))]
    return max(there, key=lambda names: _changed(_join(names, issue)), default=[])


def _newest() -> list[str] | None:
    found = []
    for names in _targets():
        top = _join(names)
        issues = sorted(os.listdir(top))[:MAX_FOLDERS] if os.path.isdir(top) else []
        found += [
            (_changed(_join(names, issue)), [*names, ".pipeline", issue])
            for issue in issues
            if re.fullmatch(_ISSUE, issue) and os.path.isdir(_join(names, issue))
        ]
    return max(found)[1] if found else None


def _targets() -> list[list[str]]:
    """Return the root and the folders in it: the projects that an issue may be about."""
    with os.scandir(ROOT) as entries:
        folders = sorted(
            entry.name
            for entry in entries
            if entry.is_dir(follow_symlinks=False) and not entry.name.startswith(".")
        )
    return [[], *([name] for name in folders[:MAX_FOLDERS])]


def _join(names: list[str], *more: str) -> str:
    return os.path.join(ROOT, *names, ".pipeline", *more)


def _changed(folder: str) -> float:
    with os.scandir(folder) as entries:
        times = [e.stat(follow_symlinks=False).st_mtime for e in entries if e.name != RECORDS]
    return max(times, default=0.0)


def _append(names: list[str], line: bytes) -> None:
    """Append a line to the issue's records, unless a link leads there."""
    folder = ROOT
    for name in names:
        folder = os.path.join(folder, name)
        if os.path.islink(folder):
            return
    os.makedirs(folder, exist_ok=True)
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | _FLAGS
    descriptor = os.open(os.path.join(folder, RECORDS), flags, 0o644)
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
