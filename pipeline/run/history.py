"""What was tried for an issue and did not hold: one line of JSON for each artifact sent back.

How often a stage may still go back is counted here, also over a kill. The issue's other records
have the same form.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from typing import Any

from pipeline.files import Unreadable, read_file

NAME = "history.jsonl"  # in the folder
RETRY = "retry"  # in the place of a stage: the user has asked to try again
ESCALATE = "escalate"  # agents of another tier take over; `redo` has the artifacts that they write
CONTINUE = "continue"  # a round with what the pull request's `remarks` ask for, from `since` on
_ANEW = (RETRY, ESCALATE, CONTINUE)  # from here, a stage may go back as often as ever
_LIMIT = 256 << 20  # bytes


def append(folder: str, entry: dict[str, Any], name: str = NAME) -> None:
    """Add an entry: `at` is the stage, `value` the artifact with which it was not done."""
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW
    with open(os.open(os.path.join(folder, name), flags, 0o666), "r+b", buffering=0) as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - 1))
        is_cut = file.read() not in (b"", b"\n")  # by a kill: the entry is on a line of its own
        file.write(b"\n" * is_cut + json.dumps(entry).encode() + b"\n")


def raw(folder: str, name: str) -> bytes:
    """Return a record as it is on disk; empty if there is none."""
    with suppress(Unreadable):
        return read_file(os.path.join(folder, name), _LIMIT, follow=False)
    return b""


def entries(folder: str, name: str = NAME) -> list[dict[str, Any]]:
    """Return the entries, the oldest first, without a line that a kill has cut."""
    found = []
    for line in raw(folder, name).splitlines():
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict) and isinstance(value.get("at"), str):
            found.append(value)
    return found


def is_unanswered(folder: str, stage: str, value: Any) -> bool:
    """Return whether the last entry is of a stage, and of the work as it judges it now."""
    last = entries(folder)[-1:]
    return [(entry["at"], entry.get("value", {}).get("snapshot")) for entry in last] == [
        (stage, value.get("snapshot"))
    ]


def returned(folder: str, stage: str) -> int:
    """Return how often a stage went back since the last escalation, retry or further round."""
    count = 0
    for entry in entries(folder):
        count = 0 if entry["at"] in _ANEW else count + (entry["at"] == stage)
    return count


def escalations(folder: str) -> list[dict[str, Any]]:
    """Return the entries of escalations, the oldest first; each has `from`, `to` and `reason`."""
    return _of(folder, ESCALATE, {"from": str, "to": str, "role": str, "reason": list})


def rounds(folder: str) -> list[dict[str, Any]]:
    """Return the entries of the rounds that `--continue` has begun, the oldest first."""
    found = _of(folder, CONTINUE, {"since": str, "remarks": list, "values": dict})
    return [entry for entry in found if all(isinstance(item, dict) for item in entry["remarks"])]


def _of(folder: str, what: str, fields: dict[str, type]) -> list[dict[str, Any]]:
    """Return the entries of a kind that have these fields."""
    return [
        entry
        for entry in entries(folder)
        if entry["at"] == what
        and all(isinstance(entry.get(name), kind) for name, kind in fields.items())
    ]


def remarks_taken_up(folder: str) -> set[tuple[str, str]]:
    """Return the remarks that a round has taken up, by id and text: one may be edited since."""
    remarks = (remark for entry in rounds(folder) for remark in entry["remarks"])
    return {(str(remark.get("id")), str(remark.get("text"))) for remark in remarks}


def redo(folder: str) -> None:
    """Remove the artifacts that are asked for anew; the entry that asks has their values."""
    last = entries(folder)[-1:]
    if last and last[0]["at"] in (ESCALATE, CONTINUE):
        for name in last[0]["values"]:
            with suppress(FileNotFoundError):
                os.unlink(os.path.join(folder, os.path.basename(name)))
        append(folder, {"at": "redo"})
